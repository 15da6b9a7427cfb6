// InputFile: the bytes of one input: a file, a pipe or a compressed file.
//
// A large regular file is mapped and read as its pages are touched: a profile
// larger than memory opens, and its pages do not count as ours. Small files are
// read at once, pipes to the end. Bytes never move and live as long as the
// InputFile. Loaders share it with the tables that refer to records in it.
// Offsets and sizes are 64-bit.
//
// Reading a pipe and unpacking a file may take long, so both report progress.
//
// Errors: NotFound, PermissionDenied, … with "<path>; <reason>" as the
// reference words them; a directory is InvalidArgument.

#ifndef TFPROF_LOADERS_INPUT_FILE_H_
#define TFPROF_LOADERS_INPUT_FILE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/gunzip.h"
#include "util/cancellation.h"

namespace tfprof {

class InputFile {
 public:
  static absl::StatusOr<std::shared_ptr<const InputFile>> Open(
      const std::string& path, const ReadProgress& progress = {},
      const Cancellation* cancellation = nullptr);
  // Bytes that are in memory already; `path` is what messages say.
  static std::shared_ptr<const InputFile> FromBytes(std::string path,
                                                    std::string bytes);

  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::string_view bytes() const { return bytes_; }
  // What is wrong with the container of these bytes (a gzip stream that was
  // cut off); empty if nothing is.
  const std::string& damage() const { return damage_; }
  // The offset of `part`, which is a view into bytes().
  size_t OffsetOf(std::string_view part) const {
    return static_cast<size_t>(part.data() - bytes_.data());
  }

 private:
  explicit InputFile(std::string path) : path_(std::move(path)) {}

  // Maps or reads an open file.
  absl::Status Read(int fd, const ReadProgress& progress,
                    const Cancellation* cancellation);

  std::string path_;
  std::string damage_;
  std::string_view bytes_;
  std::string owned_;       // when not mapped
  void* mapped_ = nullptr;  // when mapped
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_INPUT_FILE_H_

// InputFile: the bytes of one input: a file, a pipe or a compressed file.
//
// A large regular file is mapped and read as its pages are touched: a profile
// larger than memory opens, and its pages do not count as ours. Small files are
// read at once, pipes to the end. Bytes never move and live as long as the
// InputFile. Loaders share it with the tables that refer to records in it.
// Offsets and sizes are 64-bit.
//
// Another program may change a file while it is open. A mapped one is checked
// when asked (CheckUnchanged), see util/mapped_file.h: shortening it is never
// fatal. A file that changes while it is read or unpacked is an error.
//
// Reading a pipe and unpacking a file may take long, so both report progress.
//
// Errors: NotFound, PermissionDenied, … with "<path>; <reason>" as the
// reference words them; a directory is InvalidArgument; FailedPrecondition for
// a file that changed meanwhile.

#ifndef TFPROF_LOADERS_INPUT_FILE_H_
#define TFPROF_LOADERS_INPUT_FILE_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/gunzip.h"
#include "util/cancellation.h"
#include "util/mapped_file.h"

namespace tfprof {

class InputFile {
 public:
  static absl::StatusOr<std::shared_ptr<const InputFile>> Open(
      const std::string& path, const ReadProgress& progress = {},
      const Cancellation* cancellation = nullptr);
  // Bytes that are in memory already; `path` is what messages say.
  static std::shared_ptr<const InputFile> FromBytes(std::string path,
                                                    std::string bytes,
                                                    std::string damage = {});
  // The bytes of an open regular file, which the caller closes, as they are: a
  // compressed one is not unpacked. `damage` is what is known to be wrong with
  // them.
  static absl::StatusOr<std::shared_ptr<const InputFile>> FromDescriptor(
      std::string path, int fd, std::string damage = {});

  // As Open() for a file that is mapped even if it is small, for tests.
  static absl::StatusOr<std::shared_ptr<const InputFile>> OpenMapped(
      const std::string& path);

  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::string_view bytes() const {
    // Asking costs less than a store to a line that all threads share.
    if (!read_.load(std::memory_order_relaxed)) {
      read_.store(true, std::memory_order_relaxed);
    }
    return bytes_;
  }
  // What is wrong with the container of these bytes (a gzip stream that was
  // cut off); empty if nothing is.
  const std::string& damage() const { return damage_; }
  // The offset of `part`, which is a view into bytes().
  size_t OffsetOf(std::string_view part) const {
    return static_cast<size_t>(part.data() - bytes_.data());
  }

  // The bytes are those of a file on disk, which may change.
  bool mapped() const { return mapped_ != nullptr; }
  // An error, "PATH changed WHEN; load it again", if they are not those that
  // the file had when it was opened.
  absl::Status CheckUnchanged(std::string_view when) const;
  // Whether somebody asked for the bytes since ForgetReads().
  bool was_read() const { return read_.load(std::memory_order_relaxed); }
  void ForgetReads() const { read_.store(false, std::memory_order_relaxed); }

 private:
  explicit InputFile(std::string path) : path_(std::move(path)) {}

  // Maps an open file if it has at least `min_mapped` bytes, and reads it
  // otherwise.
  absl::Status Read(int fd, size_t min_mapped, const ReadProgress& progress,
                    const Cancellation* cancellation);

  std::string path_;
  std::string damage_;
  std::string_view bytes_;
  std::string owned_;  // when not mapped
  std::unique_ptr<const MappedFile> mapped_;
  mutable std::atomic<bool> read_ = false;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_INPUT_FILE_H_

// InputFile: the bytes of one input: a file, a pipe or a compressed file.
//
// A large regular file is mapped, and its pages are read when they are touched.
// So a profile larger than memory opens, and its pages do not count as memory
// of the program. Small files are read at once, pipes up to their end. Bytes
// never move and live as long as the InputFile. Loaders share it with the
// tables that refer to records in it. Offsets and sizes are 64-bit.
//
// Another program may change a file while it is open. CheckUnchanged() checks a
// mapped file, see util/files/mapped_file.h: a file that becomes shorter never
// crashes the program. A file that changes while it is read or unpacked is an
// error.
//
// Reading a pipe and unpacking a file may take long, so both report progress.
//
// Errors: NotFound, PermissionDenied, … with "<path>; <reason>" in the words of
// the reference; InvalidArgument for a directory; FailedPrecondition for a file
// that changed meanwhile.

#ifndef TFPROF_LOADERS_CORE_INPUT_FILE_H_
#define TFPROF_LOADERS_CORE_INPUT_FILE_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/core/gunzip.h"
#include "util/files/mapped_file.h"
#include "util/run/cancellation.h"

namespace tfprof::loaders {

class InputFile {
 public:
  static absl::StatusOr<std::shared_ptr<const InputFile>> Open(
      const std::string& path, const ReadProgress& progress = {},
      const util::Cancellation* cancellation = nullptr);
  // Makes an input of bytes in memory; messages show `path`.
  static std::shared_ptr<const InputFile> FromBytes(std::string path,
                                                    std::string bytes,
                                                    std::string damage = {});
  // Reads an open regular file, which the caller closes. A compressed file is
  // not unpacked. `damage` describes known damage of the bytes.
  static absl::StatusOr<std::shared_ptr<const InputFile>> FromDescriptor(
      std::string path, int fd, std::string damage = {});

  // Like Open(), but maps even a small file, for tests.
  static absl::StatusOr<std::shared_ptr<const InputFile>> OpenMapped(
      const std::string& path);

  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::string_view bytes() const {
    // A load is cheaper than a store to a cache line that all threads share.
    if (!read_.load(std::memory_order_relaxed)) {
      read_.store(true, std::memory_order_relaxed);
    }
    return bytes_;
  }
  // Describes damage of the container of these bytes, such as a gzip stream
  // that is cut short. Empty: none.
  const std::string& damage() const { return damage_; }
  // Returns the offset of `part`, which is a view into bytes().
  size_t OffsetOf(std::string_view part) const {
    return static_cast<size_t>(part.data() - bytes_.data());
  }

  // True if the bytes are mapped from a file on disk, which may change.
  bool mapped() const { return mapped_ != nullptr; }
  // Returns the error "PATH changed WHEN; load it again" if the file is not as
  // it was when it was opened.
  absl::Status CheckUnchanged(std::string_view when) const;
  // Returns whether the bytes were accessed since ForgetReads().
  bool was_read() const { return read_.load(std::memory_order_relaxed); }
  void ForgetReads() const { read_.store(false, std::memory_order_relaxed); }

 private:
  explicit InputFile(std::string path) : path_(std::move(path)) {}

  // Maps an open file that has at least `min_mapped` bytes, and reads a smaller
  // one.
  absl::Status Read(int fd, size_t min_mapped, const ReadProgress& progress,
                    const util::Cancellation* cancellation);

  std::string path_;
  std::string damage_;
  std::string_view bytes_;
  std::string owned_;  // when not mapped
  std::unique_ptr<const util::MappedFile> mapped_;
  mutable std::atomic<bool> read_ = false;
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_INPUT_FILE_H_

#include "loaders/core/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fmt/format.h"
#include "util/files/errno_status.h"

namespace tfprof::loaders {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Half of the memory of the machine, so that an endless pipe cannot use all of
// it.
size_t MaxPipedBytes() {
  const auto pages = static_cast<size_t>(sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) / 2;
}

// Returns whether the file is a device that may have no end. /dev/null is
// excepted: it is an empty file.
bool IsDevice(const struct stat& info) {
  return S_ISBLK(info.st_mode) ||
         (S_ISCHR(info.st_mode) && info.st_rdev != makedev(1, 3));
}

absl::Status ReadAll(int fd, const std::string& path, size_t max_bytes,
                     const ReadProgress& progress,
                     const util::Cancellation* cancellation, std::string& out) {
  constexpr size_t kPiece = 1 << 16;
  constexpr int kWaitMillis = 50;
  for (;;) {
    // A pipe may have no data for a long time, or no writer.
    struct pollfd wait = {.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = poll(&wait, 1, kWaitMillis);
    if (util::IsCancelled(cancellation))
      return absl::CancelledError("cancelled");
    if (ready == 0) continue;
    const size_t size = out.size();
    out.resize(size + kPiece);
    const ssize_t n = read(fd, out.data() + size, kPiece);
    out.resize(size + (n > 0 ? static_cast<size_t>(n) : 0));
    if (n == 0) return absl::OkStatus();
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return util::ErrnoStatus(errno, path);
    if (out.size() > max_bytes) {
      return absl::ResourceExhaustedError(
          fmt::format("{}: more than {} MiB, which is half of the memory of "
                      "this machine, from a pipe; write it to a file and load "
                      "that",
                      path, max_bytes >> 20));
    }
    if (progress) progress(static_cast<int64_t>(out.size()), 0);
  }
}

// Small files are read, because a process may have only so many mappings.
constexpr size_t kMinMapped = 1 << 16;
constexpr std::string_view kWhileRead = "while it was read";

}  // namespace

absl::StatusOr<std::shared_ptr<const InputFile>> InputFile::Open(
    const std::string& path, const ReadProgress& progress,
    const util::Cancellation* cancellation) {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const FileDescriptor fd(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return util::ErrnoStatus(errno, path);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return util::ErrnoStatus(errno, path);
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        path +
        " is a directory; name a file, or give it without a flag to "
        "read the files in it");
  }
  if (IsDevice(info)) {
    return absl::InvalidArgumentError(
        path + " is a device; copy what you want to read to a file");
  }
  std::shared_ptr<InputFile> file(new InputFile(path));
  absl::Status status =
      file->Read(fd.get(), kMinMapped, progress, cancellation);
  if (status.ok() && IsGzip(file->bytes_)) {
    std::string damage;
    const absl::StatusOr<int> plain =
        Gunzip(file->bytes_, path, progress, cancellation, damage);
    const FileDescriptor plain_fd(plain.ok() ? *plain : -1);
    absl::Status unchanged = file->CheckUnchanged(kWhileRead);
    if (!unchanged.ok()) return unchanged;
    if (!plain.ok()) return plain.status();
    file.reset(new InputFile(path));
    file->damage_ = std::move(damage);
    status = file->Read(plain_fd.get(), kMinMapped, {}, cancellation);
  }
  if (!status.ok()) return status;
  return file;
}

absl::StatusOr<std::shared_ptr<const InputFile>> InputFile::FromDescriptor(
    std::string path, int fd, std::string damage) {
  std::shared_ptr<InputFile> file(new InputFile(std::move(path)));
  file->damage_ = std::move(damage);
  absl::Status status = file->Read(fd, kMinMapped, {}, nullptr);
  if (!status.ok()) return status;
  return file;
}

absl::StatusOr<std::shared_ptr<const InputFile>> InputFile::OpenMapped(
    const std::string& path) {
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return util::ErrnoStatus(errno, path);
  std::shared_ptr<InputFile> file(new InputFile(path));
  absl::Status status = file->Read(fd.get(), 1, {}, nullptr);
  if (!status.ok()) return status;
  return file;
}

absl::Status InputFile::Read(int fd, size_t min_mapped,
                             const ReadProgress& progress,
                             const util::Cancellation* cancellation) {
  struct stat info;
  if (fstat(fd, &info) != 0) return util::ErrnoStatus(errno, path_);
  const bool regular = S_ISREG(info.st_mode);
  const auto size = static_cast<size_t>(info.st_size);
  // Files in /proc report 0 bytes although they have some.
  if (regular && size >= min_mapped) {
    mapped_ = util::MappedFile::Map(fd, path_, info);
    if (mapped_ != nullptr) {
      bytes_ = mapped_->bytes();
      return absl::OkStatus();
    }
  }
  // The temporary file was just written, so its position is at the end.
  if (regular) lseek(fd, 0, SEEK_SET);
  absl::Status status =
      ReadAll(fd, path_, MaxPipedBytes(), regular ? ReadProgress() : progress,
              cancellation, owned_);
  struct stat after;
  if (status.ok() && regular && size > 0 &&
      (fstat(fd, &after) != 0 || owned_.size() != size ||
       util::FileVersion::Of(after) != util::FileVersion::Of(info))) {
    return util::FileChanged(path_, kWhileRead);
  }
  owned_.shrink_to_fit();
  bytes_ = owned_;
  return status;
}

std::shared_ptr<const InputFile> InputFile::FromBytes(std::string path,
                                                      std::string bytes,
                                                      std::string damage) {
  std::shared_ptr<InputFile> file(new InputFile(std::move(path)));
  file->damage_ = std::move(damage);
  file->owned_ = std::move(bytes);
  file->bytes_ = file->owned_;
  return file;
}

absl::Status InputFile::CheckUnchanged(std::string_view when) const {
  return mapped_ == nullptr ? absl::OkStatus() : mapped_->CheckUnchanged(when);
}

}  // namespace tfprof::loaders

#include "loaders/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/errno_status.h"

namespace tfprof {
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

absl::Status ReadAll(int fd, const std::string& path,
                     const ReadProgress& progress,
                     const Cancellation* cancellation, std::string& out) {
  constexpr size_t kPiece = 1 << 16;
  constexpr int kWaitMillis = 50;
  for (;;) {
    // A pipe may have no data for a long time, or no writer.
    struct pollfd wait = {.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = poll(&wait, 1, kWaitMillis);
    if (IsCancelled(cancellation)) return absl::CancelledError("cancelled");
    if (ready == 0) continue;
    const size_t size = out.size();
    out.resize(size + kPiece);
    const ssize_t n = read(fd, out.data() + size, kPiece);
    out.resize(size + (n > 0 ? static_cast<size_t>(n) : 0));
    if (n == 0) return absl::OkStatus();
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return ErrnoStatus(errno, path);
    if (progress) progress(static_cast<int64_t>(out.size()), 0);
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<const InputFile>> InputFile::Open(
    const std::string& path, const ReadProgress& progress,
    const Cancellation* cancellation) {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const FileDescriptor fd(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return ErrnoStatus(errno, path);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return ErrnoStatus(errno, path);
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        path +
        " is a directory; name a file, or give it without a flag to "
        "read what is in it");
  }
  std::shared_ptr<InputFile> file(new InputFile(path));
  absl::Status status = file->Read(fd.get(), progress, cancellation);
  if (status.ok() && IsGzip(file->bytes_)) {
    std::string damage;
    const absl::StatusOr<int> plain =
        Gunzip(file->bytes_, path, progress, cancellation, damage);
    if (!plain.ok()) return plain.status();
    const FileDescriptor plain_fd(*plain);
    file.reset(new InputFile(path));
    file->damage_ = std::move(damage);
    status = file->Read(plain_fd.get(), {}, cancellation);
  }
  if (!status.ok()) return status;
  return file;
}

absl::Status InputFile::Read(int fd, const ReadProgress& progress,
                             const Cancellation* cancellation) {
  struct stat info;
  if (fstat(fd, &info) != 0) return ErrnoStatus(errno, path_);
  const auto size = static_cast<size_t>(info.st_size);
  // Files of /proc say 0 bytes and have some. Small files are read, because the
  // number of mappings of a process is limited.
  constexpr size_t kMinMapped = 1 << 16;
  if (S_ISREG(info.st_mode) && size >= kMinMapped) {
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data != MAP_FAILED) {
      mapped_ = data;
      bytes_ = {static_cast<const char*>(data), size};
      return absl::OkStatus();
    }
  }
  // What was written to a temporary file is read from its beginning.
  if (S_ISREG(info.st_mode)) lseek(fd, 0, SEEK_SET);
  absl::Status status =
      ReadAll(fd, path_, S_ISREG(info.st_mode) ? ReadProgress() : progress,
              cancellation, owned_);
  owned_.shrink_to_fit();
  bytes_ = owned_;
  return status;
}

std::shared_ptr<const InputFile> InputFile::FromBytes(std::string path,
                                                      std::string bytes) {
  std::shared_ptr<InputFile> file(new InputFile(std::move(path)));
  file->owned_ = std::move(bytes);
  file->bytes_ = file->owned_;
  return file;
}

InputFile::~InputFile() {
  if (mapped_ != nullptr) munmap(mapped_, bytes_.size());
}

}  // namespace tfprof

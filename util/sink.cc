#include "util/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/errno_status.h"

namespace tfprof {

namespace {

constexpr size_t kBufferBytes = 64 << 10;

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The file of an open descriptor, as a name.
std::string NameOf(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// A file without a name in `folder`, which the system removes if we are killed
// before it gets one. -1 where there is no such thing: on NFS, without /proc.
int OpenNameless(const std::string& folder, mode_t mode) {
  const int fd = open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (fd >= 0 && access(NameOf(fd).c_str(), F_OK) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

// Waits for a reader, but not longer than until the work is cancelled; open()
// alone would wait for ever.
int OpenPipe(const std::string& path, const Cancellation* cancellation) {
  constexpr useconds_t kWaitMicros = 20000;
  int fd = -1;
  for (;;) {
    fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 || errno != ENXIO || IsCancelled(cancellation)) break;
    usleep(kWaitMicros);
  }
  if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileSink>> FileSink::Create(
    const std::string& path, const FileOptions& options) {
  struct stat info;
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return ErrnoStatus(EISDIR, path);
  const bool in_place = exists && !S_ISREG(info.st_mode);
  // A file that may not be written is not to be replaced either.
  if (exists && access(path.c_str(), W_OK) != 0) {
    return ErrnoStatus(errno, path);
  }
  const mode_t mode = exists ? info.st_mode & 0777 : 0666;
  const std::string written =
      in_place ? path : path + ".tmp" + std::to_string(getpid());
  int fd = in_place ? -1 : OpenNameless(FolderOf(path), mode);
  const bool nameless = fd >= 0;
  if (exists && S_ISFIFO(info.st_mode)) {
    fd = OpenPipe(path, options.cancellation);
    if (IsCancelled(options.cancellation)) {
      if (fd >= 0) close(fd);
      return absl::CancelledError("cancelled");
    }
  } else if (!nameless) {
    fd = open(written.c_str(),
              O_WRONLY | O_CREAT | O_CLOEXEC | (in_place ? 0 : O_TRUNC), mode);
  }
  if (fd < 0) return ErrnoStatus(errno, path);
  FILE* file = fdopen(fd, "wb");
  if (file == nullptr) {
    const int error = errno;
    close(fd);
    return ErrnoStatus(error, path);
  }
  return std::unique_ptr<FileSink>(
      new FileSink(path, written, nameless, file, options));
}

FileSink::FileSink(std::string path, std::string written_path, bool nameless,
                   FILE* file, const FileOptions& options)
    : path_(std::move(path)),
      written_path_(std::move(written_path)),
      nameless_(nameless),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)),
      file_(file),
      options_(options) {
  // The library's own buffer is a page: a call of the system for each.
  setvbuf(file_, buffer_.get(), _IOFBF, kBufferBytes);
}

FileSink::~FileSink() {
  if (file_ == nullptr) return;
  fclose(file_);
  if (!nameless_ && written_path_ != path_) unlink(written_path_.c_str());
}

void FileSink::Write(std::string_view bytes) {
  if (error_ != 0 || !wanted()) return;
  if (fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    error_ = errno;
  }
  if (options_.progress != nullptr) {
    options_.progress->bytes.done += static_cast<int64_t>(bytes.size());
  }
}

void FileSink::Reached(double share) {
  if (options_.progress == nullptr) return;
  const double all =
      options_.progress->begin +
      share * (options_.progress->end - options_.progress->begin);
  const auto done = static_cast<double>(options_.progress->bytes.done.load());
  if (all > 0)
    options_.progress->bytes.total = static_cast<int64_t>(done / all);
}

absl::Status FileSink::Commit() {
  FILE* file = std::exchange(file_, nullptr);
  const auto check = [&](int result) {
    if (result != 0 && error_ == 0) error_ = errno;
  };
  check(fflush(file));
  if (error_ == 0 && nameless_) {
    // What a killed run of the same number left behind is in the way.
    unlink(written_path_.c_str());
    check(linkat(AT_FDCWD, NameOf(fileno(file)).c_str(), AT_FDCWD,
                 written_path_.c_str(), AT_SYMLINK_FOLLOW));
  }
  check(fclose(file));
  const bool renames = written_path_ != path_;
  if (error_ == 0 && renames) {
    check(rename(written_path_.c_str(), path_.c_str()));
  }
  if (error_ == 0) return absl::OkStatus();
  if (renames) unlink(written_path_.c_str());
  return ErrnoStatus(error_, path_);
}

absl::Status WriteFile(const std::string& path,
                       const std::function<absl::Status(Sink&)>& write,
                       const FileOptions& options) {
  auto file = FileSink::Create(path, options);
  if (!file.ok()) return file.status();
  absl::Status status = write(**file);
  if (!(*file)->wanted()) return absl::CancelledError("cancelled");
  return status.ok() ? (*file)->Commit() : status;
}

absl::Status WriteFile(const std::string& path, std::string_view bytes,
                       const FileOptions& options) {
  return WriteFile(
      path,
      [&](Sink& sink) {
        sink.Write(bytes);
        return absl::OkStatus();
      },
      options);
}

}  // namespace tfprof

#include "util/files/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/files/errno_status.h"
#include "util/files/stale_files.h"

namespace tfprof::util {

namespace {

constexpr size_t kBufferBytes = 64 << 10;

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Returns the target of the symbolic link `path`, or `path` itself if it is not
// a link.
std::string TargetOf(std::string path) {
  constexpr int kMaxLinks = 40;  // the limit of the system
  for (int i = 0; i < kMaxLinks; ++i) {
    char target[4096];
    const ssize_t size = readlink(path.c_str(), target, sizeof(target));
    if (size <= 0 || size == sizeof(target)) break;
    const std::string_view next(target, static_cast<size_t>(size));
    path = next.front() == '/' ? std::string(next)
                               : FolderOf(path) + "/" + std::string(next);
  }
  return path;
}

// Calls `make` with new names in the folder of `path` until a name is free.
// Returns the result of `make`; `name` is the last name tried.
template <typename Make>
int MakeBeside(const std::string& path, std::string& name, const Make& make) {
  constexpr int kMaxNames = 100;
  int made = -1;
  for (int i = 0; i < kMaxNames; ++i) {
    name = UnfinishedName(path);
    if (i > 0) name += "." + std::to_string(i);
    made = make(name);
    if (made >= 0 || errno != EEXIST) break;
  }
  return made;
}

// Returns a path for the file of an open descriptor.
std::string NameOf(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Opens a file without a name in `folder`; the system removes it if the process
// is killed before it gets a name. Returns -1 where this is not supported (on
// NFS, without /proc).
int OpenNameless(const std::string& folder, mode_t mode) {
  const int fd = open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (fd >= 0 && access(NameOf(fd).c_str(), F_OK) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

// Waits for a reader until the work is cancelled; a blocking open() could not
// be cancelled.
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
    const std::string& asked, const FileOptions& options) {
  // If stdout is a pipe, /dev/stdout is a link without a valid target.
  struct stat info;
  const bool is_regular =
      stat(asked.c_str(), &info) != 0 || S_ISREG(info.st_mode);
  const std::string path = is_regular ? TargetOf(asked) : asked;
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return ErrnoStatus(EISDIR, path);
  const bool in_place = exists && !S_ISREG(info.st_mode);
  // If the file is read-only, do not replace it either.
  if (exists && access(path.c_str(), W_OK) != 0) {
    return ErrnoStatus(errno, path);
  }
  const mode_t mode = exists ? info.st_mode & 0777 : 0666;
  std::string written = path;
  int fd = in_place ? -1 : OpenNameless(FolderOf(path), mode);
  const bool nameless = fd >= 0;
  if (exists && S_ISFIFO(info.st_mode)) {
    fd = OpenPipe(path, options.cancellation);
    if (IsCancelled(options.cancellation)) {
      if (fd >= 0) close(fd);
      return absl::CancelledError("cancelled");
    }
  } else if (in_place) {
    fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, mode);
  } else if (!nameless) {
    RemoveUnfinished(path);
    fd = MakeBeside(path, written, [mode](const std::string& name) {
      return open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    });
  }
  if (fd < 0) return ErrnoStatus(errno, path);
  if (exists && !in_place) {
    // Only root may change the owner; other users become the owner of the new
    // file.
    if (fchown(fd, info.st_uid, info.st_gid) == 0) fchmod(fd, mode);
  }
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
  // The library's own buffer is one page and would need a system call for each.
  setvbuf(file_, buffer_.get(), _IOFBF, kBufferBytes);
}

FileSink::~FileSink() {
  if (file_ == nullptr) return;
  fclose(file_);
  if (!nameless_ && written_path_ != path_) unlink(written_path_.c_str());
}

void FileSink::Write(std::string_view bytes) {
  if (error_ != 0 || !wanted() || bytes.empty()) return;
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
  // Otherwise a system crash could lose both the old and the new file.
  const bool regular = nameless_ || written_path_ != path_;
  if (error_ == 0 && regular && access(path_.c_str(), F_OK) == 0) {
    check(fdatasync(fileno(file)));
  }
  bool named = !nameless_ && written_path_ != path_;
  if (error_ == 0 && nameless_) {
    const std::string open_file = NameOf(fileno(file));
    check(MakeBeside(path_, written_path_, [&](const std::string& name) {
      return linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(),
                    AT_SYMLINK_FOLLOW);
    }));
    named = error_ == 0;
  }
  check(fclose(file));
  if (error_ == 0 && named) {
    check(rename(written_path_.c_str(), path_.c_str()));
  }
  if (error_ == 0) return absl::OkStatus();
  if (named) unlink(written_path_.c_str());
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

}  // namespace tfprof::util

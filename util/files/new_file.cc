#include "util/files/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "util/files/errno_status.h"
#include "util/files/stale_files.h"

namespace tfprof::util {
namespace {

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

class FileOfSystem : public NewFile {
 public:
  // `written` == `path`: written in place.
  FileOfSystem(std::string path, std::string written, bool nameless, int fd)
      : path_(std::move(path)),
        written_(std::move(written)),
        nameless_(nameless),
        fd_(fd) {}
  ~FileOfSystem() override {
    if (fd_ < 0) return;
    close(fd_);
    if (!nameless_ && written_ != path_) unlink(written_.c_str());
  }

  int fd() const override { return fd_; }

  absl::Status Commit() override {
    const int fd = std::exchange(fd_, -1);
    int error = 0;  // the first
    const auto check = [&](int result) {
      if (result != 0 && error == 0) error = errno;
    };
    // Otherwise a system crash could lose both the old and the new file.
    const bool regular = nameless_ || written_ != path_;
    if (regular && access(path_.c_str(), F_OK) == 0) check(fdatasync(fd));
    bool named = !nameless_ && written_ != path_;
    if (error == 0 && nameless_) {
      const std::string open_file = NameOf(fd);
      check(MakeBeside(path_, written_, [&](const std::string& name) {
        return linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(),
                      AT_SYMLINK_FOLLOW);
      }));
      named = error == 0;
    }
    check(close(fd));
    if (error == 0 && named) check(rename(written_.c_str(), path_.c_str()));
    if (error == 0) return absl::OkStatus();
    if (named) unlink(written_.c_str());
    return ErrnoStatus(error, path_);
  }

 private:
  const std::string path_;
  std::string written_;
  const bool nameless_;
  int fd_;
};

class FilesOfSystem : public FileMaker {
 public:
  absl::StatusOr<std::unique_ptr<NewFile>> Make(
      const std::string& asked, const Cancellation* cancellation) override {
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
      fd = OpenPipe(path, cancellation);
      if (IsCancelled(cancellation)) {
        if (fd >= 0) close(fd);
        return absl::CancelledError("cancelled");
      }
    } else if (in_place) {
      fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, mode);
    } else if (!nameless) {
      RemoveUnfinished(path);
      fd = MakeBeside(path, written, [mode](const std::string& name) {
        return open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    mode);
      });
    }
    if (fd < 0) return ErrnoStatus(errno, path);
    if (exists && !in_place) {
      // Only root may change the owner; other users become the owner of the new
      // file.
      if (fchown(fd, info.st_uid, info.st_gid) == 0) fchmod(fd, mode);
    }
    return std::make_unique<FileOfSystem>(path, std::move(written), nameless,
                                          fd);
  }

  int MakeTemporary() override {
    const char* dir = getenv("TMPDIR");
    if (dir == nullptr || dir[0] == '\0') dir = "/tmp";
    const int unnamed = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0) return unnamed;
    // Not every file system supports O_TMPFILE.
    std::string name = std::string(dir) + "/tfprof.XXXXXX";
    const int named = mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) unlink(name.c_str());
    return named;
  }
};

// The maker belongs to the process: it decides for all files that it makes.
FileMaker* maker_in_use = nullptr;

FileMaker& MakerInUse() {
  return maker_in_use == nullptr ? SystemFiles() : *maker_in_use;
}

}  // namespace

FileMaker& SystemFiles() {
  static auto* const files = new FilesOfSystem;
  return *files;
}

void UseFileMaker(FileMaker& maker) { maker_in_use = &maker; }

absl::StatusOr<std::unique_ptr<NewFile>> MakeNewFile(
    const std::string& path, const Cancellation* cancellation) {
  return MakerInUse().Make(path, cancellation);
}

int MakeTemporaryFile() { return MakerInUse().MakeTemporary(); }

}  // namespace tfprof::util

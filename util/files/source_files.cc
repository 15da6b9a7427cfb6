#include "util/files/source_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "fmt/format.h"

namespace tfprof::util {
namespace {

// A descriptor, closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Reset(int fd) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

// Returns the absolute path without symbolic links, or nullopt with the reason
// in errno.
std::optional<std::string> RealPath(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(
      realpath(path.c_str(), nullptr), &free);
  if (real == nullptr) return std::nullopt;
  return std::string(real.get());
}

// Returns the part of `path` below `folder`, such as "a/b.py". Neither path may
// have "." or "..".
std::optional<std::string_view> PartBelow(std::string_view path,
                                          std::string_view folder) {
  if (folder.ends_with('/')) folder.remove_suffix(1);  // for "/"
  if (!path.starts_with(folder)) return std::nullopt;
  path.remove_prefix(folder.size());
  if (path.size() < 2 || path.front() != '/') return std::nullopt;
  return path.substr(1);
}

// Returns an absolute path without "." and "..". Does not read the file system.
std::string Normal(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

// Checks that `path` is below `folder`, by their names alone.
bool IsNamedBelow(const std::string& path, const std::string& folder) {
  std::string below = Normal(folder);
  if (below.ends_with('/')) below.pop_back();
  return PartBelow(Normal(path), below).has_value();
}

// True for a file by which the system tells about its processes and devices.
bool IsOfSystem(std::string_view real) {
  for (const std::string_view folder : {"/proc", "/sys", "/dev"}) {
    if (real == folder || PartBelow(real, folder).has_value()) return true;
  }
  return false;
}

absl::Status Outside(std::string_view path) {
  return absl::PermissionDeniedError(
      fmt::format("{} is outside of the folders with source files", path));
}

absl::Status Missing(std::string_view path) {
  return absl::NotFoundError(fmt::format("{} is missing", path));
}

absl::Status NotRegular(std::string_view path) {
  return absl::FailedPreconditionError(
      fmt::format("{} is not a regular file", path));
}

absl::Status TooLarge(std::string_view path) {
  return absl::ResourceExhaustedError(fmt::format(
      "{} is larger than {} MB", path, kMaxSourceBytes / 1'000'000));
}

absl::Status Failed(std::string_view path, int error) {
  if (error == ENOENT || error == ENOTDIR) return Missing(path);
  return absl::UnavailableError(
      fmt::format("{} cannot be read: {}", path, strerror(error)));
}

// Reads all bytes of an open file, whose size may change.
absl::StatusOr<std::string> ReadAll(int fd, std::string_view path) {
  std::string text;
  for (;;) {
    constexpr size_t kChunk = 1 << 16;
    const size_t size = text.size();
    text.resize(size + kChunk);
    const ssize_t got = read(fd, text.data() + size, kChunk);
    const int error = errno;
    text.resize(size + static_cast<size_t>(got > 0 ? got : 0));
    if (got < 0 && error == EINTR) continue;
    if (got < 0) return Failed(path, error);
    if (got == 0) return text;
    if (static_cast<int64_t>(text.size()) > kMaxSourceBytes) {
      return TooLarge(path);
    }
  }
}

// Opens `part` below the folder `root` without following symbolic links. Both
// paths were resolved before, so a link in them is new.
absl::StatusOr<std::string> ReadBelow(const std::string& root,
                                      std::string_view part,
                                      std::string_view path) {
  constexpr int kFolder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor folder(open(root.c_str(), kFolder));
  for (;;) {
    if (!folder.valid()) return Failed(path, errno);
    const size_t slash = part.find('/');
    if (slash == part.npos) break;
    const std::string name(part.substr(0, slash));
    part.remove_prefix(slash + 1);
    folder.Reset(openat(folder.get(), name.c_str(), kFolder));
  }
  const std::string name(part);
  struct stat info;
  // Opening a device can already have an effect.
  if (fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return Failed(path, errno);
  }
  if (!S_ISREG(info.st_mode)) return NotRegular(path);
  // O_NONBLOCK: a fifo that replaced the file must not block.
  const Descriptor file(
      openat(folder.get(), name.c_str(),
             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) return Failed(path, errno);
  if (fstat(file.get(), &info) != 0) return Failed(path, errno);
  if (!S_ISREG(info.st_mode)) return NotRegular(path);
  if (info.st_size > kMaxSourceBytes) return TooLarge(path);
  return ReadAll(file.get(), path);
}

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Reads the file at `path`, which may be below any of `folders`.
absl::StatusOr<SourceFile> ReadAt(const std::string& path,
                                  const std::vector<std::string>& folders) {
  const std::optional<std::string> real = RealPath(path);
  const int error = errno;
  if (!real.has_value()) {
    // The error does not reveal whether a file exists elsewhere.
    for (const std::string& folder : folders) {
      if (IsNamedBelow(path, folder)) return Failed(path, error);
    }
    return Outside(path);
  }
  for (const std::string& folder : folders) {
    const std::optional<std::string> root = RealPath(folder);
    if (!root.has_value()) continue;
    const auto part = PartBelow(*real, *root);
    if (!part.has_value()) continue;
    if (IsOfSystem(*real)) {
      return absl::FailedPreconditionError(fmt::format(
          "{} is a file of the system, which is never shown", path));
    }
    const absl::StatusOr<std::string> text = ReadBelow(*root, *part, path);
    if (!text.ok()) return text.status();
    return SourceFile{path, LinesOf(*text)};
  }
  return Outside(path);
}

}  // namespace

absl::StatusOr<SourceFile> SourceFiles::Read(std::string_view path) const {
  // A C string ends at a zero byte, so the opened path would differ from the
  // checked one.
  if (path.empty() || path.find('\0') != path.npos) return Missing(path);
  if (path.front() == '/') return ReadAt(std::string(path), folders_);
  absl::Status status = folders_.empty() ? Outside(path) : absl::OkStatus();
  for (const std::string& folder : folders_) {
    const std::string at =
        folder == "." ? std::string(path) : fmt::format("{}/{}", folder, path);
    absl::StatusOr<SourceFile> file = ReadAt(at, folders_);
    if (file.ok()) return file;
    // Keep the first error, unless a later one is more specific than "missing".
    if (status.ok() ||
        (absl::IsNotFound(status) && !absl::IsNotFound(file.status()))) {
      status = file.status();
    }
  }
  return status;
}

}  // namespace tfprof::util

#include "loaders/tensorflow/checkpoint/checkpoint_files.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "util/files/mapped_file.h"

namespace tfprof::tensorflow {
namespace {

absl::Status SystemError(const std::string& path, std::string_view what) {
  const int error = errno;
  return absl::ErrnoToStatus(error, fmt::format("{}: {}", path, what));
}

class DiskFiles : public CheckpointFiles {
 public:
  std::vector<std::string> Match(const std::string& pattern) const override {
    // First try it as a plain path, which may contain pattern characters.
    if (Exists(pattern)) return {pattern};
    std::vector<std::string> paths;
    glob_t found = {};
    if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
      paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    globfree(&found);
    // Sort by bytes: glob() would use the order of the locale.
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  bool Exists(const std::string& path) const override {
    struct stat info;
    return stat(path.c_str(), &info) == 0;
  }

  absl::StatusOr<FileBytes> Open(const std::string& path) const override {
    // With O_NONBLOCK, opening a pipe does not wait for its other end.
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return SystemError(path, "cannot be opened");
    absl::StatusOr<FileBytes> file = Map(path, fd);
    close(fd);
    return file;
  }

 private:
  static absl::StatusOr<FileBytes> Map(const std::string& path, int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0) return SystemError(path, "cannot be examined");
    if (S_ISDIR(info.st_mode)) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: is a directory; give the name of a checkpoint in it, such as "
          "{}/model.ckpt",
          path, path));
    }
    if (!S_ISREG(info.st_mode)) {
      return absl::InvalidArgumentError(
          fmt::format("{}: is not a regular file; copy it to one", path));
    }
    // mmap() fails for empty files.
    if (info.st_size == 0) return FileBytes{};
    std::shared_ptr<const util::MappedFile> mapped =
        util::MappedFile::Map(fd, path, info);
    if (mapped == nullptr) return SystemError(path, "cannot be mapped");
    const std::string_view bytes = mapped->bytes();
    return FileBytes{bytes, std::move(mapped)};
  }
};

}  // namespace

const CheckpointFiles& DiskCheckpointFiles() {
  static const DiskFiles* const files = new DiskFiles;
  return *files;
}

}  // namespace tfprof::tensorflow

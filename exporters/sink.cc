#include "exporters/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/errno_status.h"
#include "util/stop.h"

namespace tfprof {

absl::StatusOr<std::unique_ptr<FileSink>> FileSink::Create(
    const std::string& path) {
  struct stat info;
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return ErrnoStatus(EISDIR, path);
  const bool in_place = exists && !S_ISREG(info.st_mode);
  // A file that may not be written is not to be replaced either.
  if (exists && access(path.c_str(), W_OK) != 0) {
    return ErrnoStatus(errno, path);
  }
  const std::string written =
      in_place ? path : path + ".tmp" + std::to_string(getpid());
  const int fd = open(written.c_str(),
                      O_WRONLY | O_CREAT | O_CLOEXEC | (in_place ? 0 : O_TRUNC),
                      exists ? info.st_mode & 0777 : 0666);
  if (fd < 0) return ErrnoStatus(errno, path);
  FILE* file = fdopen(fd, "wb");
  if (file == nullptr) {
    const int error = errno;
    close(fd);
    return ErrnoStatus(error, path);
  }
  return std::unique_ptr<FileSink>(new FileSink(path, written, file));
}

FileSink::~FileSink() {
  if (file_ == nullptr) return;
  fclose(file_);
  if (written_path_ != path_) unlink(written_path_.c_str());
}

void FileSink::Write(std::string_view bytes) {
  if (error_ != 0 || StopRequested()) return;
  if (fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    error_ = errno;
  }
}

absl::Status FileSink::Commit() {
  FILE* file = std::exchange(file_, nullptr);
  if (fclose(file) != 0 && error_ == 0) error_ = errno;
  const bool renames = written_path_ != path_;
  if (error_ == 0 && renames &&
      rename(written_path_.c_str(), path_.c_str()) != 0) {
    error_ = errno;
  }
  if (error_ == 0) return absl::OkStatus();
  if (renames) unlink(written_path_.c_str());
  return ErrnoStatus(error_, path_);
}

absl::Status WriteFile(const std::string& path,
                       const std::function<absl::Status(Sink&)>& write) {
  auto file = FileSink::Create(path);
  if (!file.ok()) return file.status();
  absl::Status status = write(**file);
  if (StopRequested()) return absl::CancelledError("stopped");
  return status.ok() ? (*file)->Commit() : status;
}

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  return WriteFile(path, [&](Sink& sink) {
    sink.Write(bytes);
    return absl::OkStatus();
  });
}

}  // namespace tfprof

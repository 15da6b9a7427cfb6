#include "util/files/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "util/files/errno_status.h"

namespace tfprof::util {

namespace {

constexpr size_t kBufferBytes = 64 << 10;

}  // namespace

absl::StatusOr<std::unique_ptr<FileSink>> FileSink::Create(
    const std::string& path, const FileOptions& options) {
  absl::StatusOr<std::unique_ptr<NewFile>> made =
      MakeNewFile(path, options.cancellation);
  if (!made.ok()) return made.status();
  // The new file closes its own descriptor.
  const int fd = fcntl((*made)->fd(), F_DUPFD_CLOEXEC, 0);
  FILE* file = fd < 0 ? nullptr : fdopen(fd, "wb");
  if (file == nullptr) {
    const int error = errno;
    if (fd >= 0) close(fd);
    return ErrnoStatus(error, path);
  }
  return std::unique_ptr<FileSink>(
      new FileSink(path, *std::move(made), file, options));
}

FileSink::FileSink(std::string path, std::unique_ptr<NewFile> made, FILE* file,
                   const FileOptions& options)
    : path_(std::move(path)),
      made_(std::move(made)),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)),
      file_(file),
      options_(options) {
  // The library's own buffer is one page and would need a system call for each.
  setvbuf(file_, buffer_.get(), _IOFBF, kBufferBytes);
}

FileSink::~FileSink() {
  if (file_ != nullptr) fclose(file_);
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
  if (fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) {
    error_ = errno;
  }
  if (error_ != 0) return ErrnoStatus(error_, path_);
  return made_->Commit();
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

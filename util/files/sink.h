// Sink: the destination of an exporter's bytes.
//
// A file has its name only when Commit() gives it one (new_file.h), so a full
// disk or Ctrl-C leaves either the old file or none. Errors have the path of
// the request. After an error a sink ignores further output. After a
// cancellation (util/run/cancellation.h) a file discards its output, and
// WriteFile leaves no file and returns CANCELLED.
//
// A writer of much data regularly reports how much of its work is done
// (Reached). If the file was given a WriteProgress, it adds up these reports
// for a progress bar. The writer also regularly asks whether its output is
// still wanted.

#ifndef TFPROF_UTIL_FILES_SINK_H_
#define TFPROF_UTIL_FILES_SINK_H_

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "util/files/new_file.h"
#include "util/run/cancellation.h"
#include "util/run/progress.h"

namespace tfprof::util {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void Write(std::string_view bytes) = 0;
  // Reports that `share` of the work, 0 to 1, has been written. Call it about
  // every 64 KiB, not for each record.
  virtual void Reached(double share) { (void)share; }
  // False after a cancellation: further output is discarded.
  virtual bool wanted() const { return true; }
};

class StringSink : public Sink {
 public:
  void Write(std::string_view bytes) override { text_ += bytes; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class NullSink : public Sink {
 public:
  void Write(std::string_view) override {}
};

// The progress of writing one or several files.
struct WriteProgress {
  // The bytes written so far. The total is extrapolated from the last report,
  // and is 0 before the first one.
  Progress bytes;
  // The share of all work that the next file covers.
  double begin = 0, end = 1;
};

// Options for writing a file. Both may be null and must outlive the sink.
struct FileOptions {
  WriteProgress* progress = nullptr;
  const Cancellation* cancellation = nullptr;
};

class FileSink : public Sink {
 public:
  static absl::StatusOr<std::unique_ptr<FileSink>> Create(
      const std::string& path, const FileOptions& options = {});
  ~FileSink() override;  // discards the output unless it was committed

  void Write(std::string_view bytes) override;
  void Reached(double share) override;
  bool wanted() const override { return !IsCancelled(options_.cancellation); }
  absl::Status Commit();

 private:
  FileSink(std::string path, std::unique_ptr<NewFile> made, FILE* file,
           const FileOptions& options);

  std::string path_;
  std::unique_ptr<NewFile> made_;
  std::unique_ptr<char[]> buffer_;
  FILE* file_;
  FileOptions options_;
  int error_ = 0;  // errno of the first failure
};

// Writes a file completely. If `write` or the disk fails, it writes nothing.
absl::Status WriteFile(const std::string& path,
                       const std::function<absl::Status(Sink&)>& write,
                       const FileOptions& options = {});
absl::Status WriteFile(const std::string& path, std::string_view bytes,
                       const FileOptions& options = {});

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_FILES_SINK_H_

// Sink: where an exporter's bytes go.
//
// A file is written without a name in its folder and gets it from Commit(), so
// that a full disk or a Ctrl-C leaves the old file or none, and nothing beside
// it. Where a folder cannot have nameless files it is written under a temporary
// name, which a killed program leaves behind. What is no regular file
// (/dev/null, a pipe) is written in place. Errors carry the path that was asked
// for: "NOT_FOUND: dir/x; No such file or directory". After an error a sink
// ignores what else is written. After a cancellation (util/cancellation.h) a
// file drops what is written, and WriteFile leaves no file and returns
// CANCELLED.
//
// A writer of much data says now and then how much of it is done (Reached), and
// a file that was given a WriteProgress adds it up for a person who waits. It
// also asks now and then whether the rest is still wanted.

#ifndef TFPROF_UTIL_SINK_H_
#define TFPROF_UTIL_SINK_H_

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "util/cancellation.h"
#include "util/progress.h"

namespace tfprof {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void Write(std::string_view bytes) = 0;
  // `share` of the work, 0 to 1, is in what was written so far. For each some
  // 64 KiB, not for each record.
  virtual void Reached(double share) { (void)share; }
  // False: what else is written goes nowhere, because the one who asked has
  // cancelled.
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

// How far the writing of one or several files is.
struct WriteProgress {
  // Written so far; the total is what they come to at this rate, 0 before
  // anybody said how far they are.
  Progress bytes;
  // The part of all work that the next file is.
  double begin = 0, end = 1;
};

// What a file is written with; both may be null and must outlive the sink.
struct FileOptions {
  WriteProgress* progress = nullptr;
  const Cancellation* cancellation = nullptr;
};

class FileSink : public Sink {
 public:
  static absl::StatusOr<std::unique_ptr<FileSink>> Create(
      const std::string& path, const FileOptions& options = {});
  ~FileSink() override;  // discards what was not committed

  void Write(std::string_view bytes) override;
  void Reached(double share) override;
  bool wanted() const override { return !IsCancelled(options_.cancellation); }
  absl::Status Commit();

 private:
  FileSink(std::string path, std::string written_path, bool nameless,
           FILE* file, const FileOptions& options);

  std::string path_;
  std::string written_path_;  // == path_: in place
  bool nameless_;             // until it is committed
  std::unique_ptr<char[]> buffer_;
  FILE* file_;
  FileOptions options_;
  int error_ = 0;  // errno of the first failure
};

// Writes a file: all that `write` writes, or, if it or the disk fails, nothing.
absl::Status WriteFile(const std::string& path,
                       const std::function<absl::Status(Sink&)>& write,
                       const FileOptions& options = {});
absl::Status WriteFile(const std::string& path, std::string_view bytes,
                       const FileOptions& options = {});

}  // namespace tfprof

#endif  // TFPROF_UTIL_SINK_H_

// RecorderFile: the libraries of the recorder as files, for as long as a
// recording needs them.

#ifndef TFPROF_PROFILER_RECORD_RECORDER_FILE_H_
#define TFPROF_PROFILER_RECORD_RECORDER_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace tfprof::recording {

class RecorderFile {
 public:
  // The file is in a new folder below $TMPDIR or /tmp; if no program may be run
  // from there, below `folder`. Only the user may write to it. Removes there
  // what killed recordings have left.
  static absl::StatusOr<RecorderFile> Make(const std::string& folder);

  RecorderFile(RecorderFile&& other) noexcept;
  RecorderFile& operator=(RecorderFile&&) = delete;
  // Removes it.
  ~RecorderFile();

  // libtfprof_record.so.
  const std::string& path() const { return path_; }
  // The library that gives events to LTTng.
  const std::string& lttng_path() const { return lttng_path_; }
  // Processes that still run will load it again.
  void Keep() { folder_.clear(); }

 private:
  explicit RecorderFile(std::string folder);

  std::string folder_;  // empty: not to be removed
  std::string path_, lttng_path_;
  int lock_;  // while the recording runs (stale_recorders.h); -1: none
};

}  // namespace tfprof::recording

#endif  // TFPROF_PROFILER_RECORD_RECORDER_FILE_H_

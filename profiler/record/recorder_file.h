// RecorderFile: the library of the recorder as a file, for as long as a
// recording needs it.

#ifndef TFPROF_PROFILER_RECORD_RECORDER_FILE_H_
#define TFPROF_PROFILER_RECORD_RECORDER_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace tfprof {

class RecorderFile {
 public:
  // In a new folder below $TMPDIR or /tmp; if no program may be run from there,
  // below `folder`. Only the user may write to it.
  static absl::StatusOr<RecorderFile> Make(const std::string& folder);

  RecorderFile(RecorderFile&& other) noexcept;
  RecorderFile& operator=(RecorderFile&&) = delete;
  // Removes it.
  ~RecorderFile();

  const std::string& path() const { return path_; }
  // Processes that still run will load it again.
  void Keep() { folder_.clear(); }

 private:
  RecorderFile(std::string folder, std::string path);

  std::string folder_;  // empty: not to be removed
  std::string path_;
};

}  // namespace tfprof

#endif  // TFPROF_PROFILER_RECORD_RECORDER_FILE_H_

// Tells the files of a load apart: executions, and captures of their graphs.
//
// An engine writes a second trace while it captures its graphs (captures.h).
// It is of the same process as the trace of the run, but of another moment: it
// names the kernels of replays and has no time of its own. A file is one if
// calls in it begin and end a capture, and it has either an annotation
// "capture_N_MODE", or no steps of an engine and another file of the same rank
// is the execution. Of several such files of one rank without any execution,
// the first is the execution: some programs capture graphs while they run.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_CAPTURE_FILES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_CAPTURE_FILES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "loaders/chrome_json/kineto/scan.h"

namespace tfprof::kineto {

// What a file says of itself.
struct FileFacts {
  int64_t rank = -1;  // -1: not given
  bool has_capture = false;
  bool has_annotation = false;  // "capture_N_MODE"
  bool has_engine_steps = false;
};

FileFacts ReadFileFacts(const KinetoFile& file,
                        const profile::StringPool& strings);

// Returns for each file whether it has captures for others. At least one is an
// execution.
std::vector<bool> FindCaptureFiles(std::span<const FileFacts> files);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_CAPTURE_FILES_H_

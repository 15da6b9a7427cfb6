#include "loaders/core/registry.h"

#include "loaders/chrome_json/chrome/chrome_format.h"
#include "loaders/chrome_json/kineto/format.h"
#include "loaders/chrome_json/ort/ort_format.h"
#include "loaders/counters/format.h"
#include "loaders/ctf/format.h"
#include "loaders/flight_recorder/format.h"
#include "loaders/memory_snapshot/format.h"
#include "loaders/onnx/format.h"
#include "loaders/perfetto/format.h"
#include "loaders/pprof/format.h"
#include "loaders/rocprof/format.h"
#include "loaders/saved_trace/format.h"
#include "loaders/session/format.h"
#include "loaders/sqlite/format.h"
#include "loaders/tensorflow/checkpoint/format.h"
#include "loaders/tensorflow/graph_def/format.h"
#include "loaders/tensorflow/op_log/format.h"
#include "loaders/tensorflow/pickle/format.h"
#include "loaders/tensorflow/profile_proto/format.h"
#include "loaders/tensorflow/run_metadata/format.h"
#include "loaders/torch_compile/format.h"
#include "loaders/xplane/format.h"

namespace tfprof::loaders {

FormatRegistry Formats() {
  static constexpr const Format* kFormats[] = {
      &tensorflow::kProfileProtoFormat,
      &tensorflow::kGraphDefFormat,
      &tensorflow::kRunMetadataFormat,
      &tensorflow::kOpLogFormat,
      &tensorflow::kCheckpointFormat,
      &xplane::kXPlaneFormat,
      &kineto::kKinetoFormat,
      &chrome_json::kOrtFormat,
      &sqlite::kSqliteFormat,
      &rocprof::kRocprofFormat,
      &onnx::kOnnxFormat,
      &pprof::kPprofFormat,
      &chrome_json::kChromeFormat,
      &perfetto::kPerfettoFormat,
      &saved_trace::kSavedTraceFormat,
      // Before other pickles.
      &flight_recorder::kFlightRecorderFormat,
      &memory_snapshot::kMemorySnapshotFormat,
      &tensorflow::kPickleFormat,
      &ctf::kCtfFormat,
      &counters::kCountersFormat,
      &session::kSessionFormat,
      &torch_compile::kCompileLogFormat,
  };
  return kFormats;
}

}  // namespace tfprof::loaders

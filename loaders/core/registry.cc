#include "loaders/core/registry.h"

#include "loaders/chrome_json/chrome/chrome_format.h"
#include "loaders/chrome_json/kineto/format.h"
#include "loaders/chrome_json/ort/ort_format.h"
#include "loaders/counters/format.h"
#include "loaders/ctf/format.h"
#include "loaders/onnx/format.h"
#include "loaders/pprof/format.h"
#include "loaders/session/format.h"
#include "loaders/tensorflow/checkpoint/format.h"
#include "loaders/tensorflow/graph_def/format.h"
#include "loaders/tensorflow/op_log/format.h"
#include "loaders/tensorflow/pickle/format.h"
#include "loaders/tensorflow/profile_proto/format.h"
#include "loaders/tensorflow/run_metadata/format.h"
#include "loaders/trace_profile/format.h"
#include "loaders/xplane/format.h"

namespace tfprof {

FormatRegistry Formats() {
  static constexpr const Format* kFormats[] = {
      &kProfileProtoFormat, &kGraphDefFormat,   &kRunMetadataFormat,
      &kOpLogFormat,        &kCheckpointFormat, &kXPlaneFormat,
      &kKinetoFormat,       &kOrtFormat,        &kOnnxFormat,
      &kPprofFormat,        &kChromeFormat,     &kTraceProfileFormat,
      &kPickleFormat,       &kCtfFormat,        &kCountersFormat,
      &kSessionFormat,
  };
  return kFormats;
}

}  // namespace tfprof

#include "loaders/registry.h"

#include "loaders/chrome_json/kineto/format.h"
#include "loaders/tensorflow/checkpoint/format.h"
#include "loaders/tensorflow/graph_def/format.h"
#include "loaders/tensorflow/op_log/format.h"
#include "loaders/tensorflow/profile_proto/format.h"
#include "loaders/tensorflow/run_metadata/format.h"

namespace tfprof {

FormatRegistry Formats() {
  static constexpr const Format* kFormats[] = {
      &kProfileProtoFormat, &kGraphDefFormat,   &kRunMetadataFormat,
      &kOpLogFormat,        &kCheckpointFormat, &kKinetoFormat,
  };
  return kFormats;
}

}  // namespace tfprof

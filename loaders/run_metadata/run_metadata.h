// Loads a binary RunMetadata: what one step executed, where, when, and with
// how much memory.
//
// Known nodes get executions; unknown names become nodes whose op is their
// name, except RecvTensor, _SOURCE and MEMCPY… , whose executions are kept
// outside the accounting. The microsecond fields are read, the nanosecond ones
// are not (the reference sums microseconds). Behaviour: reference spec 2.2,
// 3.4 to 3.6.

#ifndef TFPROF_LOADERS_RUN_METADATA_RUN_METADATA_H_
#define TFPROF_LOADERS_RUN_METADATA_RUN_METADATA_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "loaders/load_context.h"

namespace tfprof {

// Adds the file to `step`; a step that exists accumulates.
absl::Status LoadRunMetadata(std::shared_ptr<const InputFile> file,
                             int64_t step, LoadContext& context);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_RUN_METADATA_RUN_METADATA_H_

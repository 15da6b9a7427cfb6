// Loads a trace that tfprof saved (exporters/formats/saved_trace.h,
// fields.h).
//
// The result equals the profile that was saved: ids of nodes, rows of
// executions, sums. Texts and arguments stay in the file.

#ifndef TFPROF_LOADERS_SAVED_TRACE_SAVED_TRACE_H_
#define TFPROF_LOADERS_SAVED_TRACE_SAVED_TRACE_H_

#include <memory>

#include "absl/status/status.h"
#include "loaders/core/load_context.h"

namespace tfprof::saved_trace {

// InvalidArgument: not such a file, or another version. DataLoss: the file is
// damaged; a saved file is read as a whole or not at all.
absl::Status LoadSavedTrace(std::shared_ptr<const loaders::InputFile> file,
                            loaders::LoadContext& context);

}  // namespace tfprof::saved_trace

#endif  // TFPROF_LOADERS_SAVED_TRACE_SAVED_TRACE_H_

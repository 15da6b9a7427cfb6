// The row of saved traces in the registry of input formats.

#ifndef TFPROF_LOADERS_SAVED_TRACE_FORMAT_H_
#define TFPROF_LOADERS_SAVED_TRACE_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::saved_trace {

extern const loaders::Format kSavedTraceFormat;

}  // namespace tfprof::saved_trace

#endif  // TFPROF_LOADERS_SAVED_TRACE_FORMAT_H_

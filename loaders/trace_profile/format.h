// The row of saved traces in the registry of input formats.

#ifndef TFPROF_LOADERS_TRACE_PROFILE_FORMAT_H_
#define TFPROF_LOADERS_TRACE_PROFILE_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof {

extern const Format kTraceProfileFormat;

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TRACE_PROFILE_FORMAT_H_

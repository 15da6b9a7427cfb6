// The row of kernel counters in the registry of input formats.

#ifndef TFPROF_LOADERS_COUNTERS_FORMAT_H_
#define TFPROF_LOADERS_COUNTERS_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::counters {

extern const loaders::Format kCountersFormat;

}  // namespace tfprof::counters

#endif  // TFPROF_LOADERS_COUNTERS_FORMAT_H_

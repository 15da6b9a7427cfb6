// The row of pprof files in the registry of input formats.

#ifndef TFPROF_LOADERS_PPROF_FORMAT_H_
#define TFPROF_LOADERS_PPROF_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof {

extern const Format kPprofFormat;

}  // namespace tfprof

#endif  // TFPROF_LOADERS_PPROF_FORMAT_H_

// The row of pprof files in the registry of input formats.

#ifndef TFPROF_LOADERS_PPROF_FORMAT_H_
#define TFPROF_LOADERS_PPROF_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::pprof {

extern const loaders::Format kPprofFormat;

}  // namespace tfprof::pprof

#endif  // TFPROF_LOADERS_PPROF_FORMAT_H_

// The row of Perfetto traces in the registry.

#ifndef TFPROF_LOADERS_PERFETTO_FORMAT_H_
#define TFPROF_LOADERS_PERFETTO_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::perfetto {

extern const loaders::Format kPerfettoFormat;

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_FORMAT_H_

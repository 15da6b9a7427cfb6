// The row of rocprofv3's JSON and CSV in the registry of input formats. Its
// databases are SQLite files (loaders/sqlite/format.h).

#ifndef TFPROF_LOADERS_ROCPROF_FORMAT_H_
#define TFPROF_LOADERS_ROCPROF_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::rocprof {

extern const loaders::Format kRocprofFormat;

}  // namespace tfprof::rocprof

#endif  // TFPROF_LOADERS_ROCPROF_FORMAT_H_

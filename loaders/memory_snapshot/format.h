// The row of memory snapshots of PyTorch in the registry of input formats.

#ifndef TFPROF_LOADERS_MEMORY_SNAPSHOT_FORMAT_H_
#define TFPROF_LOADERS_MEMORY_SNAPSHOT_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::memory_snapshot {

// Several snapshots of one load are those of several processes.
extern const loaders::Format kMemorySnapshotFormat;

}  // namespace tfprof::memory_snapshot

#endif  // TFPROF_LOADERS_MEMORY_SNAPSHOT_FORMAT_H_

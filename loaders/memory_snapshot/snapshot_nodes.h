// Adds the owners of an allocator's memory to a profile, as operations, so that
// the views show them.
//
// A node is a stack and an operator. Without an operator, the operation is its
// innermost function that is not of the allocator itself. Its step has the
// bytes that it allocated (requested), that it held at the peak of its device
// (peak), and that it still held at the end (residual). It runs once for each
// allocation. Nothing has a time.

#ifndef TFPROF_LOADERS_MEMORY_SNAPSHOT_SNAPSHOT_NODES_H_
#define TFPROF_LOADERS_MEMORY_SNAPSHOT_SNAPSHOT_NODES_H_

#include "loaders/core/load_context.h"
#include "profile/tables/allocators.h"

namespace tfprof::memory_snapshot {

void AddSnapshotNodes(const profile::Allocators& allocators,
                      loaders::LoadContext& context);

}  // namespace tfprof::memory_snapshot

#endif  // TFPROF_LOADERS_MEMORY_SNAPSHOT_SNAPSHOT_NODES_H_

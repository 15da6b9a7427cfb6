// MemoryMap: the memory of one allocator as data for a picture: its owners over
// time (`memory -part map`), and its segments with their blocks at the end
// (`memory -part blocks`).
//
//   absl::StatusOr<tables::DataDocument> document =
//       MemoryMapDocument(views, step, "gpu:0", request);
//
// Memory snapshots have owners and segments. Of other files, the map has the
// level of one allocator (memory.h) without owners: all of it is `other`, and
// its moments are samples. The fact `missing` says so.
//
// `name` selects the allocator as in `memory`; "": the one with the largest
// peak. Sizes are bytes and times microseconds since the first event. The
// documents own their data. FailedPrecondition: the profile has no memory, or
// no segments; NotFound: no such allocator; InvalidArgument: the window is
// outside of the recording.

#ifndef TFPROF_INSPECT_DEVICES_MEMORY_MAP_H_
#define TFPROF_INSPECT_DEVICES_MEMORY_MAP_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "inspect/devices/allocator_map.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// The tables allocators (all that `name` could select), layers, points,
// allocations and failures. `step` only matters without a snapshot.
absl::StatusOr<tables::DataDocument> MemoryMapDocument(
    views::Views& views, int64_t step, std::string_view name,
    const MapRequest& request);

// The tables segments and blocks. The blocks of a segment cover it; together
// they are the reserved memory.
absl::StatusOr<tables::DataDocument> MemoryBlocksDocument(
    views::Views& views, std::string_view name);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_MEMORY_MAP_H_

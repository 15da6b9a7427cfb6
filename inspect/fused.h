// Fused: what a fusion of XLA was made of, with its time divided among the
// instructions. A device runs a fusion as one kernel: these times are estimates
// and say so.

#ifndef TFPROF_INSPECT_FUSED_H_
#define TFPROF_INSPECT_FUSED_H_

#include <cstddef>
#include <cstdint>

#include "profile/profile.h"
#include "tables/data_table.h"

namespace tfprof {

// A row for each fused instruction, those with most of the time first:
//
//   estimated_micros, share   of `time`, by cost (flops/fusion_parts.h)
//   float_ops, bytes_accessed of one run; none where the shapes give no figure
//   op, name                  the instruction
//
// The column estimated_micros adds up to `time` (ticks of the profile) exactly.
// At most `max_rows` rows; 0: all. No rows: the node is no fusion, or the file
// does not have what was fused.
DataTable FusedTable(const Profile& profile, NodeId node, int64_t time,
                     size_t max_rows);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_FUSED_H_

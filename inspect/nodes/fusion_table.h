// Fused: the instructions of a fusion of XLA, with its time divided among them.
// A device runs a fusion as one kernel, so these times are estimates and are
// marked as such.

#ifndef TFPROF_INSPECT_NODES_FUSION_TABLE_H_
#define TFPROF_INSPECT_NODES_FUSION_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "profile/profile.h"
#include "tables/data_table.h"

namespace tfprof::inspect {

// One row for each fused instruction, the longest first:
//
//   estimated_micros, share   of `time`, by cost (flops/fusion_parts.h)
//   float_ops, bytes_accessed of one run; missing if shapes are unknown
//   op, name                  the instruction
//
// The column estimated_micros adds up to `time` (ticks of the profile) exactly.
// The table has at most `max_rows` rows; 0: all. It is empty if the node is no
// fusion, or if the file lacks the fused instructions.
tables::DataTable FusedTable(const profile::Profile& profile,
                             profile::NodeId node, int64_t time,
                             size_t max_rows);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_FUSION_TABLE_H_

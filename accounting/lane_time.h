// The kind of time that the executions on a lane count as in the sums of a
// step.
//
// tfprof_rules.h decides by the name of the device, self_time_rules.h by the
// kind of the lane. Code that shows what a single execution adds to the sums
// asks here, too.

#ifndef TFPROF_ACCOUNTING_LANE_TIME_H_
#define TFPROF_ACCOUNTING_LANE_TIME_H_

#include <cstdint>

#include "profile/profile.h"

namespace tfprof::accounting {

enum class TimeKind : uint8_t { kNothing, kAccelerator, kCpu };

// By the reference's rules.
TimeKind TimeKindOf(const profile::Device& device);
// By the rules of traces whose executions nest.
TimeKind TimeKindOf(profile::LaneKind kind);
// By the rules of a profile (GraphTables::self_times). kNothing for kNone.
TimeKind TimeKindOf(const profile::GraphTables& graph, profile::LaneId lane);

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_LANE_TIME_H_

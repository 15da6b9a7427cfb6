// FusionParts: the instructions inside an HLO fusion, with the fusion's time
// divided among them.
//
// A device runs a fusion as one kernel, so its instructions cannot be measured.
// Their times are estimated: the fusion's time is divided in proportion to the
// instructions' costs, where a cost is the float operations plus the bytes
// (hlo_cost.h), one unit each. If no instruction has a cost, all get the same
// share. Parameters are the operands of the fusion, not instructions of it.
// Computations that an instruction calls for each element, such as in a
// reduction, are part of that instruction.

#ifndef TFPROF_FLOPS_FUSION_PARTS_H_
#define TFPROF_FLOPS_FUSION_PARTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "profile/profile.h"

namespace tfprof::flops {

struct FusionPart {
  profile::NodeId node = profile::kNone;
  // Not negative. Both are 0 if the shapes give no number.
  int64_t flops = 0;
  int64_t bytes = 0;
};

// Returns the parts in program order. Empty if the node is not a fusion, or if
// the fused computation is not in the file or has more than 100,000
// instructions.
std::vector<FusionPart> FusionParts(const profile::Profile& profile,
                                    profile::NodeId fusion);

// Divides `time` among the parts, in their order, by the rule above. The sum is
// exactly `time`: the ticks lost by rounding down go to the parts with the
// largest remainders, one tick each. A negative time, which only an overflowed
// sum has, goes to the first part.
std::vector<int64_t> DivideTime(int64_t time,
                                std::span<const FusionPart> parts);

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_FUSION_PARTS_H_

// FusionParts: the instructions that an HLO fusion was made of, and its time
// divided among them.
//
// A device runs a fusion as one kernel, so nobody measures its instructions.
// Their times are estimated: each has the share of the fusion's time that its
// cost has of all costs, where the cost of an instruction is its float
// operations plus its bytes (hlo_cost.h), one unit each. If no instruction has
// a cost, all have the same share. Parameters are the operands of the fusion,
// and are no instructions of it; computations that an instruction calls for
// each element, as a reduction does, are part of that instruction.

#ifndef TFPROF_FLOPS_FUSION_PARTS_H_
#define TFPROF_FLOPS_FUSION_PARTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "profile/profile.h"

namespace tfprof {

struct FusionPart {
  NodeId node = kNone;
  // Not negative. 0 of both: the shapes give no figure.
  int64_t flops = 0;
  int64_t bytes = 0;
};

// In the order of the program. Empty: the node is no fusion, the file does not
// have what was fused, or that is more than 100,000 instructions.
std::vector<FusionPart> FusionParts(const Profile& profile, NodeId fusion);

// `time` divided among the parts, in their order, by the rule above. The sum is
// `time` exactly: what rounding down leaves goes to the parts with the largest
// remainders, one tick each. A negative time, which only sums that overflowed
// have, goes to the first part.
std::vector<int64_t> DivideTime(int64_t time,
                                std::span<const FusionPart> parts);

}  // namespace tfprof

#endif  // TFPROF_FLOPS_FUSION_PARTS_H_

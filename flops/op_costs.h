// OpCosts: the float operations and bytes of all operations of a trace, by the
// type of the operation, with the time they took.
//
// A figure of an operation is, in this order:
//   1. the file's own figure of its node (NodeTable::FloatOps, and the argument
//      "bytes_accessed" of its executions, which XPlane has), for each run
//   2. for PyTorch, a formula over the shapes of each execution (torch_cost.h)
//   3. for HLO, a formula over the shapes in the program (hlo_cost.h)
// Operations that only call others with formulas have no figure, so that
// nothing counts twice.
//
// The time is that of the accelerators, or, in a profile without them, that of
// the CPUs. Ticks of the profile. Reading the shapes takes some microseconds
// for each execution of an operation that has a formula.

#ifndef TFPROF_FLOPS_OP_COSTS_H_
#define TFPROF_FLOPS_OP_COSTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "profile/profile.h"

namespace tfprof {

struct OpCostSum {
  StringId op = kNone;
  int64_t time = 0;
  int64_t runs = 0;
  int64_t flops = 0;
  int64_t bytes = 0;
  int64_t known_runs = 0;    // those that have figures
  int64_t unknown_runs = 0;  // those that have a formula, but no usable shapes
  bool has_bytes = false;
  // Of `flops`: with operands of 32 bits.
  int64_t fp32_flops = 0;
};

struct OpCosts {
  std::vector<OpCostSum> ops;  // by time, the largest first
  int64_t time = 0;
  int64_t flops = 0;
};

// Of these steps together.
OpCosts ComputeOpCosts(const Profile& profile,
                       std::span<const Step* const> steps);

}  // namespace tfprof

#endif  // TFPROF_FLOPS_OP_COSTS_H_

// OpCosts: the float operations, bytes and time of all operations in a trace,
// by operation type.
//
// The cost of an operation comes from the first of these that exists:
//   1. the file's own numbers for its node (NodeTable::FloatOps, and the
//      argument "bytes_accessed" of its executions, which XPlane has), per run
//   2. for PyTorch, a formula over the shapes of each execution (torch_cost.h)
//   3. for HLO, a formula over the shapes in the program (hlo_cost.h)
// Operations that only call others with formulas have no cost, so that nothing
// counts twice.
//
// The time is accelerator time, or CPU time in a profile without accelerators,
// in ticks of the profile. Reading the shapes takes some microseconds for each
// execution of an operation with a formula.

#ifndef TFPROF_FLOPS_OP_COSTS_H_
#define TFPROF_FLOPS_OP_COSTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "profile/profile.h"
#include "util/run/task_options.h"

namespace tfprof::flops {

struct Cost {
  int64_t time = 0;
  int64_t flops = 0;
  int64_t bytes = 0;
  // The part of `flops` with 32-bit operands.
  int64_t fp32_flops = 0;
};

// The figures of all runs of an operation.
struct OpCostSum : Cost {
  profile::StringId op = profile::kNone;
  int64_t runs = 0;
  int64_t known_runs = 0;  // runs with a cost
  // Runs with a formula, but without usable shapes. Kernels of a replayed graph
  // are such runs: the host calls nothing while they run.
  int64_t unknown_runs = 0;
  bool has_bytes = false;
  // Those of the nodes of which every run has a cost. Rates come from these:
  // the time of other runs has no float operations to be divided by.
  Cost rated;
};

struct OpCosts {
  std::vector<OpCostSum> ops;  // by descending time
  int64_t time = 0;
  int64_t flops = 0;
  std::vector<int64_t> flops_of_step;  // by the steps that were asked for
};

// Computes the sums over these steps. Partial after a cancellation.
OpCosts ComputeOpCosts(const profile::Profile& profile,
                       std::span<const profile::Step* const> steps,
                       const util::TaskOptions& work = {});

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_OP_COSTS_H_

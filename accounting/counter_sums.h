// CounterSums: sums and means of kernel counters
// (profile/tables/kernel_counters.h) for each op, in one step, in all steps, or
// in the average of the steps.
//
//   const CounterSums sums(profile, step);
//   CounterSums::Row row = sums.NoRow();
//   sums.Add(node, row);
//   sums.Cell(row, counter)    // nullopt: nothing was counted
//
// A counter of kind kSum has the sum over the kernels; in the average, this sum
// is divided by the number of steps in which the op has kernels. A kMean
// counter has the mean over the kernels, whatever the step. So rows of several
// ops can be added.

#ifndef TFPROF_ACCOUNTING_COUNTER_SUMS_H_
#define TFPROF_ACCOUNTING_COUNTER_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/profile.h"

namespace tfprof::accounting {

class CounterSums {
 public:
  struct Sum {
    double total = 0;
    int64_t kernels = 0;  // kernels with a value
  };
  using Row = std::vector<Sum>;  // indexed by counter

  // `step` has the same meaning as in ComputeNodeStats().
  CounterSums(const profile::Profile& profile, int64_t step);

  bool empty() const { return counters_.counters.empty(); }
  size_t num_counters() const { return counters_.counters.size(); }
  Row NoRow() const { return Row(num_counters()); }

  // Adds the sums of a node to `row`.
  void Add(profile::NodeId node, Row& row) const;
  static void Add(const Row& added, Row& row);
  // Adds one kernel to `row`, which must not be an average.
  void AddKernel(size_t kernel, Row& row) const;

  std::optional<double> Cell(const Row& row, size_t counter) const;

 private:
  const profile::KernelCounters& counters_;
  absl::flat_hash_map<profile::NodeId, Row> of_node_;
};

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_COUNTER_SUMS_H_

#include "accounting/counter_sums.h"

#include <cmath>
#include <map>

#include "accounting/node_stats.h"

namespace tfprof::accounting {

CounterSums::CounterSums(const profile::Profile& profile, int64_t step)
    : counters_(profile.kernel_counters()) {
  if (empty()) return;
  const bool average = CanonicalStep(step) == kAverageOfSteps;
  // Most inputs group the kernels of a node by step.
  absl::flat_hash_map<profile::NodeId, std::map<int64_t, bool>> steps_of;
  for (size_t k = 0; k < counters_.kernels.size(); ++k) {
    const profile::KernelCounters::Kernel& kernel = counters_.kernels[k];
    if (kernel.node == profile::kNone) continue;
    const profile::Step* of = profile.FindStep(kernel.step);
    if (average ? of == nullptr : step >= 0 && kernel.step != step) continue;
    Row& row = of_node_.try_emplace(kernel.node, NoRow()).first->second;
    AddKernel(k, row);
    if (average) steps_of[kernel.node][kernel.step] = true;
  }
  for (const auto& [node, steps] : steps_of) {
    Row& row = of_node_.find(node)->second;
    for (size_t c = 0; c < num_counters(); ++c) {
      if (counters_.counters[c].kind == profile::KernelCounters::Kind::kSum) {
        row[c].total /= static_cast<double>(steps.size());
      }
    }
  }
}

void CounterSums::Add(profile::NodeId node, Row& row) const {
  const auto it = of_node_.find(node);
  if (it != of_node_.end()) Add(it->second, row);
}

void CounterSums::Add(const Row& added, Row& row) {
  for (size_t c = 0; c < row.size(); ++c) {
    row[c].total += added[c].total;
    row[c].kernels += added[c].kernels;
  }
}

void CounterSums::AddKernel(size_t kernel, Row& row) const {
  const auto values = counters_.ValuesOf(kernel);
  for (size_t c = 0; c < values.size(); ++c) {
    if (std::isnan(values[c])) continue;
    row[c].total += values[c];
    ++row[c].kernels;
  }
}

std::optional<double> CounterSums::Cell(const Row& row, size_t counter) const {
  const Sum& sum = row[counter];
  if (sum.kernels == 0) return std::nullopt;
  return counters_.counters[counter].kind ==
                 profile::KernelCounters::Kind::kMean
             ? sum.total / static_cast<double>(sum.kernels)
             : sum.total;
}

}  // namespace tfprof::accounting

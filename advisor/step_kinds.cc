#include "advisor/step_kinds.h"

#include <algorithm>

#include "util/arithmetic.h"

namespace tfprof::advisor {

double NodesInCommon(const profile::Step& a, const profile::Step& b) {
  size_t both = 0;
  for (size_t i = 0, k = 0; i < a.num_groups() && k < b.num_groups();) {
    const int64_t x = a.node[i], y = b.node[k];
    both += x == y;
    i += x <= y;
    k += y <= x;
  }
  const size_t either = a.num_groups() + b.num_groups() - both;
  return either == 0 ? 0
                     : static_cast<double>(both) / static_cast<double>(either);
}

std::vector<const profile::Step*> StepsOfAKind(const profile::Profile& profile,
                                               double same_nodes) {
  std::vector<const profile::Step*> ran;
  for (const auto& step : profile.steps()) {
    if (step->listed && step->num_executions() > 0) ran.push_back(step.get());
  }
  if (ran.empty()) return ran;
  std::vector<const profile::Step*> by_size = ran;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const profile::Step* a, const profile::Step* b) {
                     return a->num_groups() < b->num_groups();
                   });
  const profile::Step& typical = *by_size[by_size.size() / 2];
  std::erase_if(ran, [&](const profile::Step* step) {
    return NodesInCommon(*step, typical) < same_nodes;
  });
  return ran;
}

NodeDifference LargestDifference(const profile::Profile& profile,
                                 const profile::Step& slow,
                                 const profile::Step& usual) {
  NodeDifference most, on_accelerator;
  for (size_t i = 0, k = 0; i < slow.num_groups(); ++i) {
    const int64_t node = slow.node[i];
    while (k < usual.num_groups() && usual.node[k] < node) ++k;
    int64_t ticks = slow.sums.Time(i);
    int64_t accelerator = slow.sums.accelerator_time[i];
    if (k < usual.num_groups() && usual.node[k] == node) {
      ticks = util::WrapSub(ticks, usual.sums.Time(k));
      accelerator = util::WrapSub(accelerator, usual.sums.accelerator_time[k]);
    }
    const auto keep = [&](int64_t more, NodeDifference& largest) {
      const int64_t micros = profile.Micros(more);
      if (micros > largest.micros) {
        largest = {micros, static_cast<profile::NodeId>(node)};
      }
    };
    keep(ticks, most);
    keep(accelerator, on_accelerator);
  }
  return on_accelerator.micros >= most.micros / 2 && on_accelerator.micros > 0
             ? on_accelerator
             : most;
}

}  // namespace tfprof::advisor

#include "inspect/devices/memory.h"

#include <algorithm>
#include <map>
#include <utility>

#include "accounting/counter_levels.h"
#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "inspect/devices/device_words.h"
#include "inspect/devices/memory_chart.h"
#include "inspect/steps/step_memory.h"
#include "util/text/name_match.h"
#include "util/text/nearest.h"

namespace tfprof::inspect {
namespace {

constexpr char kNothing[] =
    "no memory was recorded: no level of an allocator, no counter in bytes, no "
    "bytes of operations. To record it: PyTorch with "
    "profile(profile_memory=True), or a memory snapshot; TensorFlow 1 with "
    "RunOptions.FULL_TRACE; "
    "TensorFlow 2 and JAX record the allocators of their GPUs in XPlane files";

// The number of operations that are listed.
constexpr size_t kOperations = 20;

// Adds the operations with the largest own peak in one run.
void AddOperations(const profile::Profile& profile,
                   const std::vector<const profile::Step*>& steps,
                   MemoryChart& chart) {
  std::map<profile::NodeId, int64_t> peaks;
  for (const profile::Step* step : steps) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const int64_t bytes = PeakOfRun(*step, g);
      if (bytes <= 0) continue;
      int64_t& peak = peaks[static_cast<profile::NodeId>(step->node[g])];
      peak = std::max(peak, bytes);
    }
  }
  chart.num_operations = peaks.size();
  std::vector<std::pair<int64_t, profile::NodeId>> order;
  for (const auto& [node, bytes] : peaks) order.emplace_back(-bytes, node);
  const size_t shown = std::min(order.size(), kOperations);
  std::partial_sort(order.begin(), order.begin() + static_cast<long>(shown),
                    order.end());
  for (size_t i = 0; i < shown; ++i) {
    chart.operations.push_back(
        {std::string(profile.node_name(order[i].second)), -order[i].first});
  }
}

}  // namespace

absl::StatusOr<MemoryChart> MakeMemoryChart(views::Views& views, int64_t step,
                                            std::string_view name) {
  const profile::Profile& profile = views.profile();
  std::vector<const profile::Step*> steps;
  const profile::Step* one = nullptr;
  for (const auto& s : profile.steps()) {
    if (!s->listed || (step >= 0 && s->id != step)) continue;
    steps.push_back(s.get());
    if (step >= 0) one = s.get();
  }
  MemoryChart chart;
  chart.ticks_per_micro = profile.ticks_per_micro();
  chart.step = one == nullptr ? accounting::kAllSteps : one->id;
  AddAllocators(views, steps, chart);
  AddCounterLevels(views, one, chart);
  AddSnapshots(profile, chart);
  // In a snapshot, an operation is a stack: the holders show it.
  if (!chart.is_snapshot) AddOperations(profile, steps, chart);
  // The levels of a snapshot belong together, and are sorted by device.
  if (!chart.is_snapshot) {
    std::stable_sort(
        chart.series.begin(), chart.series.end(),
        [](const MemoryChart::Series& a, const MemoryChart::Series& b) {
          const bool a_reserved = accounting::IsReserved(a.name);
          const bool b_reserved = accounting::IsReserved(b.name);
          return a_reserved == b_reserved ? a.peak > b.peak : b_reserved;
        });
  }
  if (chart.series.empty() && chart.operations.empty() && !chart.is_snapshot) {
    return absl::FailedPreconditionError(kNothing);
  }
  if (name.empty()) return chart;
  std::vector<std::string> names;
  for (const MemoryChart::Series& series : chart.series)
    names.push_back(series.name);
  const auto is_other = [&](const auto& named) {
    return !named.name.starts_with(name) &&
           !util::NameMatches(named.name, name) &&
           !IsDeviceMeant(named.name, name);
  };
  std::erase_if(chart.series, is_other);
  std::erase_if(chart.allocators, is_other);
  if (chart.series.empty()) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    return absl::NotFoundError(
        fmt::format("no allocator {}{}", name, util::NearHint(name, known)));
  }
  return chart;
}

}  // namespace tfprof::inspect

#include "advisor/step_shares.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/percent.h"

namespace tfprof {

void StepShare::Add(const Step& step, int64_t step_span, int64_t step_micros) {
  ++steps;
  span = WrapAdd(span, step_span);
  micros = WrapAdd(micros, step_micros);
  const double share =
      static_cast<double>(step_micros) / static_cast<double>(step_span);
  if (share > worst_share) {
    worst_share = share;
    worst_step = step.id;
  }
}

std::string StepShare::Text() const {
  return fmt::format("{} of {} ({} of {})", Percent(micros, span),
                     steps == 1 ? "the step" : fmt::format("{} steps", steps),
                     FormatMicros(micros_per_step()),
                     FormatMicros(span / steps));
}

Finding StepShare::MakeFinding(std::string_view rule, double threshold) const {
  Finding finding;
  finding.rule = rule;
  finding.severity = share() >= 0.5 ? Finding::Severity::kCritical
                                    : Finding::Severity::kWarning;
  finding.value = share();
  finding.threshold = threshold;
  finding.saving_micros = micros_per_step();
  return finding;
}

void ForEachTask(
    Views& views, double min_step,
    const std::function<void(const Step&, const TaskActivity&)>& visit) {
  Activities& activities = views.Kept<Activities>();
  for (const auto& step : views.profile().steps()) {
    if (!step->listed || step->aggregated) continue;
    const auto activity = activities.Of(*step);
    for (const TaskActivity& task : activity->tasks) {
      if (static_cast<double>(task.span) >= min_step) visit(*step, task);
    }
  }
}

void NoteMissing(Views& views, std::string_view checker, bool needs_kernels,
                 std::vector<std::string>& notes) {
  for (const auto& step : views.profile().steps()) {
    if (!step->listed || !step->aggregated) continue;
    notes.push_back(fmt::format(
        "Missing single executions, which --max_memory dropped. Skip {}",
        checker));
    return;
  }
  if (!needs_kernels) return;
  using Role = DeviceRoles::Role;
  const DeviceRoles& roles = views.Kept<Activities>().roles();
  bool has_gpu = false;
  for (DeviceId d = 0; d < views.profile().devices().size(); ++d) {
    const Role role = roles.role(d);
    if (role == Role::kKernels || role == Role::kStreamKernels) return;
    has_gpu |= role == Role::kLaunches;
  }
  if (has_gpu) {
    notes.push_back(
        fmt::format("Missing GPU stream records. Skip {}", checker));
  }
}

std::string TimelineCommand(int64_t step) {
  return fmt::format(
      "graph -step {} -max_depth 100000 -output timeline:outfile=timeline.json",
      step);
}

std::string NameAndOp(std::string_view name, std::string_view op) {
  return name == op ? std::string(name) : fmt::format("{} ({})", name, op);
}

std::string LargestText(const OpSums& sums, int64_t steps, bool micros) {
  constexpr size_t kLargest = 3;
  std::vector<std::pair<std::string_view, int64_t>> ops(sums.begin(),
                                                        sums.end());
  const size_t shown = std::min(ops.size(), kLargest);
  std::partial_sort(ops.begin(), ops.begin() + shown, ops.end(),
                    [](const auto& a, const auto& b) {
                      return a.second != b.second ? a.second > b.second
                                                  : a.first < b.first;
                    });
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const int64_t mean = ops[i].second / steps;
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", ops[i].first,
                        micros ? FormatMicros(mean) : FormatCount(mean));
  }
  return text;
}

}  // namespace tfprof

#include "advisor/step_shares.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/step_wall.h"
#include "util/arithmetic.h"
#include "util/text/kernel_names.h"
#include "util/text/percent.h"

namespace tfprof::advisor {

void StepShare::Add(const profile::Step& step, int64_t step_span,
                    int64_t step_micros) {
  ++steps;
  span = util::WrapAdd(span, step_span);
  micros = util::WrapAdd(micros, step_micros);
  const double share =
      static_cast<double>(step_micros) / static_cast<double>(step_span);
  if (share > worst_share) {
    worst_share = share;
    worst_step = step.id;
  }
}

std::string StepShare::Text() const {
  return fmt::format("{} of {} ({} of {})", util::Percent(micros, span),
                     steps == 1 ? "the step" : fmt::format("{} steps", steps),
                     tables::FormatMicros(micros_per_step()),
                     tables::FormatMicros(span / steps));
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

void ForEachProcess(views::Views& views, double min_step,
                    const std::function<void(const profile::Step&,
                                             const ProcessStep&)>& visit) {
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  const profile::LaneTable& lanes = views.profile().lanes();
  std::set<profile::ProcessId> single;  // processes that record ops one by one
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    if (!lanes[id].calls_nest &&
        lanes[id].kind != profile::LaneKind::kAnnotation) {
      single.insert(lanes[id].process);
    }
  }
  if (single.empty()) return;
  for (const auto& step : views.profile().steps()) {
    if (!step->listed || step->aggregated) continue;
    const auto activity = activities.Of(*step);
    std::map<profile::ProcessId, ProcessStep> processes;
    for (const timeline::DeviceActivity& device : activity->devices) {
      const timeline::LaneUnit& unit = activities.units()[device.unit];
      if (!single.contains(unit.process)) continue;
      ProcessStep& of = processes[unit.process];
      of.process = unit.process;
      of.ticks_per_micro = views.profile().ticks_per_micro();
      if (of.devices.empty()) {
        of.runs = timeline::StepWindow(activities, *step, device.unit);
        of.span = of.Micros(of.runs);
      }
      of.devices.push_back(&device);
    }
    for (const auto& [process, of] : processes) {
      if (of.span > 0 && static_cast<double>(of.span) >= min_step) {
        visit(*step, of);
      }
    }
  }
}

void ForEachOp(timeline::Activities& activities, const profile::Step& step,
               profile::ProcessId process,
               const std::function<void(const timeline::DeviceRun& run)>& use) {
  const auto add = [&](size_t e, profile::NodeId node) {
    const auto work = activities.SpanAt(step, e);
    if (!work || !work->is_run ||
        activities.units()[work->unit].process != process) {
      return;
    }
    const timeline::DeviceRun run = {.start = work->time.start,
                                     .end = work->time.end,
                                     .step = activities.PlaceOf(step),
                                     .record = static_cast<uint32_t>(e),
                                     .node = node,
                                     .lane = work->lane};
    const bool on_kernels = activities.profile().lanes()[work->lane].kind ==
                            profile::LaneKind::kKernels;
    if (!on_kernels && activities.KindOf(step, e, node, work->lane) ==
                           timeline::RunKind::kCompute) {
      use(run);
    }
  };
  for (size_t g = 0; g < step.num_groups() && step.num_executions() > 0; ++g) {
    for (size_t e = step.exec_begin(g); e < step.exec_end(g); ++e) {
      add(e, static_cast<profile::NodeId>(step.node[g]));
    }
  }
  for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
    add(e, profile::kNone);
  }
}

const std::string& ProcessTitle(const timeline::Activities& activities,
                                profile::ProcessId process) {
  static const std::string* const kNoName = new std::string();
  return process == profile::kNone
             ? *kNoName
             : activities.profile().lanes().process(process).name;
}

int64_t CountRuns(const timeline::DeviceActivity& device,
                  timeline::RunKind kind) {
  return std::count_if(
      device.runs.begin(), device.runs.end(),
      [kind](const timeline::DeviceRun& run) { return run.kind == kind; });
}

void NoteMissing(views::Views& views, std::string_view checker,
                 bool needs_kernels, std::vector<std::string>& notes) {
  for (const auto& step : views.profile().steps()) {
    if (!step->listed || !step->aggregated) continue;
    notes.push_back(fmt::format(
        "Missing single executions, which --max_memory dropped. Skip {}",
        checker));
    return;
  }
  if (!needs_kernels) return;
  const profile::LaneTable& lanes = views.profile().lanes();
  bool has_launches = false;
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    if (lanes[id].kind == profile::LaneKind::kKernels) return;
    has_launches |= lanes[id].kind == profile::LaneKind::kLaunches;
  }
  if (has_launches) {
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
  const std::string shown = util::ShortKernelName(name);
  return name == op ? shown
                    : fmt::format("{} ({})", shown, util::ShortKernelName(op));
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
    text += fmt::format(
        "{}{} {}", i == 0 ? "" : ", ", util::ShortKernelName(ops[i].first),
        micros ? tables::FormatMicros(mean) : tables::FormatCount(mean));
  }
  return text;
}

}  // namespace tfprof::advisor

#include "advisor/checkers/program/device_check.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "profile/steps/time_column.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/median.h"
#include "util/run/threads.h"
#include "util/text/kernel_names.h"
#include "util/text/percent.h"
#include "views/allocation_line.h"

namespace tfprof::advisor {

int64_t DeviceCheck::Ticks(double micros) const {
  return util::ToInteger(micros * static_cast<double>(ticks_per_micro));
}

std::string DeviceCheck::Time(int64_t ticks) const {
  return tables::FormatTime(ticks, ticks_per_micro);
}

int64_t DeviceCheck::MicrosPerStep(int64_t ticks) const {
  return profile::TicksToMicros(ticks, ticks_per_micro) / steps;
}

const timeline::Intervals* DeviceCheck::StepTime(
    const timeline::DeviceActivity& device) const {
  auto found = step_times.find(activities.units()[device.unit].process);
  if (found == step_times.end()) found = step_times.find(profile::kNone);
  return found == step_times.end() ? nullptr : &found->second;
}

int64_t DeviceCheck::InSteps(const timeline::DeviceActivity& device,
                             const timeline::Intervals& times) const {
  const timeline::Intervals* steps = StepTime(device);
  return timeline::Length(
      steps == nullptr ? times : timeline::Intersect(times, *steps));
}

bool DeviceCheck::IsInSteps(const timeline::DeviceActivity& device,
                            int64_t at) const {
  const timeline::Intervals* steps = StepTime(device);
  if (steps == nullptr) return true;
  const auto next =
      std::ranges::upper_bound(*steps, at, {}, &timeline::Interval::start);
  return next != steps->begin() && at < std::prev(next)->end;
}

int64_t DeviceCheck::Wall(const timeline::DeviceActivity& device) const {
  const timeline::Intervals* steps = StepTime(device);
  return std::max(timeline::Length(device.window),
                  steps == nullptr ? 0 : timeline::Length(*steps));
}

DeviceCheck OpenDevices(const CheckerInput& input) {
  const profile::Profile& profile = input.views.profile();
  timeline::Activities& activities = input.views.Kept<timeline::Activities>();
  int64_t steps = 0;
  std::map<profile::ProcessId, timeline::UnionOfMany> of_processes;
  for (const auto& step : profile.steps()) steps += step->listed;
  // Each process has its own steps, and perhaps its own clock.
  for (size_t row = 0; row < profile.step_intervals().size(); ++row) {
    const timeline::Interval time = activities.StepUntilDone(row);
    if (time.length() <= 0) continue;
    const auto process =
        static_cast<profile::ProcessId>(profile.step_intervals().process[row]);
    of_processes[process].Add({time});
    of_processes[profile::kNone].Add({time});
  }
  std::map<profile::ProcessId, timeline::Intervals> step_times;
  for (auto& [process, all] : of_processes) {
    step_times[process] = std::move(all).Take();
  }
  std::set<profile::ProcessId> with_single_ops;
  const profile::LaneTable& lanes = profile.lanes();
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    if (!lanes[id].calls_nest &&
        lanes[id].kind != profile::LaneKind::kAnnotation) {
      with_single_ops.insert(lanes[id].process);
    }
  }
  return {activities,
          input.views.work(),
          activities.Everything(),
          profile.ticks_per_micro(),
          std::max<int64_t>(steps, 1),
          std::move(with_single_ops),
          std::move(step_times)};
}

void AddOncePerJob(std::vector<RankFinding> findings, size_t num_ranks,
                   CheckResult& result) {
  struct Kept {
    size_t place;  // in the result
    std::set<int64_t> ranks;
  };
  std::map<std::string_view, Kept> kept;
  for (RankFinding& found : findings) {
    if (found.rank < 0) {
      result.findings.push_back(std::move(found.finding));
      continue;
    }
    const auto [it, is_new] = kept.try_emplace(
        found.finding.rule, Kept{.place = result.findings.size(), .ranks = {}});
    it->second.ranks.insert(found.rank);
    if (is_new) {
      result.findings.push_back(std::move(found.finding));
      continue;
    }
    Finding& other = result.findings[it->second.place];
    const auto weight = [](const Finding& f) {
      return std::pair(f.severity, f.saving_micros);
    };
    if (weight(found.finding) > weight(other)) {
      other = std::move(found.finding);
    }
  }
  for (const auto& [rule, of] : kept) {
    if (of.ranks.size() < 2) continue;
    Finding& finding = result.findings[of.place];
    finding.text += fmt::format(
        "; the same on {} of {} ranks, of which this one loses most",
        of.ranks.size(), num_ranks);
  }
}

CheckResult EachAccelerator(
    const DeviceCheck& check, const CheckerSettings& settings,
    void (*check_device)(const DeviceCheck& check,
                         const timeline::DeviceActivity& device,
                         const CheckerSettings& settings,
                         CheckResult& result)) {
  std::vector<const timeline::DeviceActivity*> judged;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (device.accelerator && !device.runs.empty()) judged.push_back(&device);
  }
  std::vector<CheckResult> of_devices(judged.size());
  util::ParallelFor(check.work, judged.size(), [&](size_t i) {
    check_device(check, *judged[i], settings, of_devices[i]);
  });
  CheckResult result;
  for (CheckResult& of_device : of_devices) {
    std::ranges::move(of_device.findings, std::back_inserter(result.findings));
    std::ranges::move(of_device.notes, std::back_inserter(result.notes));
  }
  return result;
}

CheckResult CheckAccelerators(
    const CheckerInput& input, const CheckerSettings& settings,
    void (*check_device)(const DeviceCheck& check,
                         const timeline::DeviceActivity& device,
                         const CheckerSettings& settings,
                         CheckResult& result)) {
  const DeviceCheck check = OpenDevices(input);
  const profile::LaneTable& lanes = check.profile().lanes();
  std::set<int64_t> ranks;
  std::vector<RankFinding> findings;
  CheckResult result;
  std::vector<const timeline::DeviceActivity*> judged;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (device.accelerator && !device.runs.empty() &&
        !check.RecordsSingleOps(
            check.activities.units()[device.unit].process)) {
      judged.push_back(&device);
    }
  }
  std::vector<CheckResult> of_devices(judged.size());
  util::ParallelFor(check.work, judged.size(), [&](size_t i) {
    check_device(check, *judged[i], settings, of_devices[i]);
  });
  for (size_t i = 0; i < judged.size(); ++i) {
    const profile::ProcessId process =
        check.activities.units()[judged[i]->unit].process;
    const int64_t rank =
        process == profile::kNone ? -1 : lanes.process(process).rank;
    if (rank >= 0) ranks.insert(rank);
    CheckResult& of_device = of_devices[i];
    for (Finding& finding : of_device.findings) {
      findings.push_back({.rank = rank, .finding = std::move(finding)});
    }
    std::ranges::move(of_device.notes, std::back_inserter(result.notes));
  }
  AddOncePerJob(std::move(findings), ranks.size(), result);
  return result;
}

Finding ShareFinding(const DeviceCheck& check, std::string_view rule,
                     std::string_view subject, int64_t part, int64_t whole,
                     double threshold, int64_t saving) {
  Finding f;
  f.rule = rule;
  f.subject = subject;
  f.value =
      whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  f.threshold = threshold;
  f.severity = f.value >= 0.5 ? Finding::Severity::kCritical
                              : Finding::Severity::kWarning;
  f.saving_micros = check.MicrosPerStep(saving);
  return f;
}

std::string SoDoOthers(int64_t others) {
  return others == 0   ? ""
         : others == 1 ? "; so does 1 other device"
                       : fmt::format("; so do {} other devices", others);
}

void TimeSums::Add(std::string_view op, int64_t amount) {
  int64_t& sum = *sums_.At(op).first;
  sum = util::WrapAdd(sum, amount);
}

void TimeSums::Add(const TimeSums& other) {
  other.sums_.ForEach([&](std::string_view op, int64_t sum) { Add(op, sum); });
}

template <typename Format>
std::string TimeSums::Largest(Format format) const {
  constexpr size_t kLargest = 3;
  absl::flat_hash_map<std::string_view, int64_t> by_text;
  sums_.ForEach([&](std::string_view op, int64_t amount) {
    int64_t& sum = by_text[op];
    sum = util::WrapAdd(sum, amount);
  });
  std::vector<std::pair<std::string_view, int64_t>> all(by_text.begin(),
                                                        by_text.end());
  const size_t shown = std::min(kLargest, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(shown),
                    all.end(), [](const auto& a, const auto& b) {
                      return a.second != b.second ? a.second > b.second
                                                  : a.first < b.first;
                    });
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    text += util::ShortKernelName(all[i].first);
    text += ' ';
    text += format(all[i].second);
  }
  return text;
}

std::string TimeSums::Times(const DeviceCheck& check) const {
  return Largest([&](int64_t ticks) { return check.Time(ticks); });
}

void LineSums::Add(const DeviceCheck& check, profile::NodeId node,
                   int64_t ticks) {
  if (node == profile::kNone) return;
  const profile::StackId stack = check.profile().nodes().stack[node];
  if (stack == profile::kNoStack) return;
  int64_t& sum = sums_[stack];
  sum = util::WrapAdd(sum, ticks);
}

std::string LineSums::Times(const DeviceCheck& check) const {
  constexpr size_t kShown = 2;
  std::map<std::string, int64_t> by_line;
  for (const auto& [stack, ticks] : sums_) {
    int64_t& sum =
        by_line[views::AllocationLine(check.profile().graph(), stack)];
    sum = util::WrapAdd(sum, ticks);
  }
  std::vector<std::pair<std::string, int64_t>> lines(by_line.begin(),
                                                     by_line.end());
  std::ranges::stable_sort(lines, std::ranges::greater(),
                           &std::pair<std::string, int64_t>::second);
  std::string text;
  for (size_t i = 0; i < std::min(kShown, lines.size()); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", lines[i].first,
                        check.Time(lines[i].second));
  }
  return text;
}

void RunSum::Add(const DeviceCheck& check, const timeline::DeviceRun& run,
                 std::string_view op) {
  timeline::AddInterval(times, run.start, run.end);
  ++runs;
  ops.Add(op, run.length());
  lines.Add(check, run.node, run.length());
}

std::string RunSum::Text(const DeviceCheck& check, int64_t busy) const {
  const std::string of_lines = lines.Times(check);
  const int64_t per_step = std::max<int64_t>(1, runs / check.steps);
  return fmt::format("{} of its busy time ({} of {}), {} {} per step: {}{}{}",
                     util::Percent(time(), busy), check.Time(time()),
                     check.Time(busy), tables::FormatCount(per_step),
                     per_step == 1 ? "time" : "times", ops.Times(check),
                     of_lines.empty() ? "" : "; at ", of_lines);
}

std::string TimeSums::Counts() const { return Largest(tables::FormatCount); }

}  // namespace tfprof::advisor

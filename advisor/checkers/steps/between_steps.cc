// Finds time between the steps in which devices have nothing to do. It is in no
// step, so that no account of a step has it, but each step begins later by it:
// a scheduler of an inference engine, or input that is read outside of the
// ranges of the steps.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "timeline/account/account.h"
#include "timeline/account/host_pieces.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace between_steps {

constexpr Rule kRules[] = {
    {"between_steps",
     "Between the steps, an accelerator has nothing to do for more than the "
     "threshold of the time from the first step to the last.",
     "share of the time", "between_steps"},
};
constexpr CheckerOption kOptions[] = {
    {"between_steps", 0.2, "share", "Less is not reported."},
    {"min_steps", 3, "count", "Fewer steps have nothing between them."},
};

// A device that has nothing to do between the steps.
struct Idle {
  const timeline::DeviceActivity* device = nullptr;
  timeline::Intervals times;
  int64_t between = 0;  // all time between steps
  int64_t whole = 0;    // from the first step to the last
};

// Whether the steps of a device have numbers in a row. If a program of
// TensorFlow 1 recorded only some of its runs, the others are between them.
bool HasAllSteps(const DeviceCheck& check,
                 const timeline::DeviceActivity& device) {
  const profile::ProcessId process =
      check.activities.units()[device.unit].process;
  const profile::StepIntervals& intervals = check.profile().step_intervals();
  std::set<int64_t> steps;
  for (size_t row = 0; row < intervals.size(); ++row) {
    if (intervals.process[row] == int64_t{process}) {
      steps.insert(intervals.step[row]);
    }
  }
  return !steps.empty() &&
         *steps.rbegin() - *steps.begin() + 1 == std::ssize(steps);
}

Idle IdleOf(const DeviceCheck& check, const timeline::DeviceActivity& device,
            size_t min_steps) {
  Idle idle;
  const timeline::Intervals* steps = check.StepTime(device);
  if (steps == nullptr || steps->size() < min_steps ||
      (check.RecordsSingleOps(check.activities.units()[device.unit].process) &&
       !HasAllSteps(check, device))) {
    return idle;
  }
  const timeline::Interval whole = {steps->front().start, steps->back().end};
  const timeline::Intervals between = timeline::Subtract({whole}, *steps);
  idle.device = &device;
  idle.times = timeline::Subtract(between, device.busy);
  idle.between = timeline::Length(between);
  idle.whole = whole.length();
  return idle;
}

// "; nearly all of it after one step in 5" or "… after 2 of 10 steps", if
// it is not after most of them; otherwise "".
std::string PlacesOf(const DeviceCheck& check, const Idle& idle) {
  constexpr double kMost = 0.8;
  const profile::ProcessId process =
      check.activities.units()[idle.device->unit].process;
  const profile::StepIntervals& intervals = check.profile().step_intervals();
  // A process may enter a step several times.
  std::map<int64_t, int64_t> start_of_step;
  for (size_t row = 0; row < intervals.size(); ++row) {
    if (intervals.process[row] != int64_t{process}) continue;
    const int64_t start = check.activities.StepTime(row).start;
    const auto [it, is_new] =
        start_of_step.try_emplace(intervals.step[row], start);
    it->second = std::min(it->second, start);
  }
  std::vector<int64_t> starts;
  for (const auto& [step, start] : start_of_step) starts.push_back(start);
  std::ranges::sort(starts);
  std::map<int64_t, int64_t> after;  // by how many steps have begun before
  int64_t longest = 0;
  for (const timeline::Interval& time : idle.times) {
    int64_t& sum =
        after[std::ranges::upper_bound(starts, time.start) - starts.begin()];
    sum += time.length();
    longest = std::max(longest, sum);
  }
  std::vector<int64_t> places;
  int64_t ticks = 0;
  for (const auto& [place, time] : after) {
    if (time < longest / 2) continue;
    places.push_back(place);
    ticks += time;
  }
  if (2 * places.size() > starts.size() ||
      static_cast<double>(ticks) <
          kMost * static_cast<double>(timeline::Length(idle.times))) {
    return "";
  }
  bool is_regular = places.size() > 2;
  for (size_t i = 2; i < places.size(); ++i) {
    is_regular &= places[i] - places[i - 1] == places[1] - places[0];
  }
  return is_regular ? fmt::format("; nearly all of it after one step in {}",
                                  places[1] - places[0])
                    : fmt::format("; nearly all of it after {} of {} steps",
                                  places.size(), starts.size());
}

// What the host did in that time.
struct HostTime {
  std::string text;  // the largest first
  // If most of the time has a cause with a remedy of its own.
  std::optional<timeline::Part> part;
};

std::optional<timeline::Part> PartOf(timeline::HostCall call) {
  switch (call) {
    case timeline::HostCall::kInput:
      return timeline::Part::kInput;
    case timeline::HostCall::kCompilation:
      return timeline::Part::kCompilation;
    case timeline::HostCall::kFirstUse:
      return timeline::Part::kFirstUse;
    case timeline::HostCall::kProfiler:
      return timeline::Part::kProfiler;
    default:
      return std::nullopt;
  }
}

HostTime HostTimeOf(const DeviceCheck& check, const Idle& idle) {
  const profile::ProcessId process =
      check.activities.units()[idle.device->unit].process;
  const timeline::HostPieces pieces(check.activities, {{process, idle.times}});
  TimeSums sums;
  std::map<timeline::HostCall, int64_t> by_call;
  for (const timeline::HostThread& thread : pieces.OfProcess(process)) {
    timeline::Overlap inside(idle.times);
    for (const timeline::HostPiece& piece : thread.pieces) {
      if (piece.call == timeline::HostCall::kWait) continue;
      const int64_t time = inside.Length(piece.start, piece.end);
      if (time <= 0) continue;
      sums.Add(check.profile().strings().Get(piece.name), time);
      by_call[piece.call] += time;
    }
  }
  HostTime host = {.text = sums.Times(check), .part = {}};
  for (const auto& [call, time] : by_call) {
    if (time > timeline::Length(idle.times) / 2) host.part = PartOf(call);
  }
  return host;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  const auto min_steps = static_cast<size_t>(settings.Get("min_steps"));
  const double threshold = settings.Get("between_steps");
  Idle worst;
  int64_t most = 0, others = 0;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (check.work.cancelled()) return result;
    if (!device.accelerator || device.runs.empty()) continue;
    Idle idle = IdleOf(check, device, min_steps);
    const int64_t time = timeline::Length(idle.times);
    if (static_cast<double>(time) <=
        threshold * static_cast<double>(idle.whole)) {
      continue;
    }
    others += worst.device != nullptr;
    if (time <= most) continue;
    most = time;
    worst = std::move(idle);
  }
  if (worst.device == nullptr) return result;
  Finding f =
      ShareFinding(check, "between_steps", check.Name(worst.device->unit), most,
                   worst.whole, threshold, most);
  f.evidence = "devices";
  const HostTime host = HostTimeOf(check, worst);
  f.advice =
      host.part
          ? timeline::RemedyOf(*host.part, {}, check.profile())
          : "Do this work beside the steps: in another thread or process, or "
            "for the next step while the device works. Or record ranges around "
            "the whole of each step, so that its account has this time.";
  f.text = fmt::format(
      "{}: idle between the steps for {} of the time from the first step to "
      "the last ({} of {}); steps cover {} of it{}{}{}",
      f.subject, util::Percent(most, worst.whole), check.Time(most),
      check.Time(worst.whole),
      util::Percent(worst.whole - worst.between, worst.whole),
      host.text.empty() ? "; what the host does there was not recorded"
                        : "; meanwhile the host is in ",
      host.text,
      host.part ? fmt::format("; most of it is {}",
                              timeline::InfoOf(*host.part).title)
                : "");
  f.text += PlacesOf(check, worst);
  f.text += SoDoOthers(others);
  result.findings.push_back(std::move(f));
  return result;
}

}  // namespace between_steps
}  // namespace

const Checker kBetweenStepsChecker = {
    "BetweenStepsChecker",
    "Time between the steps in which devices have nothing to do.",
    Checker::Kind::kAdvice,
    between_steps::kRules,
    between_steps::kOptions,
    between_steps::Check,
    Checker::Needs::kBetweenSteps};

}  // namespace tfprof::advisor

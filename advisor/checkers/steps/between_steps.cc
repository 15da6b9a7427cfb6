// Finds time between the steps in which devices have nothing to do. It is in no
// step, so that no account of a step has it, but each step begins later by it:
// a scheduler of an inference engine, or input that is read outside of the
// ranges of the steps.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
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

Idle IdleOf(const DeviceCheck& check, const timeline::DeviceActivity& device,
            size_t min_steps) {
  Idle idle;
  const timeline::Intervals* steps = check.StepTime(device);
  if (steps == nullptr || steps->size() < min_steps) return idle;
  const timeline::Interval whole = {steps->front().start, steps->back().end};
  const timeline::Intervals between = timeline::Subtract({whole}, *steps);
  idle.device = &device;
  idle.times = timeline::Subtract(between, device.busy);
  idle.between = timeline::Length(between);
  idle.whole = whole.length();
  return idle;
}

// What the host did in that time, the largest first.
std::string HostText(const DeviceCheck& check, const Idle& idle) {
  const profile::ProcessId process =
      check.activities.units()[idle.device->unit].process;
  const timeline::HostPieces pieces(check.activities, {{process, idle.times}});
  TimeSums sums;
  for (const timeline::HostThread& thread : pieces.OfProcess(process)) {
    timeline::Overlap inside(idle.times);
    for (const timeline::HostPiece& piece : thread.pieces) {
      if (piece.call == timeline::HostCall::kWait) continue;
      const int64_t time = inside.Length(piece.start, piece.end);
      if (time > 0) sums.Add(check.profile().strings().Get(piece.name), time);
    }
  }
  return sums.Times(check);
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
    if (!device.accelerator || device.runs.empty() ||
        check.RecordsSingleOps(check.activities.units()[device.unit].process)) {
      continue;
    }
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
  f.advice =
      "Do this work beside the steps: in another thread or process, or for "
      "the next step while the device works. Or record ranges around the "
      "whole of each step, so that its account has this time.";
  const std::string host = HostText(check, worst);
  f.text = fmt::format(
      "{}: idle between the steps for {} of the time from the first step to "
      "the last ({} of {}); steps cover {} of it{}{}",
      f.subject, util::Percent(most, worst.whole), check.Time(most),
      check.Time(worst.whole),
      util::Percent(worst.whole - worst.between, worst.whole),
      host.empty() ? "; what the host does there was not recorded"
                   : "; meanwhile the host is in ",
      host);
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
    Checker::Needs::kAcceleratorCalls};

}  // namespace tfprof::advisor

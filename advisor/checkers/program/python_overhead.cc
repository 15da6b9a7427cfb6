// Finds the time of steps in which the host runs neither an operation nor a
// launch while the accelerators are idle: the program itself (Python) works or
// waits.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace python_overhead {

constexpr Rule kRules[] = {
    {"python_overhead",
     "Accelerators are idle while the host runs no operation, for more than "
     "the "
     "threshold of the steps.",
     "share of the steps", "python_overhead"},
};
constexpr CheckerOption kOptions[] = {
    {"python_overhead", 0.2, "share", "Less is not reported."},
};

// The union of the steps, as recorded in the file.
timeline::Intervals StepTime(const DeviceCheck& check) {
  timeline::UnionOfMany all;
  for (size_t i = 0; i < check.profile().step_intervals().size(); ++i) {
    const timeline::Interval step = check.activities.StepTime(i);
    if (step.length() > 0) all.Add({step});
  }
  return std::move(all).Take();
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  const timeline::Intervals steps = StepTime(check);
  if (steps.empty() || !check.activity->has_accelerators()) return result;
  timeline::UnionOfMany work;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    work.Add(device.busy);
    work.Add(device.launching);
  }
  const timeline::Intervals nothing =
      timeline::Subtract(steps, std::move(work).Take());
  const int64_t time = timeline::Length(nothing);
  const int64_t all = timeline::Length(steps);
  Finding f = ShareFinding(check, "python_overhead", "", time, all,
                           settings.Get("python_overhead"), time);
  if (f.value <= f.threshold) return result;
  int64_t longest = 0;
  for (const timeline::Interval& gap : nothing) {
    longest = std::max(longest, gap.length());
  }
  f.evidence = "code -order_by micros -select micros,occurrence";
  f.advice =
      "Look for what the program does between operations: data loading, "
      "logging, Python loops over small operations. torch.compile and larger "
      "operations need less of it.";
  f.text = fmt::format(
      "Python, or other code between operations, takes {} of the steps ({} of "
      "{}): the host runs no operation and accelerators are idle; the longest "
      "such time is {}",
      util::Percent(time, all), check.Time(time), check.Time(all),
      check.Time(longest));
  result.findings.push_back(std::move(f));
  return result;
}

}  // namespace python_overhead
}  // namespace

const Checker kPythonOverheadChecker = {
    "PythonOverheadChecker",
    "Whether steps wait for the program between operations.",
    Checker::Kind::kAdvice,
    python_overhead::kRules,
    python_overhead::kOptions,
    python_overhead::Check,
    Checker::Needs::kAcceleratorCalls};

}  // namespace tfprof::advisor

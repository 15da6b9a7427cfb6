// Finds single numbers that the host reads from its accelerators, and waits
// for.

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"
#include "util/text/by_address.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace scalar_reads {

constexpr Rule kRules[] = {
    {"scalar_reads",
     "The host reads single numbers of an accelerator (aten::item) more often "
     "than the threshold in each step.",
     "reads per step", "scalar_reads"},
};
constexpr CheckerOption kOptions[] = {
    {"scalar_reads", 10, "count", "Fewer in each step are not reported."},
};

// aten::item calls aten::_local_scalar_dense: only the inner one counts.
bool IsScalarRead(std::string_view op) {
  return op == "aten::_local_scalar_dense";
}

struct ScalarReads {
  int64_t all = 0;
  std::vector<timeline::Interval> times;

  // Leaves those that wait. A scalar may be in host memory (the step count of
  // an optimizer), so that nothing waits: a read from the device ends with a
  // wait inside it. If the file has no runtime calls at all, each read counts.
  // `ends` of waits are sorted.
  void KeepWaiting(const DeviceCheck& check, const std::vector<int64_t>& ends) {
    const auto& devices = check.activity->devices;
    if (ends.empty() &&
        std::all_of(devices.begin(), devices.end(), [](const auto& device) {
          return device.accelerator || device.launching.empty();
        })) {
      return;
    }
    std::erase_if(times, [&](const timeline::Interval& read) {
      const auto end = std::upper_bound(ends.begin(), ends.end(), read.start);
      return end == ends.end() || *end > read.end;
    });
    all = static_cast<int64_t>(times.size());
  }

  // Of the idle times, those in which a read ends: it has emptied the queue, so
  // the device is idle until the host has launched more.
  timeline::Intervals EmptiedBy(const timeline::Intervals& idle) const {
    std::vector<int64_t> ends;
    for (const timeline::Interval& read : times) ends.push_back(read.end);
    std::sort(ends.begin(), ends.end());
    timeline::Intervals emptied = idle;
    std::erase_if(emptied, [&](const timeline::Interval& of) {
      const auto end = std::lower_bound(ends.begin(), ends.end(), of.start);
      return end == ends.end() || *end > of.end;
    });
    return emptied;
  }
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  const profile::Profile& profile = check.profile();
  std::vector<int64_t> ends;
  ScalarReads reads;
  util::ByAddress<bool> waits;
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const auto node = static_cast<profile::NodeId>(step->node[g]);
      const std::string_view op =
          profile.strings().Get(profile.nodes().op[node]);
      if (IsScalarRead(op)) {
        reads.all = util::WrapAdd(reads.all, step->sums.run_count[g]);
      } else {
        const auto [is_wait, is_new] = waits.At(op);
        if (is_new) {
          *is_wait = !op.starts_with("aten::") && timeline::IsWait(op);
        }
        if (!*is_wait) continue;
      }
      if (step->num_executions() == 0) continue;
      for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
        if (!step->HasStart(e)) continue;
        const timeline::Interval call = check.activities.TimeOf(*step, e);
        if (IsScalarRead(op)) {
          reads.times.push_back(call);
          continue;
        }
        ends.push_back(call.end);
      }
    }
  }
  std::sort(ends.begin(), ends.end());
  reads.KeepWaiting(check, ends);
  int64_t all_idle = 0, in_steps = 0, span = 0, devices = 0;
  std::set<profile::ProcessId> processes;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (!device.accelerator) continue;
    const timeline::Intervals idle =
        reads.EmptiedBy(timeline::Subtract(device.window, device.busy));
    all_idle = util::WrapAdd(all_idle, timeline::Length(idle));
    in_steps = util::WrapAdd(in_steps, check.InSteps(device, idle));
    span = util::WrapAdd(span, timeline::Length(device.window));
    ++devices;
    processes.insert(check.activities.units()[device.unit].process);
  }
  if (devices == 0) return result;
  // Ranks and devices work at the same time: these are averages of them.
  const double per_step = static_cast<double>(reads.all) /
                          static_cast<double>(check.steps) /
                          static_cast<double>(processes.size());
  all_idle /= devices;
  span /= devices;
  if (per_step > settings.Get("scalar_reads")) {
    Finding f = ShareFinding(check, "scalar_reads", "", all_idle, span, 0,
                             in_steps / devices);
    f.value = per_step;
    f.threshold = settings.Get("scalar_reads");
    f.evidence =
        "code -show_name_regexes .* -account_type_regexes "
        "aten::_local_scalar_dense -select occurrence";
    f.advice =
        "Keep numbers on the device (torch.where instead of if, sums of "
        "losses), and read them once in many steps.";
    f.text = fmt::format(
        "the host reads {:.0f} single numbers of accelerators in each step, "
        "and waits for each",
        per_step);
    if (all_idle > 0) {
      f.text +=
          fmt::format("; accelerators are idle after them for {} of their time",
                      util::Percent(all_idle, span));
    }
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace scalar_reads
}  // namespace

const Checker kScalarReadChecker = {
    "ScalarReadChecker",
    "Whether the host reads single numbers of accelerators.",
    Checker::Kind::kAdvice,
    scalar_reads::kRules,
    scalar_reads::kOptions,
    scalar_reads::Check,
    Checker::Needs::kAcceleratorCalls};

}  // namespace tfprof::advisor

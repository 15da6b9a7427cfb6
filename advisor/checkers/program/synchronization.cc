// Finds calls in which the host of a trace waits for its accelerators, which
// are idle afterwards, and operations that cause such waits.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/device_metrics.h"
#include "util/arithmetic.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace synchronization {

constexpr Rule kRules[] = {
    {"synchronization",
     "The host waits for accelerators in calls such as cudaStreamSynchronize, "
     "and accelerators are idle after these calls for more than the threshold "
     "of their time.",
     "share of the devices' time", "synchronization"},
    {"scalar_reads",
     "The host reads single numbers of an accelerator (aten::item) more often "
     "than the threshold in each step.",
     "reads per step", "scalar_reads"},
};
constexpr CheckerOption kOptions[] = {
    {"synchronization", 0.1, "share", "Less is not reported."},
    {"gap", 100, "us",
     "Idle times of this length and more do not count: idle_gaps says what the "
     "host did in them."},
    {"scalar_reads", 10, "count", "Fewer in each step are not reported."},
};

bool IsWait(std::string_view name) {
  for (const std::string_view call :
       {"cudaDeviceSynchronize", "cudaStreamSynchronize",
        "cudaEventSynchronize", "cudaMemcpy", "cuCtxSynchronize",
        "cuStreamSynchronize", "cuEventSynchronize", "hipDeviceSynchronize",
        "hipStreamSynchronize", "hipEventSynchronize", "hipMemcpy",
        "hipMemcpyWithStream"}) {
    if (name == call) return true;
  }
  return false;
}

// The time for which accelerators were idle after a wait of the host ended,
// until the host had launched new work. Each gap below `longest` counts from
// the end of the first wait that ended in it. `ends` are sorted.
int64_t IdleAfter(const std::vector<int64_t>& ends,
                  const timeline::DeviceActivity& device, int64_t longest) {
  int64_t time = 0;
  for (const timeline::Interval& gap :
       timeline::IdleTimeOf(device).host_bound) {
    if (gap.length() >= longest) continue;
    // The awaited work ends shortly before the call does.
    const auto end = std::lower_bound(ends.begin(), ends.end(), gap.start);
    if (end == ends.end() || *end >= gap.end) continue;
    time = util::WrapAdd(time, gap.end - *end);
  }
  return time;
}

// aten::item calls aten::_local_scalar_dense: only the inner one counts.
bool IsScalarRead(std::string_view op) {
  return op == "aten::_local_scalar_dense";
}

struct ScalarReads {
  int64_t all = 0;
  std::vector<timeline::Interval> times;

  // A scalar may be in host memory (the step count of an optimizer), so that
  // nothing waits: a read from the device ends with a wait inside it. If the
  // file has no runtime calls at all, each read counts. `ends` of waits are
  // sorted.
  int64_t Waiting(const DeviceCheck& check,
                  const std::vector<int64_t>& ends) const {
    const auto& devices = check.activity->devices;
    if (ends.empty() &&
        std::all_of(devices.begin(), devices.end(), [](const auto& device) {
          return device.accelerator || device.launching.empty();
        })) {
      return all;
    }
    return std::count_if(
        times.begin(), times.end(), [&](const timeline::Interval& read) {
          const auto end =
              std::upper_bound(ends.begin(), ends.end(), read.start);
          return end != ends.end() && *end <= read.end;
        });
  }
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  const profile::Profile& profile = check.profile();
  int64_t waits = 0, time = 0;
  TimeSums calls;
  std::vector<int64_t> ends;
  ScalarReads reads;
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const auto node = static_cast<profile::NodeId>(step->node[g]);
      const std::string_view op =
          profile.strings().Get(profile.nodes().op[node]);
      if (IsScalarRead(op)) {
        reads.all = util::WrapAdd(reads.all, step->sums.run_count[g]);
      } else if (!IsWait(op)) {
        continue;
      }
      if (step->num_executions() == 0) continue;
      for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
        if (!step->HasStart(e)) continue;
        const timeline::Interval call = check.activities.TimeOf(*step, e);
        if (IsScalarRead(op)) {
          reads.times.push_back(call);
          continue;
        }
        ++waits;
        time = util::WrapAdd(time, call.length());
        calls.Add(op, call.length());
        ends.push_back(call.end);
      }
    }
  }
  std::sort(ends.begin(), ends.end());
  const int64_t longest = check.Ticks(settings.Get("gap"));
  int64_t idle = 0, all_idle = 0, span = 0;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (!device.accelerator) continue;
    idle = util::WrapAdd(idle, IdleAfter(ends, device, longest));
    all_idle = util::WrapAdd(all_idle, timeline::Length(device.window) -
                                           timeline::Length(device.busy));
    span = util::WrapAdd(span, timeline::Length(device.window));
  }
  // A host that waits while its accelerators compute loses nothing.
  Finding wait = ShareFinding(check, "synchronization", "", idle, span,
                              settings.Get("synchronization"), idle);
  if (wait.value > wait.threshold) {
    wait.evidence = "op -order_by cpu_micros -select cpu_micros,occurrence";
    wait.advice =
        "Remove what waits in the step: .item(), .cpu(), printing of tensors, "
        "torch.cuda.synchronize(). Copy without blocking and read results a "
        "step later.";
    wait.text = fmt::format(
        "after the host waited for them, accelerators are idle for {} of their "
        "time ({} of {}); {} {}, {}: {}",
        util::Percent(idle, span), check.Time(idle), check.Time(span),
        tables::FormatCount(waits), waits == 1 ? "wait" : "waits",
        check.Time(time), calls.Times(check));
    result.findings.push_back(std::move(wait));
  }
  const double per_step = static_cast<double>(reads.Waiting(check, ends)) /
                          static_cast<double>(check.steps);
  if (per_step > settings.Get("scalar_reads")) {
    // Each read empties the queue, so the device is idle until the host has
    // launched new work.
    Finding f =
        ShareFinding(check, "scalar_reads", "", all_idle, span, 0, all_idle);
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
      f.text += fmt::format("; accelerators are idle for {} of their time",
                            util::Percent(all_idle, span));
    }
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace synchronization
}  // namespace

const Checker kSynchronizationChecker = {
    "SynchronizationChecker",
    "Whether the host waits for its accelerators.",
    Checker::Kind::kAdvice,
    synchronization::kRules,
    synchronization::kOptions,
    synchronization::Check,
    Checker::Needs::kAcceleratorCalls};

}  // namespace tfprof::advisor

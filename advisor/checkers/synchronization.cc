// Calls in which the host of a trace waits for its accelerators, and operations
// that make it wait.

#include <string>
#include <string_view>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/checkers/trace_check.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

constexpr Rule kRules[] = {
    {"synchronization",
     "The host waits for accelerators in calls such as cudaStreamSynchronize "
     "for more than the threshold of its time.",
     "share of the host's time", "synchronization"},
    {"scalar_reads",
     "The host reads single numbers of an accelerator (aten::item) more often "
     "than the threshold in each step.",
     "reads per step", "scalar_reads"},
};
constexpr CheckerOption kOptions[] = {
    {"synchronization", 0.1, "share", "Less is not reported."},
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

// aten::item calls aten::_local_scalar_dense: only the inner one counts.
bool IsScalarRead(std::string_view op) {
  return op == "aten::_local_scalar_dense";
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const auto check = OpenAcceleratorTrace(input);
  if (!check) return result;
  const Profile& profile = check->profile();
  int64_t waits = 0, time = 0, reads = 0;
  TraceSums calls;
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const auto node = static_cast<NodeId>(step->node[g]);
      const std::string_view op =
          profile.strings().Get(profile.nodes().op[node]);
      if (IsScalarRead(op)) {
        reads = WrapAdd(reads, step->sums.run_count[g]);
        continue;
      }
      if (!IsWait(op) || step->num_executions() == 0) continue;
      for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
        if (!step->HasStart(e)) continue;
        const int64_t length = check->traces.TimeOf(*step, e).length();
        ++waits;
        time = WrapAdd(time, length);
        calls.Add(op, length);
      }
    }
  }
  int64_t host_time = 0;
  for (const HostActivity& host : check->activity->hosts) {
    host_time = WrapAdd(host_time, host.span.length());
  }
  Finding wait = ShareFinding(*check, "synchronization", "", time, host_time,
                              settings.Get("synchronization"), 0);
  if (wait.value > wait.threshold) {
    wait.evidence = "op -order_by cpu_micros -select cpu_micros,occurrence";
    wait.advice =
        "Remove what waits in the step: .item(), .cpu(), printing of tensors, "
        "torch.cuda.synchronize(). Copy without blocking and read results a "
        "step later.";
    wait.text = fmt::format(
        "the host waits for accelerators for {} of its time ({} of {}), in {} "
        "calls: {}",
        Percent(time, host_time), check->Time(time), check->Time(host_time),
        FormatCount(waits), calls.Times(*check));
    result.findings.push_back(std::move(wait));
  }
  const double per_step =
      static_cast<double>(reads) / static_cast<double>(check->steps);
  if (per_step > settings.Get("scalar_reads")) {
    Finding f;
    f.rule = "scalar_reads";
    f.severity = Finding::Severity::kWarning;
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
        "and "
        "waits for each",
        per_step);
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace

const Checker kSynchronizationChecker = {
    "SynchronizationChecker",
    "Whether the host of a trace waits for its accelerators.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kAcceleratorTrace};

}  // namespace tfprof

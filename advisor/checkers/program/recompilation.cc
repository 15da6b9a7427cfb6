// Finds programs of a trace that were compiled several times, or while steps
// ran.
//
// XLA names a compiled program "jit_step(30)": the function and a number. If
// several programs of one function ran, its arguments had several shapes or
// types.

#include <algorithm>
#include <map>
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
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/text/ascii.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace recompilation {

constexpr Rule kRules[] = {
    {"recompilation",
     "As many programs of one function ran, or more: it was compiled for "
     "several shapes or types.",
     "programs of the function", "recompilation"},
    {"compiles_in_steps",
     "Something was compiled while steps ran, for more than the threshold of "
     "their time.",
     "share of the steps", "compiles_in_steps"},
};
constexpr CheckerOption kOptions[] = {
    {"recompilation", 3, "count", "Fewer programs are not reported."},
    {"compiles_in_steps", 0.01, "share", "Less is not reported."},
};

// "jit_step" for "jit_step(30)"; "" if the name has no number.
std::string_view FunctionOf(std::string_view module) {
  if (module.empty() || module.back() != ')') return "";
  size_t open = module.size() - 1;
  while (open > 0 && util::IsDigit(module[open - 1])) --open;
  if (open < 2 || open == module.size() - 1 || module[open - 1] != '(') {
    return "";
  }
  return module.substr(0, open - 1);
}

bool IsCompilation(std::string_view op) {
  for (const std::string_view part :
       {"XlaCompile", "CompileAndLoad", "backend_compile", "compile_inner",
        "::Compile", "CompilePhase"}) {
    if (op.find(part) != op.npos) return true;
  }
  return false;
}

void CheckPrograms(const DeviceCheck& check, double threshold,
                   CheckResult& result) {
  const profile::Profile& profile = check.profile();
  const std::vector<profile::ModuleId>& modules = profile.nodes().module;
  std::map<std::string_view, std::set<profile::ModuleId>> programs;
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const auto node = static_cast<profile::NodeId>(step->node[g]);
      const profile::ModuleId module =
          modules.empty() ? profile::kUnnamedModule : modules[node];
      const std::string_view function = FunctionOf(profile.module_name(module));
      if (!function.empty()) programs[function].insert(module);
    }
  }
  for (const auto& [function, of_function] : programs) {
    if (static_cast<double>(of_function.size()) < threshold) continue;
    Finding f;
    f.rule = "recompilation";
    f.severity = Finding::Severity::kWarning;
    f.subject = function;
    f.value = static_cast<double>(of_function.size());
    f.threshold = threshold;
    f.evidence = "scope -max_depth 3 -select micros,occurrence";
    f.advice =
        "Give the function arguments of one shape and type: pad batches, mark "
        "Python numbers as static or make arrays of them.";
    f.text = fmt::format(
        "{} programs of {} ran: it is compiled again for new "
        "shapes or types",
        of_function.size(), function);
    result.findings.push_back(std::move(f));
  }
}

void CheckSteps(const DeviceCheck& check, double threshold,
                CheckResult& result) {
  const profile::Profile& profile = check.profile();
  int64_t compiles = 0;
  timeline::Interval span;
  bool found = false;
  timeline::UnionOfMany all;
  TimeSums ops;
  for (const auto& step : profile.steps()) {
    if (!step->listed || step->num_executions() == 0) continue;
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const std::string_view op = profile.strings().Get(
          profile.nodes().op[static_cast<profile::NodeId>(step->node[g])]);
      const bool compiles_here = IsCompilation(op);
      for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
        if (!step->HasStart(e)) continue;
        const timeline::Interval time = check.activities.TimeOf(*step, e);
        span.start = found ? std::min(span.start, time.start) : time.start;
        span.end = found ? std::max(span.end, time.end) : time.end;
        found = true;
        if (!compiles_here || time.length() <= 0) continue;
        ++compiles;
        all.Add({time});
        ops.Add(op, time.length());
      }
    }
  }
  if (compiles == 0) return;
  const int64_t time = timeline::Length(std::move(all).Take());
  Finding f = ShareFinding(check, "compiles_in_steps", "", time, span.length(),
                           threshold, time);
  if (f.value <= f.threshold) return;
  f.evidence = "op -order_by cpu_micros -select cpu_micros,occurrence";
  f.advice =
      "Compile before the loop: run a step of each shape first, or keep "
      "compiled programs in a cache on disk.";
  f.text = fmt::format(
      "steps compile for {} of their time ({} of {}), {} "
      "times: {}",
      util::Percent(time, span.length()), check.Time(time),
      check.Time(span.length()), tables::FormatCount(compiles),
      ops.Times(check));
  result.findings.push_back(std::move(f));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  CheckPrograms(check, settings.Get("recompilation"), result);
  CheckSteps(check, settings.Get("compiles_in_steps"), result);
  return result;
}

}  // namespace recompilation
}  // namespace

const Checker kRecompilationChecker = {
    "RecompilationChecker",
    "Whether programs are compiled again, or in steps.",
    Checker::Kind::kAdvice,
    recompilation::kRules,
    recompilation::kOptions,
    recompilation::Check,
    Checker::Needs::kExecutions};

}  // namespace tfprof::advisor

// Finds programs of a trace that were compiled several times, or while steps
// ran.
//
// A program must be compiled once: with three steps or more, compilations in
// the first step are not reported if there are none later.
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
#include "timeline/account/account.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"
#include "util/text/ascii.h"
#include "util/text/counted.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace recompilation {

constexpr Rule kRules[] = {
    {"recompilation",
     "As many programs of one function ran, or more, or as many steps after "
     "the first one compiled something: shapes or types change.",
     "programs of the function, or steps that compile", "recompilation",
     Rule::Says::kReason},
    {"compiles_in_steps",
     "Something was compiled while steps ran, for more than the threshold of "
     "their time.",
     "share of the steps", "compiles_in_steps"},
};
constexpr CheckerOption kOptions[] = {
    {"recompilation", 3, "count",
     "Fewer programs, or fewer steps that compile, are not reported."},
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

// A Python function that compiles also runs what it has compiled.
bool IsCompilation(std::string_view op) {
  if (timeline::IsPythonFunction(op)) return false;
  for (const std::string_view part :
       {"XlaCompile", "CompileAndLoad", "backend_compile", "compile_inner",
        "::Compile", "CompilePhase"}) {
    if (op.find(part) != op.npos) return true;
  }
  return timeline::HostCallOf(op) == timeline::HostCall::kCompilation;
}

bool RecordsCompilations(const profile::Profile& profile) {
  std::set<profile::StringId> seen;
  return std::ranges::any_of(profile.nodes().op, [&](profile::StringId op) {
    return seen.insert(op).second && IsCompilation(profile.strings().Get(op));
  });
}

void CheckPrograms(const DeviceCheck& check, double threshold,
                   CheckResult& result) {
  const profile::Profile& profile = check.profile();
  // Programs of one function that were all compiled before the recording cost
  // nothing in it.
  const bool compiles = RecordsCompilations(profile);
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
    f.severity =
        compiles ? Finding::Severity::kWarning : Finding::Severity::kInfo;
    f.subject = function;
    f.value = static_cast<double>(of_function.size());
    f.threshold = threshold;
    f.evidence = "scope -max_depth 3 -select micros,occurrence";
    f.advice =
        "Give the function arguments of one shape and type: pad batches, mark "
        "Python numbers as static or make arrays of them.";
    f.text = fmt::format(
        "{} programs of {} ran: it is compiled again for new "
        "shapes or types{}",
        of_function.size(), function,
        compiles ? "" : ", but not in this recording");
    result.findings.push_back(std::move(f));
  }
}

// What the steps compiled.
struct Compiled {
  timeline::Intervals times;
  timeline::Interval span;  // of the steps
  TimeSums ops;
  std::vector<int64_t> steps;  // that compiled something, in order
  int64_t num_steps = 0;       // that ran something
};

class StepCompilations {
 public:
  explicit StepCompilations(const DeviceCheck& check)
      : check_(check), profile_(check.profile()) {}

  Compiled Find() {
    // Reading the times of all executions takes long.
    if (!RecordsCompilations(profile_)) return {};
    std::vector<const profile::Step*> ran;
    for (const auto& step : profile_.steps()) {
      if (step->listed && step->num_executions() > 0) {
        ran.push_back(step.get());
      }
    }
    Compiled all = In(ran);
    constexpr size_t kWithFirst = 3;
    if (ran.size() < kWithFirst || all.steps.empty() ||
        all.steps.front() != ran.front()->id) {
      return all;
    }
    ran.erase(ran.begin());
    return In(ran);
  }

 private:
  Compiled In(const std::vector<const profile::Step*>& steps) {
    Compiled compiled;
    timeline::UnionOfMany all;
    for (const profile::Step* step : steps) {
      const int64_t before = count_;
      AddStep(*step, compiled, all);
      if (count_ > before) compiled.steps.push_back(step->id);
      ++compiled.num_steps;
    }
    compiled.times = std::move(all).Take();
    return compiled;
  }

  void AddStep(const profile::Step& step, Compiled& compiled,
               timeline::UnionOfMany& all) {
    for (size_t g = 0; g < step.num_groups(); ++g) {
      const profile::StringId op =
          profile_.nodes().op[static_cast<profile::NodeId>(step.node[g])];
      const auto [it, is_new] = compiles_.try_emplace(op, false);
      if (is_new) it->second = IsCompilation(profile_.strings().Get(op));
      for (size_t e = step.exec_begin(g); e < step.exec_end(g); ++e) {
        if (!step.HasStart(e)) continue;
        const timeline::Interval time = check_.activities.TimeOf(step, e);
        timeline::Interval& span = compiled.span;
        const bool first = span.length() == 0;
        span.start = first ? time.start : std::min(span.start, time.start);
        span.end = first ? time.end : std::max(span.end, time.end);
        if (!it->second || time.length() <= 0) continue;
        ++count_;
        all.Add({time});
        compiled.ops.Add(profile_.strings().Get(op), time.length());
      }
    }
  }

  const DeviceCheck& check_;
  const profile::Profile& profile_;
  std::map<profile::StringId, bool> compiles_;
  int64_t count_ = 0;
};

// "steps 3, 5, 8 and 10 more".
std::string StepsText(const std::vector<int64_t>& steps) {
  constexpr size_t kShown = 3;
  std::string text = steps.size() == 1 ? "step" : "steps";
  for (size_t i = 0; i < std::min(kShown, steps.size()); ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : ",", steps[i]);
  }
  if (steps.size() > kShown) {
    text += fmt::format(" and {} more", steps.size() - kShown);
  }
  return text;
}

// Returns true if something is compiled again and again.
bool CheckSteps(const DeviceCheck& check, const CheckerSettings& settings,
                CheckResult& result) {
  const Compiled compiled = StepCompilations(check).Find();
  if (compiled.steps.empty()) return false;
  const int64_t time = timeline::Length(compiled.times);
  const int64_t span = compiled.span.length();
  // What accelerators have to do meanwhile is not lost.
  timeline::Intervals lost_times = compiled.times;
  bool has_accelerator = false;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (!device.accelerator || device.busy.empty()) continue;
    has_accelerator = true;
    lost_times = timeline::Subtract(lost_times, device.busy);
  }
  const int64_t lost = timeline::Length(lost_times);
  Finding f = ShareFinding(check, "compiles_in_steps", "", lost, span,
                           settings.Get("compiles_in_steps"), lost);
  if (f.value <= f.threshold) return false;
  f.evidence = "op -order_by cpu_micros -select cpu_micros,occurrence";
  const std::string share =
      fmt::format("for {} of their time ({} of {})", util::Percent(time, span),
                  check.Time(time), check.Time(span));
  const double again = settings.Get("recompilation");
  const bool repeated = static_cast<double>(compiled.steps.size()) >= again;
  if (!repeated) {
    f.once_micros = profile::TicksToMicros(lost, check.ticks_per_micro);
  }
  const std::string ops = compiled.ops.Times(check);
  if (repeated) {
    f.rule = "recompilation";
    f.value = static_cast<double>(compiled.steps.size());
    f.threshold = again;
    f.advice =
        "Give the function arguments of one shape and type: pad batches to a "
        "few sizes, mark dimensions as dynamic, mark Python numbers as static "
        "or make arrays of them.";
    f.text = fmt::format(
        "steps are compiled again and again, {}: {} compilations in {} of {} "
        "steps ({}), as if shapes or types change; {}",
        share, tables::FormatCount(static_cast<int64_t>(compiled.times.size())),
        compiled.steps.size(), compiled.num_steps, StepsText(compiled.steps),
        ops);
  } else {
    f.advice =
        "Compile before the loop: run a step of each shape first, or keep "
        "compiled programs in a cache on disk.";
    f.text = fmt::format(
        "steps compile {}, {}, in {}: {}", share,
        util::Counted(std::max(compiled.times.size(), compiled.steps.size()),
                      "time"),
        StepsText(compiled.steps), ops);
  }
  // A tf.function whose arguments are Python values; see the loader of XPlane.
  if (ops.find(" (tracing)") != ops.npos) {
    f.advice =
        timeline::RemedyOf(timeline::Part::kCompilation, {}, check.profile());
  }
  const size_t processes = check.profile().lanes().num_processes();
  if (processes > 1) {
    f.text += fmt::format(", summed over {} processes", processes);
  }
  if (has_accelerator && lost < time) {
    f.text += fmt::format("; accelerators have nothing to do for {} of it",
                          check.Time(lost));
  }
  result.findings.push_back(std::move(f));
  return repeated;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  if (!CheckSteps(check, settings, result)) {
    CheckPrograms(check, settings.Get("recompilation"), result);
  }
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

// Finds time spent waiting for input: a task's iterators, dequeues and readers
// run, and none of its other ops does.
//
// Input that is fetched while something computes costs nothing, so only the
// time without other work counts. An op that runs a function lasts as long as
// the function, including its input ops, and a receive waits itself: neither
// counts as computing.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"

namespace tfprof::advisor {
namespace {
namespace input {

constexpr std::string_view kName = "InputPipelineChecker";

constexpr Rule kRules[] = {
    {"input_wait",
     "A process spent more than the threshold of its steps in input ops, with "
     "nothing else running.",
     "share of the step", "input_wait"},
};
constexpr CheckerOption kOptions[] = {
    {"input_wait", 0.1, "share", "Shorter waits are not reported."},
    kMinStep,
};

constexpr std::string_view kInputOps[] = {
    "BarrierTakeMany",
    "IteratorGetNext",
    "IteratorGetNextAsOptional",
    "IteratorGetNextSync",
    "MultiDeviceIteratorGetNextFromShard",
    "QueueDequeue",
    "QueueDequeueMany",
    "QueueDequeueManyV2",
    "QueueDequeueUpTo",
    "QueueDequeueUpToV2",
    "QueueDequeueV2",
    "ReaderRead",
    "ReaderReadUpTo",
    "ReaderReadUpToV2",
    "ReaderReadV2",
    "Unstage",
};

// The duration of these ops includes what they call or wait for.
constexpr std::string_view kOpsWithoutWork[] = {
    "Case",          "If",          "PartitionedCall",
    "Recv",          "RemoteCall",  "StatefulPartitionedCall",
    "StatelessCase", "StatelessIf", "StatelessWhile",
    "While",         "_HostRecv",   "_Recv"};

enum class Kind : uint8_t { kUnknown, kWork, kInput, kNoWork };

Kind KindOf(std::string_view op) {
  const auto is_op = [op](std::string_view other) { return op == other; };
  if (std::ranges::any_of(kInputOps, is_op)) return Kind::kInput;
  return std::ranges::any_of(kOpsWithoutWork, is_op) ? Kind::kNoWork
                                                     : Kind::kWork;
}

// The input times of one process.
struct Wait {
  StepShare alone;    // in input ops and in nothing else
  int64_t input = 0;  // in input ops at all
  std::map<std::string, int64_t> ops;
};

class InputCheck {
 public:
  explicit InputCheck(views::Views& views)
      : activities_(views.Kept<timeline::Activities>()),
        kinds_(views.profile().nodes().size(), Kind::kUnknown) {}

  void Add(const profile::Step& step, const ProcessStep& process) {
    timeline::IntervalCollector all_input, all_work;
    std::map<std::string, int64_t> ops;
    ForEachOp(activities_, step, process.process,
              [&](const timeline::DeviceRun& run) {
                const Kind kind = KindOfRun(run);
                if (kind == Kind::kNoWork) return;
                const bool is_input = kind == Kind::kInput;
                (is_input ? all_input : all_work).Add(run.start, run.end);
                if (!is_input || run.length() <= 0) return;
                int64_t& micros = ops[std::string(activities_.TypeOf(run))];
                micros = util::WrapAdd(micros, process.Micros(run.length()));
              });
    const timeline::Intervals input = std::move(all_input).Take();
    if (input.empty()) return;
    timeline::Intervals work = std::move(all_work).Take();
    for (const timeline::DeviceActivity* device : process.devices) {
      work = timeline::Union(work, device->copies);
      if (device->accelerator) work = timeline::Union(work, device->compute);
    }
    Wait& wait = waits_[process.process];
    wait.alone.Add(step, process.span,
                   process.Micros(timeline::Subtract(input, work)));
    wait.input = util::WrapAdd(wait.input, process.Micros(input));
    for (const auto& [op, micros] : ops) {
      int64_t& sum = wait.ops[op];
      sum = util::WrapAdd(sum, micros);
    }
  }

  void Report(double threshold, CheckResult& result) const {
    for (const auto& [process, wait] : waits_) {
      if (wait.alone.share() <= threshold) continue;
      Finding f = wait.alone.MakeFinding(kRules[0].id, threshold);
      std::string names;
      for (const auto& [op, micros] : wait.ops) {
        if (!names.empty()) names += ',';
        names += op;
      }
      f.subject = std::max_element(wait.ops.begin(), wait.ops.end(),
                                   [](const auto& a, const auto& b) {
                                     return a.second < b.second;
                                   })
                      ->first;
      f.evidence = fmt::format(
          "op -step {} -show_name_regexes {} -select micros,occurrence "
          "-order_by micros",
          wait.alone.worst_step, names);
      f.advice =
          "Fetch input ahead of the step: prefetch, parallel map and "
          "interleave, a cache, larger records.";
      const std::string& name = ProcessTitle(activities_, process);
      f.text = fmt::format(
          "{}{}waits for {} during {}; with other work beside it, input takes "
          "{}",
          name, name.empty() ? "" : ": ", f.subject, wait.alone.Text(),
          tables::FormatMicros(wait.input / wait.alone.steps));
      result.findings.push_back(std::move(f));
    }
  }

 private:
  Kind KindOfRun(const timeline::DeviceRun& run) {
    if (run.node == profile::kNone) return KindOf(activities_.TypeOf(run));
    Kind& kind = kinds_[run.node];
    if (kind == Kind::kUnknown) kind = KindOf(activities_.TypeOf(run));
    return kind;
  }

  timeline::Activities& activities_;
  std::vector<Kind> kinds_;  // by node
  std::map<profile::ProcessId, Wait> waits_;
};

// Without a graph, TensorFlow 1 gives the types of operations in labels only.
bool MayHaveInputOps(const profile::Profile& profile) {
  const profile::NodeTable& nodes = profile.nodes();
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    if (!profile.graph().self_times && nodes.record[n] == profile::kNoRecord &&
        nodes.op[n] == nodes.name[n]) {
      return true;
    }
  }
  return std::ranges::any_of(kInputOps, [&](std::string_view op) {
    return profile.strings().Find(op) != profile::kNone;
  });
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  views::Views& views = input.views;
  CheckResult result;
  if (!MayHaveInputOps(views.profile())) return result;
  NoteMissing(views, kName, /*needs_kernels=*/false, result.notes);
  InputCheck check(views);
  ForEachProcess(views, settings.Get("min_step"),
                 [&](const profile::Step& step, const ProcessStep& process) {
                   check.Add(step, process);
                 });
  check.Report(settings.Get("input_wait"), result);
  return result;
}

}  // namespace input
}  // namespace

const Checker kInputPipelineChecker = {
    input::kName,
    "Time in which steps wait for iterators, queues and readers.",
    Checker::Kind::kAdvice,
    input::kRules,
    input::kOptions,
    input::Check,
    Checker::Needs::kStepTimes};

}  // namespace tfprof::advisor

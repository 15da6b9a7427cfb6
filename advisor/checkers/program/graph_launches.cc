// Finds time of accelerators in replayed graphs whose kernels nothing names:
// one launch starts all of them, so all of their time is in one row.

#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/replay_time.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace graph_launches {

constexpr Rule kRules[] = {
    {"graph_launches",
     "Kernels of replayed graphs have no operation, because the profile does "
     "not say which one captured them.",
     "share of the accelerators' time"},
};

// The program is fine: only the profile lacks something. So this is never a
// problem.
CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  CheckResult result;
  const timeline::ReplayTime replays =
      timeline::UnnamedReplays(input.views.profile());
  if (replays.ticks <= 0) return result;
  const DeviceCheck check = OpenDevices(input);
  Finding f;
  f.rule = "graph_launches";
  f.value = replays.share();
  f.severity = Finding::Severity::kInfo;
  f.evidence =
      "op -step all -order_by accelerator_micros -select accelerator_micros";
  f.advice =
      "Record the captures of the graphs too and open them with this file: "
      "tfprof EXECUTION CAPTURE… op. SGLang writes them with "
      "--enable-profile-cuda-graph, vLLM with "
      "--profiler-config.capture_torch_profiler=true and "
      "VLLM_USE_V2_MODEL_RUNNER=0, both into the folder capture_traces. Or "
      "mark the nodes of the graph with torch.cuda.graph_annotations.";
  f.text = fmt::format(
      "{} of the accelerators' time ({} of {}) is {} kernel{} of {} graph "
      "launch{}, and nothing in the profile says which operations they are",
      util::Percent(replays.ticks, replays.of_all), check.Time(replays.ticks),
      check.Time(replays.of_all), tables::FormatCount(replays.kernels),
      replays.kernels == 1 ? "" : "s", tables::FormatCount(replays.launches),
      replays.launches == 1 ? "" : "es");
  result.findings.push_back(std::move(f));
  return result;
}

}  // namespace graph_launches
}  // namespace

const Checker kGraphLaunchChecker = {
    "GraphLaunchChecker",
    "Whether the kernels of replayed graphs have operations.",
    Checker::Kind::kAdvice,
    graph_launches::kRules,
    {},
    graph_launches::Check,
    Checker::Needs::kAccelerators};

}  // namespace tfprof::advisor

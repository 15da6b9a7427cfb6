// One operation that takes most of the steps: what makes it faster makes the
// program faster, and nothing else does.
//
// The share is the sum of its op times in all steps, divided by the wall time
// of these steps. For information: most of a small program may well be one
// operation.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/step_wall.h"
#include "util/arithmetic.h"
#include "util/percent.h"

namespace tfprof {
namespace {

constexpr Rule kRules[] = {
    {"dominant_node",
     "One operation takes this share of the wall time of the steps or more.",
     "share of the wall time", "dominant_node"},
};
constexpr CheckerOption kOptions[] = {
    {"dominant_node", 0.5, "share", "Less is not reported."},
    {"min_micros", 1000, "us", "Less wall time is not judged."},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const Profile& profile = input.views.profile();
  int64_t wall = 0, steps = 0;
  absl::flat_hash_map<NodeId, int64_t> times;
  for (const StepWall& of_step : StepWalls(input.views)) {
    if (!of_step.known) continue;
    ++steps;
    wall = SaturatingAdd(wall, of_step.ticks);
    for (size_t g = 0; g < of_step.step->num_groups(); ++g) {
      int64_t& sum = times[static_cast<NodeId>(of_step.step->node[g])];
      sum = SaturatingAdd(sum, of_step.step->sums.Time(g));
    }
  }
  NodeId node = kNone;
  int64_t most = 0;
  for (const auto& [id, time] : times) {
    if (time < most || (time == most && id >= node)) continue;
    most = time;
    node = id;
  }
  if (node == kNone ||
      static_cast<double>(profile.Micros(wall)) < settings.Get("min_micros")) {
    return result;
  }
  Finding f;
  f.value = static_cast<double>(most) / static_cast<double>(wall);
  f.threshold = settings.Get("dominant_node");
  if (f.value < f.threshold) return result;
  const std::string_view name = profile.node_name(node);
  f.rule = kRules[0].id;
  f.subject = std::string(name);
  f.evidence = "top 1";
  f.advice =
      "Make this operation cheaper, or run it less often: no other "
      "operation has more time to win.";
  f.text = fmt::format(
      "{} ({}) takes {} of the wall time of {} ({} of {}, a sum of op times)",
      name, profile.strings().Get(profile.nodes().op[node]),
      Percent(most, wall),
      steps == 1 ? "the step" : fmt::format("{} steps", steps),
      FormatTime(most, profile.ticks_per_micro()),
      FormatTime(wall, profile.ticks_per_micro()));
  result.findings.push_back(std::move(f));
  return result;
}

}  // namespace

const Checker kDominantNodeChecker = {
    "DominantNodeChecker",
    "Whether one operation takes most of the steps.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kExecutions};

}  // namespace tfprof

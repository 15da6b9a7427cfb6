// Finds pipeline stages that wait for each other. Each rank of a pipeline sends
// to and receives from its neighbours; a receive lasts until the sender is
// ready. Part of that is the bubble, which the numbers of stages and
// micro-batches determine; the rest is lost to uneven stages, uneven
// micro-batches or a slow link.
//
// PipelineChecker judges traces whose operations say their stage and
// micro-batch.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "timeline/lane_units.h"
#include "timeline/ranks/collective_call.h"
#include "util/arithmetic.h"
#include "util/median.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace stage_waits {

constexpr Rule kRules[] = {
    {"pipeline_bubble",
     "Stages of a pipeline wait for their neighbours for more than the "
     "threshold of their time.",
     "share of the devices' time", "bubble"},
};
constexpr CheckerOption kOptions[] = {
    {"bubble", 0.2, "share", "Less is not reported."},
    {"slow_link", 4, "ratio",
     "A link is slow if its transfers take this many times the median of the "
     "others."},
};

// What a device sends and receives.
struct Stage {
  int64_t rank = -1;
  int64_t waits = 0;  // ticks in which it only sends or receives
  int64_t wall = 0;
  int64_t compute = 0;
  int64_t receives = 0;
  // The lengths of its transfers with each other rank.
  std::map<int64_t, std::vector<int64_t>> transfers;
};

Stage StageOf(const DeviceCheck& check,
              const timeline::DeviceActivity& device) {
  Stage stage;
  const profile::ProcessId process =
      check.activities.units()[device.unit].process;
  if (process == profile::kNone) return stage;
  stage.rank = check.profile().lanes().process(process).rank;
  stage.wall = check.Wall(device);
  stage.compute = check.InSteps(device, device.compute);
  timeline::Intervals times;
  for (const timeline::DeviceRun& run : device.runs) {
    if (!timeline::IsPeerTransfer(check.activities, run)) continue;
    timeline::AddInterval(times, run.start, run.end);
    const timeline::CollectiveCall call =
        timeline::CallOf(check.activities, run);
    stage.receives += call.kind == "recv";
    if (call.peer >= 0) stage.transfers[call.peer].push_back(run.length());
  }
  stage.waits =
      check.InSteps(device, timeline::Subtract(times, device.compute));
  return stage;
}

// A pipeline that several ranks recorded. Its first and last stage receive once
// for each micro-batch, the stages between them twice.
struct Shape {
  int64_t stages = 0;
  int64_t micro_batches = 0;  // of a step

  double bubble() const {
    return static_cast<double>(stages - 1) /
           static_cast<double>(micro_batches + stages - 1);
  }
};

Shape ShapeOf(const DeviceCheck& check, const std::vector<Stage>& stages) {
  int64_t fewest = 0;
  for (const Stage& stage : stages) {
    if (stage.receives == 0) continue;
    fewest = fewest == 0 ? stage.receives : std::min(fewest, stage.receives);
  }
  const auto ends = std::ranges::count_if(stages, [&](const Stage& stage) {
    return stage.receives > 0 && stage.receives < fewest + fewest / 2;
  });
  if (fewest < check.steps || ends < 2) return {};
  return {.stages = 2 * static_cast<int64_t>(stages.size()) / ends,
          .micro_batches = fewest / check.steps};
}

// "rank 1 and rank 2": neighbours whose fastest transfers take much longer than
// those of others; "" if none do.
std::string SlowLink(const std::vector<Stage>& stages, double ratio) {
  constexpr size_t kTenth = 10;
  std::map<std::pair<int64_t, int64_t>, int64_t> links;
  for (const Stage& stage : stages) {
    for (const auto& [peer, lengths] : stage.transfers) {
      // What waits is longer than the transfer itself, at either end.
      std::vector<int64_t> sorted = lengths;
      const auto fast =
          sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / kTenth);
      std::ranges::nth_element(sorted, fast);
      const auto [it, is_new] =
          links.try_emplace(std::minmax(stage.rank, peer), *fast);
      if (!is_new) it->second = std::min(it->second, *fast);
    }
  }
  if (links.size() < 3) return "";
  std::vector<int64_t> times;
  for (const auto& [ranks, time] : links) times.push_back(time);
  const auto slowest = std::ranges::max_element(
      links, {}, [](const auto& link) { return link.second; });
  if (static_cast<double>(slowest->second) <
      ratio * static_cast<double>(util::Median(std::move(times)))) {
    return "";
  }
  return fmt::format("rank {} and rank {}", slowest->first.first,
                     slowest->first.second);
}

// The stage that computes longest, if that is much more than the others do.
const Stage* SlowStage(const std::vector<Stage>& stages) {
  constexpr double kSlow = 1.1;
  const auto slow = std::ranges::max_element(stages, {}, &Stage::compute);
  std::vector<int64_t> others;
  for (const Stage& stage : stages) {
    if (stage.rank != slow->rank) others.push_back(stage.compute);
  }
  if (others.empty() ||
      static_cast<double>(slow->compute) <
          kSlow * static_cast<double>(util::Median(std::move(others)))) {
    return nullptr;
  }
  return &*slow;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  std::vector<Stage> stages;
  int64_t waits = 0, wall = 0;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (!device.accelerator || device.communication.empty()) continue;
    Stage stage = StageOf(check, device);
    if (stage.rank < 0 || stage.transfers.empty()) continue;
    waits = util::SaturatingAdd(waits, stage.waits);
    wall = util::SaturatingAdd(wall, stage.wall);
    stages.push_back(std::move(stage));
  }
  if (stages.size() < 2) return result;
  const auto count = static_cast<int64_t>(stages.size());
  Finding f = ShareFinding(check, kRules[0].id, "", waits / count, wall / count,
                           settings.Get("bubble"), waits / count);
  if (f.value <= f.threshold) return result;
  f.evidence = "devices";
  f.text = fmt::format(
      "stages of the pipeline wait for their neighbours for {} of their time "
      "({} of {})",
      util::Percent(waits, wall), check.Time(waits / count),
      check.Time(wall / count));
  const Shape shape = ShapeOf(check, stages);
  constexpr double kMargin = 1.25;
  const bool is_usual =
      shape.stages >= 2 && f.value <= kMargin * shape.bubble();
  if (shape.stages >= 2) {
    f.text += fmt::format(
        "; with {} stages and {} micro-batches per step, the schedule has a "
        "bubble of up to {:.0f}%",
        shape.stages, shape.micro_batches, 100 * shape.bubble());
  }
  const profile::LaneTable& lanes = check.profile().lanes();
  const int64_t missing = timeline::MissingRanks(lanes);
  const Stage* slow = is_usual ? nullptr : SlowStage(stages);
  const std::string link = SlowLink(stages, settings.Get("slow_link"));
  if (!link.empty()) {
    f.subject = link;
    f.text += fmt::format(
        "; transfers between {} take much longer than the others", link);
    f.advice =
        "Look at the network between these ranks (link errors, a fallback to "
        "TCP, cables, a shared switch), or place them nearer.";
  } else if (slow != nullptr) {
    f.subject = fmt::format("rank {}", slow->rank);
    f.text += fmt::format("; {} computes longest, {} per step", f.subject,
                          check.Time(slow->compute / check.steps));
    f.advice = fmt::format(
        "Give the stages the same time: move layers from {} to the others (the "
        "last stage has the output layer and the loss, too), or look for a "
        "slower device.",
        f.subject);
  } else if (missing > 0) {
    f.text += fmt::format(
        "; {}", timeline::MissingRanksText(missing, lanes.num_processes()));
    f.advice =
        "Record all ranks: the stage for which the others wait may be one that "
        "is not in the files.";
  } else if (is_usual) {
    f.advice =
        "Use more micro-batches in each step, or several parts of the model on "
        "each rank (interleaved schedule), so that the bubble is smaller.";
    // Twice the micro-batches have about half of it.
    f.saving_micros /= 2;
  } else {
    f.advice =
        "Balance the pipeline: stages with the same time (move layers), and "
        "micro-batches with the same amount of work (lengths of sequences).";
  }
  result.findings.push_back(std::move(f));
  return result;
}

}  // namespace stage_waits
}  // namespace

const Checker kStageWaitChecker = {
    "StageWaitChecker",
    "Whether stages of a pipeline wait for each other.",
    Checker::Kind::kAdvice,
    stage_waits::kRules,
    stage_waits::kOptions,
    stage_waits::Check,
    Checker::Needs::kSeveral};

}  // namespace tfprof::advisor

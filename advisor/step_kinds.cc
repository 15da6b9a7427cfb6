#include "advisor/step_kinds.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "flops/op_costs.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/account.h"
#include "timeline/account/work_classes.h"
#include "timeline/activity.h"
#include "timeline/intervals.h"
#include "timeline/lane_units.h"
#include "util/arithmetic.h"
#include "util/median.h"
#include "util/text/ascii.h"

namespace tfprof::advisor {

double NodesInCommon(const profile::Step& a, const profile::Step& b) {
  size_t both = 0;
  for (size_t i = 0, k = 0; i < a.num_groups() && k < b.num_groups();) {
    const int64_t x = a.node[i], y = b.node[k];
    both += x == y;
    i += x <= y;
    k += y <= x;
  }
  const size_t either = a.num_groups() + b.num_groups() - both;
  return either == 0 ? 0
                     : static_cast<double>(both) / static_cast<double>(either);
}

std::vector<const profile::Step*> StepsOfAKind(const profile::Profile& profile,
                                               double same_nodes) {
  std::vector<const profile::Step*> ran;
  for (const auto& step : profile.steps()) {
    if (step->listed && step->num_executions() > 0) ran.push_back(step.get());
  }
  if (ran.empty()) return ran;
  std::vector<const profile::Step*> by_size = ran;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const profile::Step* a, const profile::Step* b) {
                     return a->num_groups() < b->num_groups();
                   });
  const profile::Step& typical = *by_size[by_size.size() / 2];
  std::erase_if(ran, [&](const profile::Step* step) {
    return NodesInCommon(*step, typical) < same_nodes;
  });
  return ran;
}

namespace {

// Whether a part of a node's name, such as "evaluate/aten::mm", says that the
// program evaluates a model.
bool IsEvaluation(std::string_view name) {
  const std::string lower = util::LowerCase(name);
  for (const std::string_view word :
       {"evaluat", "validat", "eval_", "_eval", "eval/", "val_step"}) {
    if (lower.find(word) != lower.npos) return true;
  }
  return false;
}

// How many times as many float operations `slow` has, by the shapes of its
// operations; 0 if the file does not have the shapes.
double MoreFloatOps(const profile::Profile& profile, const profile::Step& slow,
                    const profile::Step& usual) {
  const profile::Step* const steps[] = {&slow, &usual};
  const flops::OpCosts costs = flops::ComputeOpCosts(profile, steps);
  if (costs.flops_of_step.size() < 2 || costs.flops_of_step[1] <= 0) return 0;
  return static_cast<double>(costs.flops_of_step[0]) /
         static_cast<double>(costs.flops_of_step[1]);
}

int64_t ComputeTicks(const timeline::StepAccount& account) {
  int64_t ticks = 0;
  for (const timeline::DeviceAccount& device : account.devices) {
    ticks = util::SaturatingAdd(ticks, device.Of(timeline::PartKind::kCompute));
  }
  return ticks;
}

// " of rank 1 gpu:1" if a part grew on one of several accelerators only;
// otherwise "".
std::string OnlyOn(views::Views& views, const timeline::StepAccount& account,
                   const timeline::StepAccount& usual,
                   const timeline::GrownPart& grown) {
  constexpr int64_t kAlso = 2;
  bool any = false;
  for (const timeline::DeviceAccount& device : account.devices) {
    const timeline::DeviceAccount* before = usual.Find(device.unit);
    if (device.unit == grown.unit || before == nullptr || !device.accelerator) {
      continue;
    }
    any = true;
    const int64_t more =
        util::WrapSub(device[grown.part].ticks, (*before)[grown.part].ticks);
    if (more > grown.more / kAlso) return "";
  }
  return any ? " of " +
                   views.Kept<timeline::Activities>().units()[grown.unit].name
             : "";
}

// The accelerator whose kernels became slower by the largest factor.
struct SlowerDevice {
  uint32_t unit = 0;
  double factor = 0;  // 0: none
};
SlowerDevice SlowestDevice(const timeline::StepAccount& account,
                           const timeline::StepAccount& usual) {
  SlowerDevice slowest;
  for (const timeline::DeviceAccount& device : account.devices) {
    const timeline::DeviceAccount* before = usual.Find(device.unit);
    if (before == nullptr || !device.accelerator) continue;
    const double factor = SlowerClock(*before, device);
    if (factor > slowest.factor) slowest = {device.unit, factor};
  }
  return slowest;
}

}  // namespace

double SlowerClock(const timeline::DeviceAccount& from,
                   const timeline::DeviceAccount& to) {
  constexpr double kAlike = 0.1;
  constexpr double kLeastFactor = 1.1;
  constexpr int kLeastKernels = 3;
  constexpr double kLeastShare = 0.6;  // of the computation that is compared
  constexpr double kMost = 0.8;        // of what is compared
  std::vector<double> factors, times;
  double compared = 0;
  for (const timeline::PartInfo& info : timeline::AllParts()) {
    if (info.kind != timeline::PartKind::kCompute) continue;
    for (const timeline::PartDetail& of : from[info.part].details) {
      const auto& later = to[info.part].details;
      const auto same =
          std::ranges::find(later, of.name, &timeline::PartDetail::name);
      if (same == later.end() || of.ticks <= 0) continue;
      if (same->count != of.count) return 0;
      factors.push_back(static_cast<double>(same->ticks) /
                        static_cast<double>(of.ticks));
      times.push_back(static_cast<double>(of.ticks));
      compared += times.back();
    }
  }
  if (factors.size() < kLeastKernels ||
      compared < kLeastShare * static_cast<double>(
                                   from.Of(timeline::PartKind::kCompute))) {
    return 0;
  }
  const double usual = util::Median(std::vector<double>(factors));
  // A short kernel may take any time in one step, but not less than before.
  double alike = 0;
  for (size_t i = 0; i < factors.size(); ++i) {
    if (std::abs(factors[i] - usual) <= kAlike * usual) alike += times[i];
    if (factors[i] < 1 + (usual - 1) / 2) return 0;
  }
  return alike >= kMost * compared && usual >= kLeastFactor ? usual : 0;
}

NodeDifference LargestDifference(const profile::Profile& profile,
                                 const profile::Step& slow,
                                 const profile::Step& usual) {
  NodeDifference most, on_accelerator;
  // A launch waits, too, while the queue of launches is full.
  const auto waits = [&](int64_t node) {
    const std::string_view op =
        profile.strings().Get(profile.nodes().op[static_cast<size_t>(node)]);
    return timeline::IsWait(op) ||
           timeline::HostCallOf(op) == timeline::HostCall::kLaunch;
  };
  for (size_t i = 0, k = 0; i < slow.num_groups(); ++i) {
    const int64_t node = slow.node[i];
    while (k < usual.num_groups() && usual.node[k] < node) ++k;
    int64_t ticks = slow.sums.Time(i);
    int64_t accelerator = slow.sums.accelerator_time[i];
    if (k < usual.num_groups() && usual.node[k] == node) {
      ticks = util::WrapSub(ticks, usual.sums.Time(k));
      accelerator = util::WrapSub(accelerator, usual.sums.accelerator_time[k]);
    }
    const auto keep = [&](int64_t more, NodeDifference& largest) {
      const int64_t micros = profile.Micros(more);
      if (micros > largest.micros && !waits(node)) {
        largest = {micros, static_cast<profile::NodeId>(node)};
      }
    };
    keep(ticks, most);
    keep(accelerator, on_accelerator);
  }
  return on_accelerator.micros >= most.micros / 2 && on_accelerator.micros > 0
             ? on_accelerator
             : most;
}

StepCause CauseOfSlowStep(views::Views& views, const profile::Step& slow,
                          const profile::Step& usual, int64_t more_ticks) {
  const profile::Profile& profile = views.profile();
  const timeline::StepAccount& account = timeline::AccountOf(views, slow);
  StepCause cause;
  const std::optional<timeline::GrownPart> grown =
      timeline::LargestGrowth(account, timeline::AccountOf(views, usual));
  const bool explains = grown && grown->more >= more_ticks / 2;
  if (explains &&
      timeline::InfoOf(grown->part).kind != timeline::PartKind::kCompute) {
    const timeline::PartInfo& info = timeline::InfoOf(grown->part);
    cause.text = fmt::format(
        "{}{}: {} more than in step {}", info.title,
        OnlyOn(views, account, timeline::AccountOf(views, usual), *grown),
        tables::FormatTime(grown->more, profile.ticks_per_micro()), usual.id);
    if (!grown->detail.empty())
      cause.text += fmt::format(", {}", grown->detail);
    cause.advice =
        timeline::RemedyOf(grown->part, *account.Find(grown->unit), profile);
    cause.known = grown->part != timeline::Part::kNotRecorded;
    cause.waits = grown->part == timeline::Part::kLateRank;
    const profile::LaneTable& lanes = profile.lanes();
    const int64_t missing = timeline::MissingRanks(lanes);
    if (grown->part == timeline::Part::kCommunication && missing > 0) {
      cause.text += fmt::format(
          "; {}", timeline::MissingRanksText(missing, lanes.num_processes()));
      cause.advice =
          "A rank that is not in the files may be late in this step: record "
          "all ranks, and open their folder to see which one it is.";
    }
    return cause;
  }
  const NodeDifference difference = LargestDifference(profile, slow, usual);
  if (difference.node == profile::kNone) return cause;
  cause.node = difference.node;
  cause.known = true;
  const std::string_view name = profile.node_name(difference.node);
  cause.text = fmt::format("{} takes {} more than in step {}", name,
                           tables::FormatMicros(difference.micros), usual.id);
  cause.advice = timeline::RemedyOfOp(name);
  const size_t processes = profile.lanes().num_processes();
  if (processes > 1) {
    cause.text += fmt::format(", summed over {} processes", processes);
  }
  const SlowerDevice slower =
      SlowestDevice(account, timeline::AccountOf(views, usual));
  const double work = MoreFloatOps(profile, slow, usual);
  if (slower.factor > 0 && work <= 1) {
    cause.text += fmt::format(
        "; the kernels{} are the same ones, and each takes {:.2f} times as "
        "long, as if the clock of the device went down or another program "
        "used it{}",
        account.devices.size() > 1
            ? " of " +
                  views.Kept<timeline::Activities>().units()[slower.unit].name
            : "",
        slower.factor, work <= 0 ? ", or its inputs grew" : "");
    cause.advice =
        "Look at what else runs on the device, and at its clock, power and "
        "temperature in such steps (nvidia-smi dmon).";
    return cause;
  }
  if (IsEvaluation(name)) {
    cause.on_purpose = true;
    cause.advice =
        "An evaluation is work of its own: judge these steps apart from the "
        "others, or evaluate less often.";
    return cause;
  }
  // The time grows with the work, or less.
  constexpr double kExplains = 0.8;
  const double computes =
      static_cast<double>(ComputeTicks(account)) /
      static_cast<double>(std::max<int64_t>(
          1, ComputeTicks(timeline::AccountOf(views, usual))));
  if (work > 1 && computes > 1 && work - 1 >= kExplains * (computes - 1)) {
    cause.on_purpose = true;
    constexpr double kSame = 0.8;  // of the nodes
    const bool same = NodesInCommon(slow, usual) >= kSame;
    cause.text +=
        fmt::format("; it has {:.2f} times as many float operations{}", work,
                    same ? ": its inputs are larger" : "");
    if (!same) return cause;
    cause.advice =
        "Steps with larger inputs take longer: sort or pack inputs by length, "
        "so that all steps have about the same amount of work.";
  }
  return cause;
}

int64_t TimeAbove(const profile::Profile& profile,
                  std::span<const timeline::StepWall> steps, int64_t usual) {
  struct Sum {
    int64_t nanos = 0;
    int64_t processes = 0;
  };
  absl::flat_hash_map<int64_t, Sum> of_step;
  const profile::StepIntervals& intervals = profile.step_intervals();
  for (size_t row = 0; row < intervals.size(); ++row) {
    Sum& sum = of_step[intervals.step[row]];
    sum.nanos = util::SaturatingAdd(
        sum.nanos, std::max<int64_t>(0, util::WrapSub(intervals.end[row],
                                                      intervals.start[row])));
    // A process may enter a step several times.
    const bool same = row > 0 &&
                      intervals.step[row] == intervals.step[row - 1] &&
                      intervals.process[row] == intervals.process[row - 1];
    if (!same) ++sum.processes;
  }
  int64_t above = 0;
  for (const timeline::StepWall& step : steps) {
    const auto recorded = of_step.find(step.step->id);
    const int64_t ticks =
        recorded != of_step.end() && recorded->second.processes > 1
            ? util::SaturatingMul(
                  recorded->second.nanos / recorded->second.processes,
                  profile.ticks_per_micro()) /
                  profile::kNanosPerMicro
            : step.ticks;
    above = util::SaturatingAdd(
        above, std::max<int64_t>(0, util::WrapSub(ticks, usual)));
  }
  return above;
}

}  // namespace tfprof::advisor

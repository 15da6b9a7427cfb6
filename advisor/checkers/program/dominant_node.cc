// Finds the part that takes most of the steps: one operation, else one line of
// code including its calls, else one scope. Only a faster part can make the
// program much faster.
//
// The share is of the wall time of the steps. If accelerators ran, only their
// time counts, as the mean of the accelerators: the host mostly waits for them
// in a call such as cudaDeviceSynchronize, which is no work. A line or a scope
// must also take twice the time of everything outside it: every program has a
// line, and most have a scope, that contains everything, and a backward pass
// always takes more than a forward pass.
//
// The finding is for information: a small program may well spend most of its
// time in one operation.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/account.h"
#include "timeline/account/step_wall.h"
#include "timeline/account/work_classes.h"
#include "timeline/activity.h"
#include "timeline/ranks/communication.h"
#include "util/arithmetic.h"
#include "util/median.h"
#include "util/text/percent.h"
#include "views/code.h"
#include "views/library_file.h"

namespace tfprof::advisor {
namespace {
namespace dominant_node {

constexpr Rule kRules[] = {
    {"dominant_node",
     "One operation takes this share of the wall time of the steps or more.",
     "share of the wall time", "dominant_node"},
    {"dominant_line",
     "The same for a line of code with its calls, if it takes twice as long as "
     "everything outside it.",
     "share of the wall time", "dominant_node"},
    {"dominant_scope", "The same for a scope and everything in it.",
     "share of the wall time", "dominant_node"},
};
constexpr CheckerOption kOptions[] = {
    {"dominant_node", 0.5, "share", "Less is not reported."},
    {"dominant_kernel", 0.3, "share",
     "Less is not reported of an operation of accelerators, or of the hosts of "
     "TensorFlow 1, that is no product, convolution, attention, copy, input or "
     "communication."},
    {"min_micros", 1000, "us", "Less wall time is not judged."},
};
// A line or a scope stands out if it takes this many times the time of
// everything outside it.
constexpr int64_t kStandsOut = 2;
// Rows with a smaller share of the wall time are skipped.
constexpr double kPart = 0.05;
// PyTorch's operation of all collectives.
constexpr std::string_view kCollectives = "record_param_comms";
// A row that has children and leaves less than this share of the wall time to
// everything outside it is the whole program: a training loop, a model.
constexpr double kBesideAll = 0.1;

class DominantCheck {
 public:
  DominantCheck(views::Views& views, const CheckerSettings& settings)
      : views_(views),
        profile_(views.profile()),
        activities_(views.Kept<timeline::Activities>()),
        threshold_(settings.Get("dominant_node")),
        kernel_threshold_(settings.Get("dominant_kernel")),
        min_micros_(settings.Get("min_micros")) {}

  CheckResult Run() {
    CheckResult result;
    AddSteps();
    if (static_cast<double>(profile_.Micros(wall_)) >= min_micros_) {
      if (!AddNode(/*any=*/true, threshold_, result) &&
          !((on_accelerators_ || !profile_.graph().self_times) &&
            AddNode(/*any=*/false, kernel_threshold_, result)) &&
          !AddPart(views::View::kCode, result)) {
        AddPart(views::View::kScope, result);
      }
    }
    return result;
  }

 private:
  void AddSteps() {
    activities_.Everything();  // reads the types of operations
    for (const timeline::StepWall& of_step : timeline::StepWalls(views_)) {
      if (!of_step.known) continue;
      ++steps_;
      wall_ = util::SaturatingAdd(wall_, of_step.done);
      for (size_t g = 0; g < of_step.step->num_groups(); ++g) {
        Times& sum =
            times_[static_cast<profile::NodeId>(of_step.step->node[g])];
        const profile::StepSums& sums = of_step.step->sums;
        sum.all = util::SaturatingAdd(sum.all, sums.Time(g));
        sum.accelerator =
            util::SaturatingAdd(sum.accelerator, sums.accelerator_time[g]);
        on_accelerators_ |= sums.accelerator_time[g] > 0;
      }
    }
    if (on_accelerators_) devices_ = std::max<int64_t>(1, NumAccelerators());
  }

  int64_t NumAccelerators() {
    const auto everything = views_.Kept<timeline::Activities>().Everything();
    return std::count_if(everything->devices.begin(), everything->devices.end(),
                         [](const timeline::DeviceActivity& device) {
                           return device.accelerator && !device.runs.empty();
                         });
  }

  double ShareOf(int64_t time) const {
    return static_cast<double>(time) / static_cast<double>(devices_) /
           static_cast<double>(std::max<int64_t>(1, wall_));
  }

  // Adds a finding if `time`, a sum over all steps, is enough.
  bool Add(const Rule& rule, std::string_view subject, std::string_view what,
           int64_t time, double threshold, CheckResult& result) {
    Finding f;
    f.rule = rule.id;
    f.value = ShareOf(time);
    f.threshold = threshold;
    if (f.value < f.threshold) return false;
    f.subject = std::string(subject);
    std::string counts = "a sum of op times";
    if (on_accelerators_) {
      counts = devices_ == 1
                   ? "on the accelerator"
                   : fmt::format("on each of {} accelerators", devices_);
    }
    const std::string steps =
        steps_ == 1 ? "the step" : fmt::format("{} steps", steps_);
    const std::string times = fmt::format(
        "{} of {}, {}",
        tables::FormatTime(time / devices_, profile_.ticks_per_micro()),
        tables::FormatTime(wall_, profile_.ticks_per_micro()), counts);
    if (f.value > 1) {
      f.value = 1;
      f.text = fmt::format(
          "{} more than the wall time of {}, several runs at the same time "
          "({})",
          what, steps, times);
    } else {
      f.text = fmt::format("{} {:.1f}% of the wall time of {} ({})", what,
                           100 * f.value, steps, times);
    }
    result.findings.push_back(std::move(f));
    return true;
  }

  // What programs do most of the time anyway, or another checker judges.
  bool IsUsual(std::string_view op) const {
    if (!on_accelerators_ &&
        timeline::HostCallOf(op) == timeline::HostCall::kInput) {
      return true;
    }
    switch (timeline::KernelClassOf(op)) {
      case timeline::KernelClass::kMatrixProduct:
      case timeline::KernelClass::kConvolution:
      case timeline::KernelClass::kAttention:
      case timeline::KernelClass::kDeviceCopy:
        return true;
      default:
        return timeline::IsCommunicationOp(op) || op == kCollectives ||
               op.starts_with("nccl") || op.starts_with("c10d") ||
               op.find("GraphLaunch") != op.npos || timeline::IsWait(op);
    }
  }

  // Adds a finding about the operation with most time: any one, or one that
  // rarely has much.
  bool AddNode(bool any, double threshold, CheckResult& result) {
    profile::NodeId node = profile::kNone;
    int64_t most = 0;
    for (const auto& [id, sums] : times_) {
      const int64_t time = on_accelerators_ ? sums.accelerator : sums.all;
      if (time < most || (time == most && id >= node)) continue;
      // A wait is no work, and nothing is won by a cheaper one.
      if (!on_accelerators_ && timeline::IsWait(profile_.node_name(id))) {
        continue;
      }
      const std::string_view type = activities_.TypeOfNode(id);
      if (!on_accelerators_ &&
          (activities_.rules()->IsCommunication(type) ||
           timeline::TakesToken(profile_.node_name(id), type))) {
        continue;
      }
      if (!any && IsUsual(type)) continue;
      most = time;
      node = id;
    }
    if (node == profile::kNone) return false;
    const std::string_view name = profile_.node_name(node);
    const std::string_view type = activities_.TypeOfNode(node);
    // Without a graph, the name is all that the rows of a view show.
    const bool is_only_name =
        profile_.strings().Get(profile_.nodes().op[node]) == name;
    const std::string what =
        NameAndOp(name, is_only_name && name.ends_with(type) ? name : type) +
        " takes";
    if (!Add(kRules[0], name, what, most, threshold, result)) return false;
    result.findings.back().evidence = "top 1";
    Finding& f = result.findings.back();
    f.advice =
        "Make this operation cheaper, or run it less often: no other "
        "operation has more time to win.";
    // Nothing of a step needs to wait for this.
    if (const std::string_view remedy = timeline::RemedyOfOp(type);
        !on_accelerators_ && !remedy.empty()) {
      f.severity = Finding::Severity::kWarning;
      f.saving_micros = profile_.Micros(most) / steps_;
      f.advice = remedy;
    }
    return true;
  }

  // Searches the code or scope view: follows the row with the most time
  // downwards while it takes enough.
  bool AddPart(views::View view, CheckResult& result) {
    if (view == views::View::kCode && !profile_.graph().has_code_traces)
      return false;
    const accounting::Stat stat =
        on_accelerators_ ? accounting::kAcceleratorMicros : accounting::kMicros;
    // The views show averages for a trace, but sums for TensorFlow 1, where a
    // node may not run in each step.
    const bool average = profile_.graph().self_times;
    const int64_t times = average ? steps_ : 1;
    views::ViewOptions options;
    options.max_depth = std::numeric_limits<int32_t>::max();
    options.step =
        average ? accounting::kAverageOfSteps : accounting::kAllSteps;
    options.order = views::ViewOptions::Order::kStat;
    options.order_stat = stat;
    // Smaller rows are not counted as parts.
    options.min[stat] = profile_.Micros(util::ToInteger(
        static_cast<double>(wall_) * static_cast<double>(devices_) * kPart /
        static_cast<double>(times)));
    const views::Report report = views_.Show(view, options);
    const std::vector<std::vector<size_t>> children = ChildrenOf(report);
    const auto time_of = [&](size_t row) {
      return util::SaturatingMul(report.rows[row].total[stat], times);
    };
    const bool code = view == views::View::kCode;
    // The lines of libraries are not what the user can change.
    const auto is_own = [&](size_t row) {
      if (!code) return true;
      const profile::Frame& frame =
          views::RowFrame(profile_, *report.code, report.rows[row].view_row);
      return !views::IsLibraryFile(views::FrameString(profile_, frame.file));
    };
    size_t found = 0;
    bool same_time = false;  // the rows since `found` have about its time
    for (size_t row = 0; row < children.size() && !children[row].empty();) {
      // Children are sorted by time, largest first.
      const size_t first = children[row][0];
      const int64_t time = time_of(first);
      if (ShareOf(time) < threshold_ ||
          report.rows[first].name == views::kNoStackName) {
        break;
      }
      const int64_t others = util::WrapSub(time_of(row), time);
      // Equal parts that run at the same time are not more than the others.
      if (util::WrapSub(time_of(0), time) > time / kStandsOut) {
        row = first;
        continue;
      }
      const double beside = ShareOf(others);
      const bool has_parts = !children[first].empty();
      const bool stands_out =
          others <= time / kStandsOut &&
          beside > (has_parts || found != 0 ? kBesideAll : 0.0);
      same_time = stands_out || (same_time && beside <= kBesideAll);
      if (stands_out || (same_time && is_own(first))) {
        found = first;  // the same time, but more specific
      }
      row = first;
    }
    if (found == 0) return false;
    const std::string_view name = report.rows[found].name;
    const std::string what =
        code ? fmt::format("{}, with what it calls, takes", name)
             : fmt::format("the scope {} takes", name);
    if (!Add(kRules[code ? 1 : 2], name, what, time_of(found), threshold_,
             result)) {
      return false;
    }
    result.findings.back().evidence =
        code ? "code -order_by micros" : "scope -order_by micros";
    result.findings.back().advice =
        "Make this part cheaper, or run it less often: all the others together "
        "take less.";
    return true;
  }

  // Rows of a report as a tree: the children of each row, by index.
  static std::vector<std::vector<size_t>> ChildrenOf(
      const views::Report& report) {
    std::vector<std::vector<size_t>> children(report.rows.size());
    std::vector<size_t> open;  // the path to the current row
    for (size_t i = 0; i < report.rows.size(); ++i) {
      open.resize(report.rows[i].depth);
      if (!open.empty()) children[open.back()].push_back(i);
      open.push_back(i);
    }
    return children;
  }

  struct Times {
    int64_t all = 0;
    int64_t accelerator = 0;
  };

  views::Views& views_;
  const profile::Profile& profile_;
  timeline::Activities& activities_;
  const double threshold_;
  const double kernel_threshold_;
  const double min_micros_;
  int64_t wall_ = 0;
  int64_t steps_ = 0;
  int64_t devices_ = 1;  // whose times are added up
  bool on_accelerators_ = false;
  absl::flat_hash_map<profile::NodeId, Times> times_;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return DominantCheck(input.views, settings).Run();
}

}  // namespace dominant_node
}  // namespace

const Checker kDominantNodeChecker = {
    "DominantNodeChecker",
    "Whether one operation, line of code or scope takes most of the steps.",
    Checker::Kind::kAdvice,
    dominant_node::kRules,
    dominant_node::kOptions,
    dominant_node::Check,
    Checker::Needs::kExecutions};

}  // namespace tfprof::advisor

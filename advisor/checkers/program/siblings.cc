// Finds one among equal parts that takes much longer than the others: a layer,
// an expert or a block whose name differs from theirs only in a number.
//
// Parts are scopes of the profile and paths of names ("layers.3", "Block_7",
// "layer3/conv"). Two parts are siblings if their whole paths are equal but for
// one number. The numbers of single operations mean nothing in a graph
// ("MatMul_3", "fusion.12"), so an operation counts as its type there.
//
// The time is that of accelerators, or of hosts if no accelerator ran. One slow
// step does not make a part slow: it must take longer in most of the steps in
// which it runs.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/evidence.h"
#include "fmt/format.h"
#include "profile/tables/scopes.h"
#include "tables/numbers.h"
#include "timeline/account/step_wall.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"
#include "util/median.h"
#include "util/text/ascii.h"
#include "views/name_path.h"

namespace tfprof::advisor {
namespace {
namespace siblings {

constexpr Rule kRules[] = {
    {"outlier_sibling",
     "One of several layers, experts or other parts with the same name but for "
     "a number takes this many times the median of the others, or more.",
     "ratio to the median", "outlier"},
};
constexpr CheckerOption kOptions[] = {
    {"outlier", 2, "ratio", "Smaller ratios are not reported."},
    {"min_siblings", 4, "count", "Fewer parts are not compared."},
    {"min_steps", 3, "count",
     "A part that ran in fewer steps is not reported: the first run of "
     "anything is slow."},
    {"min_share", 0.03, "share",
     "An excess over the median that is less of the time of the steps is not "
     "reported."},
    {"min_spread", 3, "ratio",
     "The logarithm of the ratio is at least this many times the usual spread "
     "of the others: parts that all differ have no outlier."},
};

constexpr uint32_t kRoot = 0;
constexpr size_t kMaxFindings = 3;
// The median absolute deviation times this is the standard deviation of normal
// values.
constexpr double kDeviation = 1.4826;
// Times of equal parts differ by this share even without a reason.
constexpr double kNoise = 0.05;
// With fewer parts, the slow one must run about as many operations as the
// others: a stage of a model may have more layers than the other stages.
constexpr size_t kManySiblings = 6;
constexpr double kSameRuns = 1.5;

// A scope, or an operation of it.
struct Part {
  uint32_t parent = kRoot;
  std::string_view name;
  int64_t ticks = 0;  // over all steps
  int64_t runs = 0;
};

// Parts whose paths are equal but for one number.
struct Group {
  std::vector<uint32_t> parts;
};

struct Outlier {
  uint32_t part = kRoot;
  const Group* group = nullptr;
  double median = 0;  // of the others
  double excess = 0;
  int64_t steps = 0;  // in which it runs
  int64_t slow_steps = 0;
};

// "layer" for "layer_3", "h" for "h.12"; the name itself without a number.
std::string_view WithoutNumber(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && util::IsDigit(name[end - 1])) --end;
  if (end == name.size()) return name;
  if (end > 0 && (name[end - 1] == '_' || name[end - 1] == '.')) --end;
  return name.substr(0, end);
}

class SiblingCheck {
 public:
  SiblingCheck(const CheckerInput& input, const CheckerSettings& settings)
      : settings_(settings),
        check_(OpenDevices(input)),
        profile_(check_.profile()),
        part_of_node_(profile_.nodes().size(), profile::kNone),
        waits_of_node_(profile_.nodes().size(), 0) {
    for (const timeline::StepWall& wall : timeline::StepWalls(input.views)) {
      if (wall.known) wall_ = util::SaturatingAdd(wall_, wall.ticks);
    }
  }

  CheckResult Run() {
    CheckResult result;
    AddTimes();
    MakeGroups();
    std::vector<Outlier> outliers = Candidates();
    CountSlowSteps(outliers);
    std::vector<Outlier> reported;
    for (const Outlier& outlier : outliers) {
      if (reported.size() == kMaxFindings) break;
      if (2 * outlier.slow_steps <= outlier.steps ||
          static_cast<double>(outlier.steps) < settings_.Get("min_steps") ||
          std::ranges::any_of(reported, [&](const Outlier& other) {
            return SaysTheSame(other.part, outlier.part);
          })) {
        continue;
      }
      reported.push_back(outlier);
      result.findings.push_back(MakeFinding(outlier));
    }
    return result;
  }

 private:
  uint32_t PartOf(uint32_t parent, std::string_view name) {
    const auto [it, is_new] = ids_.try_emplace(
        std::pair(parent, name), static_cast<uint32_t>(parts_.size()));
    if (is_new) parts_.push_back({.parent = parent, .name = name});
    return it->second;
  }

  uint32_t PartOfPath(std::string_view path) {
    uint32_t part = kRoot;
    while (!path.empty()) {
      const std::string_view first = views::FirstPart(path);
      if (!first.empty()) part = PartOf(part, first);
      path.remove_prefix(std::min(path.size(), first.size() + 1));
    }
    return part;
  }

  uint32_t PartOfScope(profile::ScopeId scope) {
    if (scope == profile::kRootScope) return kRoot;
    const profile::Scopes::Entry& entry = profile_.graph().scopes[scope];
    return PartOf(PartOfScope(entry.parent),
                  profile_.strings().Get(entry.name));
  }

  uint32_t PartOfNode(profile::NodeId node) {
    uint32_t& part = part_of_node_[node];
    if (part != profile::kNone) return part;
    const profile::NodeTable& nodes = profile_.nodes();
    std::string_view name = profile_.strings().Get(nodes.name[node]);
    const std::string_view op = profile_.strings().Get(nodes.op[node]);
    uint32_t scope = kRoot;
    if (!nodes.scope.empty()) {
      scope = PartOfScope(nodes.scope[node]);
    } else if (const auto path = views::ScopeOfPath(name)) {
      scope = PartOfPath(*path);
      name = views::LastPart(name);
    }
    part = PartOf(scope, WithoutNumber(name) == op ? op : name);
    return part;
  }

  // A receive, or a send, takes as long as the other side makes it wait.
  bool Waits(profile::NodeId node) {
    enum : uint8_t { kUnknown, kWorks, kWaits };
    uint8_t& known = waits_of_node_[node];
    if (known == kUnknown) {
      const std::string_view type = check_.activities.TypeOfNode(node);
      const bool waits = !profile_.graph().self_times &&
                         (check_.activities.rules()->IsCommunication(type) ||
                          timeline::TakesToken(profile_.node_name(node), type));
      known = waits ? kWaits : kWorks;
    }
    return known == kWaits;
  }

  // The time of a group of executions that counts.
  int64_t TimeOf(const profile::Step& step, size_t group) {
    if (Waits(static_cast<profile::NodeId>(step.node[group]))) return 0;
    return on_accelerators_ ? step.sums.accelerator_time[group]
                            : step.sums.cpu_time[group];
  }

  // Records of some formats name the path of their operation in an argument.
  uint32_t PartOfRun(const timeline::DeviceRun& run) {
    for (const auto& [key, value] :
         profile_.Arguments(check_.activities.RecordOf(run))) {
      if ((key != "name" && key != "tf_op") ||
          value.find(views::kPathSeparator) == value.npos) {
        continue;
      }
      const auto [it, is_new] = kept_paths_.try_emplace(value, kRoot);
      if (is_new) it->second = PartOfPath(it->first);
      return it->second;
    }
    return kRoot;
  }

  // True if no operation of an accelerator has a scope: then only arguments may
  // have paths.
  bool HasPaths() {
    return std::ranges::any_of(part_of_node_, [&](uint32_t part) {
      return part != profile::kNone && parts_[part].parent != kRoot;
    });
  }

  void AddTimes() {
    for (const auto& step : profile_.steps()) {
      if (!step->listed) continue;
      for (size_t g = 0; g < step->num_groups(); ++g) {
        on_accelerators_ |= step->sums.accelerator_time[g] > 0;
      }
    }
    for (const auto& step : profile_.steps()) {
      if (!step->listed) continue;
      for (size_t g = 0; g < step->num_groups(); ++g) {
        if (TimeOf(*step, g) <= 0) continue;
        Part& part =
            parts_[PartOfNode(static_cast<profile::NodeId>(step->node[g]))];
        part.ticks = util::SaturatingAdd(part.ticks, TimeOf(*step, g));
        part.runs += step->sums.run_count[g];
      }
    }
    if (on_accelerators_ && !HasPaths()) FindRuns();
    if (!runs_.empty()) {
      for (Part& part : parts_) part.ticks = part.runs = 0;
      for (const PartRun& run : runs_) {
        Part& part = parts_[run.part];
        part.ticks = util::SaturatingAdd(part.ticks, run.ticks);
        ++part.runs;
      }
    }
    for (size_t i = parts_.size(); i-- > 1;) {
      Part& parent = parts_[parts_[i].parent];
      parent.ticks = util::SaturatingAdd(parent.ticks, parts_[i].ticks);
      parent.runs += parts_[i].runs;
    }
  }

  // Finds the runs whose arguments have a path. A device is skipped if none of
  // its first runs has one.
  void FindRuns() {
    constexpr size_t kTried = 64;
    for (const timeline::DeviceActivity& device : check_.activity->devices) {
      if (!device.accelerator) continue;
      const size_t before = runs_.size();
      for (size_t i = 0; i < device.runs.size(); ++i) {
        const timeline::DeviceRun& run = device.runs[i];
        if (i > kTried && runs_.size() == before) break;
        if (run.kind != timeline::RunKind::kCompute ||
            !profile_.steps()[run.step]->listed) {
          continue;
        }
        const uint32_t part = PartOfRun(run);
        if (part != kRoot) runs_.push_back({run.step, part, run.length()});
      }
    }
  }

  // The times of all parts in a step.
  std::vector<int64_t> TimesIn(uint32_t step_index) {
    const profile::Step& step = *profile_.steps()[step_index];
    std::vector<int64_t> ticks(parts_.size(), 0);
    if (runs_.empty()) {
      for (size_t g = 0; g < step.num_groups(); ++g) {
        const int64_t time = TimeOf(step, g);
        if (time <= 0) continue;
        int64_t& sum =
            ticks[PartOfNode(static_cast<profile::NodeId>(step.node[g]))];
        sum = util::SaturatingAdd(sum, time);
      }
    } else {
      for (const PartRun& run : runs_) {
        if (run.step == step_index) ticks[run.part] += run.ticks;
      }
    }
    for (size_t i = parts_.size(); i-- > 1;) {
      int64_t& sum = ticks[parts_[i].parent];
      sum = util::SaturatingAdd(sum, ticks[i]);
    }
    return ticks;
  }

  // Gives each part the groups of all paths that have one number less.
  void MakeGroups() {
    absl::flat_hash_map<std::pair<uint64_t, std::string>, uint32_t> ids;
    std::vector<std::vector<uint32_t>> groups_of(parts_.size());
    // A group as the parent of a path has a larger number than each part.
    const uint64_t first_group = uint64_t{1} << 32;
    const auto add = [&](uint64_t parent, std::string name, uint32_t part) {
      const auto [it, is_new] =
          ids.try_emplace(std::pair(parent, std::move(name)),
                          static_cast<uint32_t>(groups_.size()));
      if (is_new) groups_.emplace_back();
      groups_[it->second].parts.push_back(part);
      groups_of[part].push_back(it->second);
    };
    for (uint32_t p = 1; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      if (part.ticks <= 0) continue;
      for (const uint32_t group : groups_of[part.parent]) {
        add(first_group + group, std::string(part.name), p);
      }
      for (size_t i = 0; i < part.name.size(); ++i) {
        if (!util::IsDigit(part.name[i])) continue;
        size_t end = i;
        while (end < part.name.size() && util::IsDigit(part.name[end])) ++end;
        // Numbers inside of the name of an operation are of its kind.
        if (HasParts(p) || end == part.name.size()) {
          add(part.parent,
              fmt::format("{}#{}", part.name.substr(0, i),
                          part.name.substr(end)),
              p);
        }
        i = end;
      }
    }
  }

  bool HasParts(uint32_t part) {
    if (has_parts_.empty()) {
      has_parts_.assign(parts_.size(), false);
      for (size_t i = 1; i < parts_.size(); ++i) {
        has_parts_[parts_[i].parent] = true;
      }
    }
    return has_parts_[part];
  }

  // The median of the parts of a group but one, and the spread of their
  // logarithms.
  std::pair<double, double> Others(const Group& group, uint32_t without,
                                   const std::vector<int64_t>* ticks) const {
    std::vector<double> values;
    for (const uint32_t part : group.parts) {
      const int64_t time = ticks ? (*ticks)[part] : parts_[part].ticks;
      if (part != without && time > 0) {
        values.push_back(static_cast<double>(time));
      }
    }
    const double median = util::Median(values);
    for (double& value : values) value = std::abs(std::log(value / median));
    return {median, std::max(kDeviation * util::Median(values), kNoise)};
  }

  bool RunsAsMany(const Group& group, uint32_t part) const {
    std::vector<int64_t> runs;
    for (const uint32_t other : group.parts) {
      if (other != part) runs.push_back(parts_[other].runs);
    }
    return static_cast<double>(parts_[part].runs) <=
           kSameRuns * static_cast<double>(util::Median(runs));
  }

  // The slowest part of each group, by descending excess.
  std::vector<Outlier> Candidates() const {
    const double least =
        settings_.Get("min_share") *
        static_cast<double>(
            std::max(parts_[kRoot].ticks, on_accelerators_ ? 0 : wall_));
    std::vector<Outlier> outliers;
    for (const Group& group : groups_) {
      if (group.parts.size() < 2 || static_cast<double>(group.parts.size()) <
                                        settings_.Get("min_siblings")) {
        continue;
      }
      const uint32_t slow = *std::ranges::max_element(
          group.parts, {}, [&](uint32_t part) { return parts_[part].ticks; });
      const auto [median, spread] = Others(group, slow, nullptr);
      const auto ticks = static_cast<double>(parts_[slow].ticks);
      const double excess = ticks - median;
      if (median <= 0 || excess < least ||
          ticks < settings_.Get("outlier") * median ||
          std::log(ticks / median) < settings_.Get("min_spread") * spread ||
          (group.parts.size() < kManySiblings && !RunsAsMany(group, slow))) {
        continue;
      }
      outliers.push_back(
          {.part = slow, .group = &group, .median = median, .excess = excess});
    }
    std::ranges::stable_sort(outliers, [](const Outlier& a, const Outlier& b) {
      return a.excess > b.excess;
    });
    constexpr size_t kJudged = 32;
    if (outliers.size() > kJudged) outliers.resize(kJudged);
    return outliers;
  }

  void CountSlowSteps(std::vector<Outlier>& outliers) {
    if (outliers.empty()) return;
    for (uint32_t s = 0; s < profile_.steps().size(); ++s) {
      if (!profile_.steps()[s]->listed) continue;
      const std::vector<int64_t> ticks = TimesIn(s);
      for (Outlier& outlier : outliers) {
        if (ticks[outlier.part] <= 0) continue;
        ++outlier.steps;
        const double median =
            Others(*outlier.group, outlier.part, &ticks).first;
        outlier.slow_steps +=
            median > 0 && static_cast<double>(ticks[outlier.part]) >=
                              settings_.Get("outlier") * median;
      }
    }
  }

  std::string PathOf(uint32_t part) const {
    std::string path;
    for (; part != kRoot; part = parts_[part].parent) {
      path = path.empty() ? std::string(parts_[part].name)
                          : fmt::format("{}/{}", parts_[part].name, path);
    }
    return path;
  }

  bool IsIn(uint32_t part, uint32_t scope) const {
    while (part != kRoot && part != scope) part = parts_[part].parent;
    return part == scope;
  }

  // True if one part contains the other, or both have the same name: the
  // backward pass of a slow layer is slow, too.
  bool SaysTheSame(uint32_t known, uint32_t part) const {
    if (IsIn(part, known) || IsIn(known, part)) return true;
    for (; part != kRoot; part = parts_[part].parent) {
      if (parts_[part].name == parts_[known].name) return true;
    }
    return false;
  }

  // The operation with the most time in a part, with the time.
  std::string LargestIn(uint32_t part) {
    uint32_t most = kRoot;
    for (uint32_t p = part + 1; p < parts_.size(); ++p) {
      if (HasParts(p) || !IsIn(p, part)) continue;
      if (most == kRoot || parts_[p].ticks > parts_[most].ticks) most = p;
    }
    return most == kRoot
               ? ""
               : fmt::format("; most of it is {} ({})", parts_[most].name,
                             PerStep(static_cast<double>(parts_[most].ticks)));
  }

  std::string PerStep(double ticks) const {
    return check_.Time(
        util::ToInteger(ticks / static_cast<double>(check_.steps * devices_)));
  }

  // How many accelerators run a part. If only arguments of runs have paths, it
  // is taken to be all of them.
  int64_t DevicesWith(uint32_t part) {
    int64_t devices = 0;
    for (const timeline::DeviceActivity& device : check_.activity->devices) {
      devices +=
          device.accelerator &&
          std::ranges::any_of(device.runs, [&](const timeline::DeviceRun& run) {
            return !runs_.empty() || (run.node != profile::kNone &&
                                      IsIn(PartOfNode(run.node), part));
          });
    }
    return std::max<int64_t>(devices, 1);
  }

  Finding MakeFinding(const Outlier& outlier) {
    devices_ = on_accelerators_ ? DevicesWith(outlier.part) : 1;
    const Part part = parts_[outlier.part];
    Finding f;
    f.rule = kRules[0].id;
    f.severity = Finding::Severity::kWarning;
    f.subject = PathOf(outlier.part);
    f.value = static_cast<double>(part.ticks) / outlier.median;
    f.threshold = settings_.Get("outlier");
    f.saving_micros = check_.MicrosPerStep(
        util::ToInteger(outlier.excess / static_cast<double>(devices_)));
    f.evidence = fmt::format(
        "scope -max_depth 100 -show_name_regexes .*{}.* -select "
        "{},occurrence -order_by {}",
        NamePattern(part.name), Statistic(), Statistic());
    f.advice =
        "Look for what is different in it: more tokens or rows (balance the "
        "experts), larger shapes, a slower kernel, another type or layout.";
    const size_t others = outlier.group->parts.size() - 1;
    f.text = fmt::format(
        "{} takes {} per step{}, {:.1f} times the median of its {} siblings "
        "({}){}",
        f.subject, PerStep(static_cast<double>(part.ticks)),
        !on_accelerators_ ? ""
        : devices_ == 1   ? " on the accelerator"
                        : fmt::format(" on each of {} accelerators", devices_),
        f.value, others, PerStep(outlier.median), LargestIn(outlier.part));
    return f;
  }

  std::string_view Statistic() const {
    return on_accelerators_ ? "accelerator_micros" : "cpu_micros";
  }

  struct PartRun {
    uint32_t step = 0;  // index in Profile::steps()
    uint32_t part = kRoot;
    int64_t ticks = 0;
  };

  const CheckerSettings& settings_;
  const DeviceCheck check_;
  const profile::Profile& profile_;
  int64_t wall_ = 0;
  bool on_accelerators_ = false;
  int64_t devices_ = 1;  // over which the times of a part are added up
  std::vector<Part> parts_ = {{}};  // a parent is before its parts
  absl::flat_hash_map<std::pair<uint32_t, std::string_view>, uint32_t> ids_;
  std::vector<uint32_t> part_of_node_;
  std::vector<uint8_t> waits_of_node_;
  std::map<std::string, uint32_t> kept_paths_;  // owns names of parts
  std::vector<PartRun> runs_;                   // if paths are in arguments
  std::vector<bool> has_parts_;
  std::vector<Group> groups_;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return SiblingCheck(input, settings).Run();
}

}  // namespace siblings
}  // namespace

const Checker kSiblingChecker = {
    "SiblingChecker",
    "Whether one of several equal layers, experts or blocks takes much longer "
    "than the others.",
    Checker::Kind::kAdvice,
    siblings::kRules,
    siblings::kOptions,
    siblings::Check,
    Checker::Needs::kExecutions};

}  // namespace tfprof::advisor

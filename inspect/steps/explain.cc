#include "inspect/steps/explain.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "fmt/format.h"
#include "inspect/steps/account_table.h"
#include "inspect/steps/step_split.h"
#include "inspect/time_cells.h"
#include "tables/numbers.h"
#include "tables/table_builder.h"
#include "timeline/account/account.h"
#include "timeline/account/op_roles.h"
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"
#include "util/arithmetic.h"
#include "views/library_file.h"

namespace tfprof::inspect {
namespace {

// A step is slow if it takes this many times the typical one.
constexpr double kSlow = 1.2;
// Idle time becomes a link of the chain from this share of the wall time on.
constexpr double kMuchIdle = 0.2;

// Quotes a name as a word of a command line.
std::string Word(std::string_view name) {
  if (!name.empty() && name.find_first_of(" '\"#|<>\t\n") == name.npos) {
    return std::string(name);
  }
  const char quote = name.find('\'') == name.npos ? '\'' : '"';
  return fmt::format("{}{}{}", quote, name, quote);
}

// A time in the step, and in the typical step that is compared with it.
struct Times {
  int64_t now = 0;
  int64_t usual = 0;

  int64_t more() const { return util::WrapSub(now, usual); }
};

// A sum of op times. The parts pass at the same time, and people see one or the
// other.
struct OpTimes {
  Times accelerator;
  Times cpu;

  Times sum() const {
    return {util::WrapAdd(accelerator.now, cpu.now),
            util::WrapAdd(accelerator.usual, cpu.usual)};
  }
  // Adds a group of the step, or of the typical one.
  void Add(const profile::Step& step, size_t group, int64_t Times::*of) {
    accelerator.*of =
        util::WrapAdd(accelerator.*of, step.sums.accelerator_time[group]);
    cpu.*of = util::WrapAdd(cpu.*of, step.sums.cpu_time[group]);
  }
};

class Chain {
 public:
  Chain(views::Views& views, const profile::Step& step, profile::NodeId node)
      : views_(views),
        profile_(views.profile()),
        step_(step),
        walls_(timeline::StepWalls(views)),
        wall_(timeline::WallOf(views, step)),
        node_(node) {
    const timeline::StepWall* typical = timeline::TypicalStep(walls_);
    if (typical != nullptr && typical->step != &step && wall_.known) {
      usual_ = typical->step;
      usual_wall_ = typical->ticks;
      slow_ = static_cast<double>(wall_.ticks) >=
              kSlow * static_cast<double>(typical->ticks);
    }
  }

  tables::DataTable Build() && {
    tables::TableBuilder table(
        "explain", {{"part", "part"},
                    {"name", "name"},
                    {"micros", "time", util::Unit::kMicros, /*heat=*/true},
                    {"time_is", "which is"},
                    {"wall_share", "of wall", util::Unit::kShare},
                    {.name = "more_micros",
                     .title = "more",
                     .unit = util::Unit::kMicros,
                     .rank = 1,
                     .delta = true},
                    {.name = std::string(kSeeColumn),
                     .title = "shown by",
                     .prose = true}});
    table_ = &table;
    if (node_ == profile::kNone) {
      by_accelerator_ = !slow_ && HasBusyAccelerator();
      ChooseNode();
    }
    // Work of no known operation can be all of the accelerator's.
    if (node_ == profile::kNone && by_accelerator_) {
      by_accelerator_ = false;
      ChooseNode();
    }
    table.AddFact({"step", "", util::Unit::kNumber}, step_.id);
    table.AddFact(
        {"typical_step", "", util::Unit::kNumber},
        usual_ == nullptr ? tables::DataCell() : tables::DataCell(usual_->id));
    table.AddFact({"", "why"}, tables::TextCell(Sentence()));
    AddStep();
    AddDevice();
    if (node_ != profile::kNone) {
      AddOp();
      AddNode();
      AddScope();
      AddLine();
    }
    if (passes_wall_) {
      table.AddFact(
          {"", "note"},
          tables::TextCell("a sum of op times may be more than the wall time: "
                           "lanes work at the same time"));
    }
    return std::move(table).Build();
  }

 private:
  std::string Time(int64_t ticks) const {
    return tables::FormatTime(ticks, profile_.ticks_per_micro());
  }

  std::string Sentence() const {
    const std::string takes =
        wall_.done > wall_.ticks
            ? fmt::format("{} (until its devices are done: {})",
                          Time(wall_.ticks), Time(wall_.done))
            : Time(wall_.ticks);
    if (!wall_.known) {
      return fmt::format(
          "step {} has no wall time: its executions were "
          "dropped, or have no start",
          step_.id);
    }
    if (usual_ == nullptr) {
      return fmt::format("step {} takes {}; {}", step_.id, takes,
                         walls_.size() > 1
                             ? "it is the typical step"
                             : "there is no other step to compare it with");
    }
    const double ratio = static_cast<double>(wall_.ticks) /
                         static_cast<double>(std::max<int64_t>(1, usual_wall_));
    return fmt::format(
        "step {} takes {}, {:.2f} times the typical step {} ({})", step_.id,
        takes, ratio, usual_->id, Time(usual_wall_));
  }

  // The value that decides: the additional time in a slow step, else the time.
  // It is that of the accelerator if this is busy, else the longer one.
  int64_t Weight(const OpTimes& times) const {
    const auto of = [this](const Times& one) {
      return slow_ ? one.more() : one.now;
    };
    return by_accelerator_ ? of(times.accelerator)
                           : std::max(of(times.accelerator), of(times.cpu));
  }

  // Whether an accelerator works for half of the step or more.
  bool HasBusyAccelerator() const {
    return std::ranges::any_of(
        SplitStep(views_, step_), [](const DeviceSplit& device) {
          return device.accelerator && device.busy >= device.wall / 2;
        });
  }

  OpTimes TimesOf(profile::NodeId node) const {
    OpTimes times;
    if (const uint32_t g = step_.FindGroup(node); g != profile::kNone) {
      times.Add(step_, g, &Times::now);
    }
    if (usual_ == nullptr) return times;
    if (const uint32_t g = usual_->FindGroup(node); g != profile::kNone) {
      times.Add(*usual_, g, &Times::usual);
    }
    return times;
  }

  // The times by type of operation.
  absl::flat_hash_map<profile::StringId, OpTimes> TimesOfOps() const {
    absl::flat_hash_map<profile::StringId, OpTimes> ops;
    const std::vector<profile::StringId>& op = profile_.nodes().op;
    for (size_t g = 0; g < step_.num_groups(); ++g) {
      ops[op[step_.node[g]]].Add(step_, g, &Times::now);
    }
    if (usual_ == nullptr) return ops;
    for (size_t g = 0; g < usual_->num_groups(); ++g) {
      ops[op[usual_->node[g]]].Add(*usual_, g, &Times::usual);
    }
    return ops;
  }

  // Chooses the heaviest node of the heaviest type.
  void ChooseNode() {
    profile::StringId heaviest = profile::kNone;
    int64_t most = 0;
    const timeline::OpRoles roles(profile_);
    for (const auto& [op, times] : TimesOfOps()) {
      // A wait is no cause: what it waits for is. The marker of a step, or a
      // named range, is no operation.
      if (!roles.Of(profile_.strings().Get(op)).empty()) continue;
      const int64_t weight = Weight(times);
      if (weight > most || (weight == most && heaviest != profile::kNone &&
                            weight > 0 && op < heaviest)) {
        most = weight;
        heaviest = op;
      }
    }
    most = 0;
    for (size_t g = 0; heaviest != profile::kNone && g < step_.num_groups();
         ++g) {
      const auto node = static_cast<profile::NodeId>(step_.node[g]);
      if (profile_.nodes().op[node] != heaviest) continue;
      const int64_t weight = Weight(TimesOf(node));
      if (weight <= most) continue;
      most = weight;
      node_ = node;
    }
  }

  void Add(std::string_view part, std::string_view name, const Times& times,
           std::string_view time_is, const std::string& command) {
    const bool passes_wall = wall_.known && times.now > wall_.done;
    passes_wall_ |= passes_wall;
    table_->AddRow(
        {tables::TextCell(part), tables::TextCell(name),
         TicksCell(times.now, profile_.ticks_per_micro()),
         tables::TextCell(time_is),
         wall_.known && !passes_wall ? tables::ShareCell(times.now, wall_.done)
                                     : tables::DataCell(),
         TicksCell(times.more(), profile_.ticks_per_micro(), usual_ != nullptr),
         tables::TextCell(command)});
  }

  // Adds a row for each kind of device that the time is of.
  void AddTimes(std::string_view part, std::string_view name,
                const OpTimes& times, const std::string& time_is,
                const std::string& command) {
    const auto any = [](const Times& of) {
      return of.now != 0 || of.usual != 0;
    };
    if (!any(times.accelerator) || !any(times.cpu)) {
      return Add(part, name, times.sum(), time_is, command);
    }
    Add(part, name, times.accelerator, time_is + ", accelerator", command);
    Add(part, name, times.cpu, time_is + ", cpu", command);
  }

  void AddStep() {
    if (!wall_.known) return;
    Add("step", fmt::format("step {}", step_.id), {wall_.ticks, usual_wall_},
        "wall", "steps");
  }

  // The device on which the node ran longest, accelerators before hosts; kNone
  // if unknown.
  uint32_t UnitOfNode() const {
    const uint32_t group =
        node_ == profile::kNone ? profile::kNone : step_.FindGroup(node_);
    if (group == profile::kNone || step_.aggregated) return profile::kNone;
    const timeline::Activities& activities =
        views_.Kept<timeline::Activities>();
    std::map<uint32_t, int64_t> units;
    for (size_t e = step_.exec_begin(group); e < step_.exec_end(group); ++e) {
      const profile::LaneId lane = step_.LaneOf(e);
      if (lane == profile::kNone) continue;
      const uint32_t unit = activities.unit_of(lane);
      units[unit] = util::SaturatingAdd(
          units[unit], std::max<int64_t>(0, step_.exec_duration.Nanos(e)));
    }
    uint32_t best = profile::kNone;
    for (const auto& [unit, nanos] : units) {
      if (best == profile::kNone ||
          std::pair(IsAccelerator(unit), nanos) >
              std::pair(IsAccelerator(best), units[best])) {
        best = unit;
      }
    }
    return best;
  }

  bool IsAccelerator(uint32_t unit) const {
    return views_.Kept<timeline::Activities>().units()[unit].accelerator;
  }

  void AddDevice() {
    const std::vector<DeviceSplit> split = SplitStep(views_, step_);
    if (split.empty()) return;
    const uint32_t unit = UnitOfNode();
    const DeviceSplit* device = &split[0];
    for (const DeviceSplit& other : split) {
      if (other.unit == unit) device = &other;
    }
    Times busy = {device->busy, 0}, idle = {device->idle, 0};
    if (usual_ != nullptr) {
      for (const DeviceSplit& other : SplitStep(views_, *usual_)) {
        if (other.unit != device->unit) continue;
        busy.usual = other.busy;
        idle.usual = other.idle;
      }
    }
    const std::string command = fmt::format("devices -step {}", step_.id);
    Add("device", device->name, busy, "busy", command);
    if (static_cast<double>(device->idle) >=
        kMuchIdle * static_cast<double>(device->wall)) {
      Add("device", device->name, idle, "idle", command);
    }
  }

  void AddOp() {
    const profile::StringId op = profile_.nodes().op[node_];
    AddTimes("op", profile_.strings().Get(op), TimesOfOps()[op],
             "sum of op times",
             fmt::format("op -step {} -order_by micros", step_.id));
  }

  void AddNode() {
    AddTimes("node", profile_.node_name(node_), TimesOf(node_),
             "sum of op times",
             fmt::format("show {} -step {}", Word(profile_.node_name(node_)),
                         step_.id));
  }

  // Totals of a view in this step, or in the typical one.
  std::shared_ptr<const views::AccountedTree> Accounted(views::View view,
                                                        int64_t step) {
    views::ViewOptions options;
    options.step = step;
    options.max_depth = 0;
    return views_.Show(view, options).tree;
  }

  // The time of a row of a view and everything inside it.
  OpTimes Cumulative(views::View view, uint32_t row) {
    OpTimes times;
    const auto add = [&](const profile::Step& step, int64_t Times::*of) {
      const accounting::Stats& total = Accounted(view, step.id)->total[row];
      times.accelerator.*of = total[accounting::kAcceleratorMicros];
      times.cpu.*of = total[accounting::kCpuMicros];
    };
    add(step_, &Times::now);
    if (usual_ != nullptr) add(*usual_, &Times::usual);
    return times;
  }

  // Adds the scope around the node, and the top-level scope.
  void AddScope() {
    const views::ScopeTree& scopes = views_.scope();
    uint32_t row = views::kRootRow;
    for (uint32_t r = 0; r < scopes.node.size(); ++r) {
      if (scopes.node[r] == node_) row = r;
    }
    if (row == views::kRootRow) return;
    const uint32_t inner = scopes.parent[row];
    if (inner == views::kRootRow) return;
    uint32_t outer = inner;
    while (scopes.parent[outer] != views::kRootRow)
      outer = scopes.parent[outer];
    for (const uint32_t scope : {outer, inner}) {
      AddTimes(
          "scope", scopes.names[scope], Cumulative(views::View::kScope, scope),
          "cumulative",
          fmt::format("ls {} -step {}",
                      Word(fmt::format("/{}", scopes.names[scope])), step_.id));
      if (outer == inner) break;
    }
  }

  // Adds the innermost line of the program that made the node, or of a library
  // if there is no other.
  void AddLine() {
    if (!profile_.graph().has_code_traces) return;
    const views::CodeTree& code = views_.code();
    uint32_t row = views::kRootRow;
    for (uint32_t r = 0; r < code.names.size() && row == views::kRootRow; ++r) {
      const auto nodes = code.nodes_of(r);
      if (std::find(nodes.begin(), nodes.end(), node_) != nodes.end()) row = r;
    }
    uint32_t best = views::kRootRow;
    for (uint32_t r = row; r != views::kRootRow; r = code.parent[r]) {
      if (code.frame[r] == profile::kNone) break;
      if (best == views::kRootRow) best = r;
      const profile::Frame& frame = views::RowFrame(profile_, code, r);
      if (views::IsLibraryFile(views::FrameString(profile_, frame.file)))
        continue;
      best = r;
      break;
    }
    if (best == views::kRootRow) return;
    AddTimes("line", code.names[best], Cumulative(views::View::kCode, best),
             "cumulative",
             fmt::format("code -step {} -order_by micros", step_.id));
  }

  views::Views& views_;
  const profile::Profile& profile_;
  const profile::Step& step_;
  const std::vector<timeline::StepWall> walls_;
  const timeline::StepWall wall_;
  profile::NodeId node_;
  const profile::Step* usual_ = nullptr;  // nullptr: nothing to compare with
  int64_t usual_wall_ = 0;
  bool slow_ = false;
  bool by_accelerator_ = false;  // its time decides, not that of the host
  bool passes_wall_ = false;  // a sum of op times is larger than the wall time
  tables::TableBuilder* table_ = nullptr;
};

// A typical step says nothing about a step that takes much longer.
std::string OddSentence(const profile::Profile& profile,
                        const timeline::StepWall& odd,
                        const timeline::StepWall& typical) {
  return fmt::format(
      "step {0} takes {1}, {2:.1f} times as long: explain step {0}",
      odd.step->id, tables::FormatTime(odd.ticks, profile.ticks_per_micro()),
      static_cast<double>(odd.ticks) /
          static_cast<double>(std::max<int64_t>(1, typical.ticks)));
}

}  // namespace

absl::StatusOr<int64_t> StepToExplain(views::Views& views) {
  const std::vector<timeline::StepWall> walls = timeline::StepWalls(views);
  if (const timeline::StepWall* typical = timeline::TypicalStep(walls)) {
    return typical->step->id;
  }
  const profile::Profile& profile = views.profile();
  std::string_view other = "op -order_by micros";
  if (!profile.allocators().empty()) {
    other = "memory";
  } else if (!profile.collective_records().dumps.empty()) {
    other = "collectives";
  } else if (!profile.compile_logs().logs.empty()) {
    other = "compiles";
  }
  return absl::FailedPreconditionError(
      fmt::format("no step has a wall time: this profile has no executions "
                  "with start times. Try: {}",
                  other));
}

absl::StatusOr<int64_t> StepOfNode(views::Views& views, profile::NodeId node) {
  std::optional<int64_t> slowest;
  int64_t most = 0;
  for (const auto& step : views.profile().steps()) {
    const uint32_t group =
        step->listed ? step->FindGroup(node) : profile::kNone;
    if (group == profile::kNone) continue;
    const int64_t ticks = step->sums.Time(group);
    if (slowest && ticks <= most) continue;
    most = ticks;
    slowest = step->id;
  }
  if (slowest) return *slowest;
  return absl::FailedPreconditionError(
      fmt::format("{} ran in no step", views.profile().node_name(node)));
}

tables::DataTable ExplainTable(views::Views& views, int64_t step,
                               profile::NodeId node) {
  return Chain(views, *views.profile().FindStep(step), node).Build();
}

tables::DataDocument ExplainDocument(views::Views& views, int64_t step_id) {
  const profile::Step& step = *views.profile().FindStep(step_id);
  const std::vector<timeline::StepWall> walls = timeline::StepWalls(views);
  const timeline::StepWall* typical = timeline::TypicalStep(walls);
  const timeline::StepWall wall = timeline::WallOf(views, step);
  const bool is_slow = typical != nullptr && typical->step != &step &&
                       static_cast<double>(wall.ticks) >=
                           kSlow * static_cast<double>(typical->ticks);
  const timeline::StepAccount& account = timeline::AccountOf(views, step);
  const timeline::StepAccount* usual =
      is_slow ? &timeline::AccountOf(views, *typical->step) : nullptr;
  tables::DataTable chain = ExplainTable(views, step_id, profile::kNone);
  tables::DataDocument document;
  document.kind = "explain";
  document.facts = std::move(chain.facts);
  chain.facts.clear();
  const timeline::StepWall* odd = timeline::OddStep(walls);
  if (odd != nullptr && typical->step == &step) {
    document.facts.push_back(
        {{"odd_step", "also"},
         tables::TextCell(OddSentence(views.profile(), *odd, *typical))});
  }
  const std::string works =
      usual == nullptr ? WorksSentence(views, account) : "";
  if (!works.empty()) {
    document.facts.push_back(
        {{"cause", "cause"},
         tables::TextCell(works + "; no part that could be avoided takes a "
                                  "tenth of it")});
    document.facts.push_back(
        {{"do", "do"},
         tables::TextCell("Make the kernels fewer or faster: roofline says how "
                          "near they come to the peaks of the device, kernels "
                          "lists them.")});
  } else if (const std::optional<Avoidable> cause =
                 LargestAvoidable(account, usual)) {
    const std::string_view remedy = timeline::RemedyOf(
        cause->part, *account.Find(cause->unit), views.profile());
    document.facts.push_back(
        {{"cause", "cause"},
         tables::TextCell(CauseSentence(views, account, *cause))});
    if (!remedy.empty()) {
      document.facts.push_back({{"do", "do"}, tables::TextCell(remedy)});
    }
  }
  document.parts.push_back(
      {"Account of the wall time", AccountTable(views, account, usual)});
  document.parts.push_back({"From the step to the code", std::move(chain)});
  return document;
}

}  // namespace tfprof::inspect

#include "profiler/tui/tree_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "fmt/format.h"
#include "inspect/nodes/node.h"
#include "inspect/nodes/place.h"
#include "inspect/nodes/top.h"
#include "tables/row_details.h"
#include "tables/stat_column.h"
#include "tables/table_builder.h"

namespace tfprof {
namespace {

// The most rows of each table beside a node, and of those below a row.
constexpr size_t kNodeRows = 20;
constexpr size_t kTopRows = 10;

// The order is that in which people ask for them.
std::vector<Measure> MeasuresOf(const Stats& whole, bool with_self) {
  std::vector<Measure> measures;
  // A graph that never ran has other numbers.
  if (whole[kMicros] != 0) {
    measures.push_back({.stat = kMicros});
    if (with_self) measures.push_back({.stat = kMicros, .self = true});
  }
  for (const Statistic& s : kStatistics) {
    const bool same = s.stat == kAcceleratorMicros || s.stat == kCpuMicros
                          ? whole[s.stat] == whole[kMicros]
                          : s.stat == kMicros;
    if (!same && whole[s.stat] != 0) measures.push_back({.stat = s.stat});
  }
  measures.push_back({.stat = kMicros, .by_name = true});
  return measures;
}

std::string SelfTitle(Stat stat) {
  return fmt::format("self {}", StatisticOf(stat).title);
}

// The sums of a row as facts: those that are not 0, and always the time.
void AddSums(const Profile& profile, const Stats& sums, const Stats& whole,
             DataFacts& facts) {
  for (const Statistic& s : kStatistics) {
    if (sums[s.stat] == 0 && s.stat != kMicros) continue;
    facts.push_back({StatColumn(s.stat, "total_"),
                     StatCell(profile, s.stat, sums[s.stat])});
    if (s.stat != kMicros) continue;
    facts.push_back(
        {{.name = "total_micros_share", .title = "share", .unit = Unit::kShare},
         ShareCell(sums[kMicros], whole[kMicros])});
  }
}

void AddText(std::string title, std::string_view text, DataFacts& facts) {
  facts.push_back({{.name = title, .title = title}, TextCell(text)});
}

void AddCount(std::string title, int64_t count, DataFacts& facts) {
  facts.push_back(
      {{.name = title, .title = title, .unit = Unit::kCount}, count});
}

// The base of the rows of all views: the report, and how its numbers become
// columns.
class ReportRows : public TreeRows {
 public:
  ReportRows(Report report, Workspace& workspace)
      : report_(std::move(report)), workspace_(workspace) {}

  std::vector<DataColumn> Columns(const Measure& measure) const override {
    const Stat stat = measure.stat;
    std::vector<DataColumn> columns;
    const auto add = [&](bool self, int rank) {
      columns.push_back(StatColumn(stat, self ? "self_" : "total_"));
      if (self) columns.back().title = SelfTitle(stat);
      columns.back().rank = rank;
    };
    add(measure.self, 0);
    columns.back().heat = true;
    columns.push_back({.name = columns[0].name + "_share",
                       .title = "share",
                       .unit = Unit::kShare,
                       .rank = 1});
    if (HasSelf()) add(!measure.self, 2);
    if (stat != kRunCount) {
      columns.push_back(StatColumn(kRunCount));
      columns.back().rank = 3;
    }
    return columns;
  }

  void Cells(uint32_t row, const Measure& measure,
             std::vector<DataCell>& cells) const override {
    cells.clear();
    const Stat stat = measure.stat;
    const auto add = [&](bool self) {
      cells.push_back(StatCell(*report_.profile, stat, Value(row, stat, self)));
    };
    add(measure.self);
    cells.push_back(ShareCell(Value(row, stat, measure.self), Whole()[stat]));
    if (HasSelf()) add(!measure.self);
    if (stat != kRunCount) cells.push_back(Value(row, kRunCount, false));
  }

  int64_t Key(uint32_t row, const Measure& measure) const override {
    return Value(row, measure.stat, measure.self);
  }

  double Share(uint32_t row, const Measure& measure) const override {
    const auto whole = static_cast<double>(Whole()[measure.stat]);
    return whole > 0 ? static_cast<double>(Key(row, measure)) / whole : 0;
  }

  std::vector<Measure> Measures() const override {
    return MeasuresOf(Whole(), HasSelf());
  }

 protected:
  virtual int64_t Value(uint32_t row, Stat stat, bool self) const = 0;
  // The sums over all rows.
  virtual const Stats& Whole() const = 0;
  // Rows have more than their own.
  virtual bool HasSelf() const = 0;

  Views& views() const { return workspace_.views(); }
  const Report& report() const { return report_; }
  DataDocument NodeDetails(NodeId node) const {
    return NodeDocument(views(), node, report_.options, kNodeRows);
  }

 private:
  const Report report_;
  Workspace& workspace_;
};

// scope, graph and code.
class AccountedRows : public ReportRows {
 public:
  using ReportRows::ReportRows;

  size_t size() const override { return tree().size(); }
  std::vector<uint32_t> Children(uint32_t row) const override {
    const auto children = tree().children_of(row);
    return {children.begin(), children.end()};
  }
  bool HasChildren(uint32_t row) const override {
    return !tree().children_of(row).empty();
  }
  std::string_view Label(uint32_t row) const override {
    return report().view == View::kScope && row != kTopRow
               ? views().scope().Label(row)
               : Name(row);
  }
  std::string_view Name(uint32_t row) const override {
    return (*tree().names)[row];
  }

  DataDocument Details(std::span<const uint32_t> path) const override {
    const uint32_t row = path.empty() ? kTopRow : path.back();
    if (report().view != View::kCode && tree().self_index[row] != kNone) {
      return NodeDetails(tree().self_index[row]);
    }
    DataDocument document;
    document.kind = "row";
    DataFacts& facts = document.facts;
    if (row != kTopRow) AddText("name", Name(row), facts);
    if (report().view == View::kCode) AddFrame(row, facts);
    AddSums(*report().profile, tree().total[row], Whole(), facts);
    facts.push_back(
        {{.name = "self_micros",
          .title = SelfTitle(kMicros),
          .unit = Unit::kMicros},
         StatCell(*report().profile, kMicros, tree().self(row)[kMicros])});
    if (!tree().definitions.empty()) {
      AddCount("nodes", tree().definitions[row], facts);
    }
    // The nodes below a row of the graph are no place.
    if (report().view != View::kGraph || row == kTopRow) {
      Place place;
      if (report().view == View::kCode) place.tree = View::kCode;
      place.rows.assign(path.begin(), path.end());
      DataTable top = TopTable(views(), place, report().options, kTopRows);
      top.facts.clear();
      top.rest = "top";
      document.parts.push_back({"Most expensive nodes", std::move(top)});
    }
    return document;
  }

 protected:
  int64_t Value(uint32_t row, Stat stat, bool self) const override {
    return self ? tree().self(row)[stat] : tree().total[row][stat];
  }
  const Stats& Whole() const override { return tree().total[kTopRow]; }
  bool HasSelf() const override { return true; }

 private:
  const AccountedTree& tree() const { return *report().tree; }

  void AddFrame(uint32_t row, DataFacts& facts) const {
    const CodeTree& code = *report().code;
    if (code.frame[row] == kNone) return;
    const Profile& profile = *report().profile;
    const Frame& frame = RowFrame(profile, code, row);
    AddText(
        "file",
        fmt::format("{}:{}", TraceString(profile, frame.file), frame.lineno),
        facts);
    AddText("function", TraceString(profile, frame.function), facts);
    AddText("line", TraceString(profile, frame.line), facts);
  }
};

// op: row i + 1 is the i-th op of the view, and the nodes follow.
class OpTreeRows : public ReportRows {
 public:
  OpTreeRows(Report report, Workspace& workspace)
      : ReportRows(std::move(report), workspace) {
    const Report& shown = this->report();
    shown_.assign(shown.ops->names.size(), kNone);
    for (uint32_t i = 0; i < shown.rows.size(); ++i) {
      shown_[shown.rows[i].view_row] = i;
    }
  }

  size_t size() const override { return FirstNode() + ops().nodes.size(); }

  std::vector<uint32_t> Children(uint32_t row) const override {
    std::vector<uint32_t> children;
    if (row == kTopRow) {
      for (const Report::Row& shown : report().rows) {
        children.push_back(shown.view_row + 1);
      }
    } else if (row < FirstNode()) {
      const NodeTable& nodes = report().profile->nodes();
      for (uint32_t i = ops().node_begin[row - 1]; i < ops().node_begin[row];
           ++i) {
        if (report().accounted_sets[nodes.types[ops().nodes[i]]] > 0) {
          children.push_back(FirstNode() + i);
        }
      }
    }
    return children;
  }

  bool HasChildren(uint32_t row) const override {
    return row < FirstNode() && (row == kTopRow ? !report().rows.empty()
                                                : RowOf(row).definitions > 0);
  }
  std::string_view Label(uint32_t row) const override { return Name(row); }
  std::string_view Name(uint32_t row) const override {
    if (row == kTopRow) return kRootName;
    if (row < FirstNode()) return ops().names[row - 1];
    const Profile& profile = *report().profile;
    return profile.node_name(NodeOf(row));
  }

  DataDocument Details(std::span<const uint32_t> path) const override {
    const uint32_t row = path.empty() ? kTopRow : path.back();
    if (row >= FirstNode()) return NodeDetails(NodeOf(row));
    DataDocument document;
    document.kind = "row";
    DataFacts& facts = document.facts;
    const Profile& profile = *report().profile;
    if (row == kTopRow) {
      AddSums(profile, Whole(), Whole(), facts);
      DataTable top = TopTable(views(), {}, report().options, kTopRows);
      top.facts.clear();
      top.rest = "top";
      document.parts.push_back({"Most expensive nodes", std::move(top)});
      return document;
    }
    const Report::Row& of_op = RowOf(row);
    AddText("op", Name(row), facts);
    Stats sums = of_op.self;
    sums[kRunCount] = of_op.runs;
    AddSums(profile, sums, Whole(), facts);
    AddCount("nodes", of_op.definitions, facts);
    const std::string devices = fmt::format(
        "{}", fmt::join(DevicesOf(report(), MembersOf(report(), of_op)), "|"));
    if (!devices.empty()) AddText("device", devices, facts);
    AddShapes(of_op, document);
    return document;
  }

 protected:
  int64_t Value(uint32_t row, Stat stat, bool) const override {
    if (row == kTopRow) return Whole()[stat];
    if (row >= FirstNode()) return (*report().node_stats)[NodeOf(row)][stat];
    const Report::Row& of_op = RowOf(row);
    return stat == kRunCount ? of_op.runs : of_op.self[stat];
  }
  const Stats& Whole() const override { return report().root_total; }
  bool HasSelf() const override { return false; }

 private:
  const OpRows& ops() const { return *report().ops; }
  uint32_t FirstNode() const {
    return static_cast<uint32_t>(ops().names.size()) + 1;
  }
  NodeId NodeOf(uint32_t row) const { return ops().nodes[row - FirstNode()]; }
  // `row` is an op that the report has.
  const Report::Row& RowOf(uint32_t row) const {
    return report().rows[shown_[row - 1]];
  }

  void AddShapes(const Report::Row& row, DataDocument& document) const {
    const std::vector<ShapeGroup> groups = ShapeGroupsOf(report(), row, " ");
    TableBuilder table("shapes",
                       {StatColumn(kRunCount),
                        StatColumn(kMicros),
                        {.name = "input_shapes", .title = "input shapes"}});
    for (const ShapeGroup& group : groups) {
      if (table.size() == kTopRows) break;
      table.AddRow({group.runs,
                    StatCell(*report().profile, kMicros, group.micros),
                    TextCell(group.shapes)});
    }
    DataTable built = std::move(table).Build();
    built.total_rows = groups.size();
    built.rest = "op -select input_shapes";
    document.parts.push_back({"Input shapes", std::move(built)});
  }

  std::vector<uint32_t> shown_;  // by row of the view; kNone: not accounted
};

}  // namespace

absl::StatusOr<std::unique_ptr<TreeRows>> MakeRows(View view,
                                                   const ViewOptions& options,
                                                   Workspace& workspace) {
  const Profile& profile = workspace.profile();
  const absl::Status found = CheckStep(profile, options.step);
  if (!found.ok()) return found;
  if (view == View::kCode && !profile.graph().has_code_traces) {
    return absl::FailedPreconditionError("No code trace information");
  }
  // The tree is accounted as a whole, and its rows are asked for one by one.
  ViewOptions all;
  all.step = options.step;
  all.flops = options.flops;
  all.account_types = options.account_types;
  if (view != View::kOp) {
    all.max_depth = 0;
    return std::make_unique<AccountedRows>(workspace.views().Show(view, all),
                                           workspace);
  }
  all.max_depth = std::numeric_limits<int32_t>::max();
  return std::make_unique<OpTreeRows>(workspace.views().Show(view, all),
                                      workspace);
}

}  // namespace tfprof

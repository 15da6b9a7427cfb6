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

namespace tfprof::tui {
namespace {

// The most rows of each table beside a node, and of those below a row.
constexpr size_t kNodeRows = 20;
constexpr size_t kTopRows = 10;

// The order is that in which people ask for them.
std::vector<Measure> MeasuresOf(const accounting::Stats& whole,
                                bool with_self) {
  std::vector<Measure> measures;
  // A graph that never ran has other numbers.
  if (whole[accounting::kMicros] != 0) {
    measures.push_back({.stat = accounting::kMicros});
    if (with_self)
      measures.push_back({.stat = accounting::kMicros, .self = true});
  }
  for (const accounting::Statistic& s : accounting::kStatistics) {
    const bool same = s.stat == accounting::kAcceleratorMicros ||
                              s.stat == accounting::kCpuMicros
                          ? whole[s.stat] == whole[accounting::kMicros]
                          : s.stat == accounting::kMicros;
    if (!same && whole[s.stat] != 0) measures.push_back({.stat = s.stat});
  }
  measures.push_back({.stat = accounting::kMicros, .by_name = true});
  return measures;
}

std::string SelfTitle(accounting::Stat stat) {
  return fmt::format("self {}", accounting::StatisticOf(stat).title);
}

// The sums of a row as facts: those that are not 0, and always the time.
void AddSums(const profile::Profile& profile, const accounting::Stats& sums,
             const accounting::Stats& whole, tables::DataFacts& facts) {
  for (const accounting::Statistic& s : accounting::kStatistics) {
    if (sums[s.stat] == 0 && s.stat != accounting::kMicros) continue;
    facts.push_back({tables::StatColumn(s.stat, "total_"),
                     tables::StatCell(profile, s.stat, sums[s.stat])});
    if (s.stat != accounting::kMicros) continue;
    facts.push_back({{.name = "total_micros_share",
                      .title = "share",
                      .unit = util::Unit::kShare},
                     tables::ShareCell(sums[accounting::kMicros],
                                       whole[accounting::kMicros])});
  }
}

void AddText(const std::string& title, std::string_view text,
             tables::DataFacts& facts) {
  facts.push_back({{.name = title, .title = title}, tables::TextCell(text)});
}

void AddCount(const std::string& title, int64_t count,
              tables::DataFacts& facts) {
  facts.push_back(
      {{.name = title, .title = title, .unit = util::Unit::kCount}, count});
}

// The base of the rows of all views: the report, and how its numbers become
// columns.
class ReportRows : public TreeRows {
 public:
  ReportRows(views::Report report, commands::Workspace& workspace)
      : report_(std::move(report)), workspace_(workspace) {}

  std::vector<tables::DataColumn> Columns(
      const Measure& measure) const override {
    const accounting::Stat stat = measure.stat;
    std::vector<tables::DataColumn> columns;
    const auto add = [&](bool self, int rank) {
      columns.push_back(tables::StatColumn(stat, self ? "self_" : "total_"));
      if (self) columns.back().title = SelfTitle(stat);
      columns.back().rank = rank;
    };
    add(measure.self, 0);
    columns.back().heat = true;
    columns.push_back({.name = columns[0].name + "_share",
                       .title = "share",
                       .unit = util::Unit::kShare,
                       .rank = 1});
    if (HasSelf()) add(!measure.self, 2);
    if (stat != accounting::kRunCount) {
      columns.push_back(tables::StatColumn(accounting::kRunCount));
      columns.back().rank = 3;
    }
    return columns;
  }

  void Cells(uint32_t row, const Measure& measure,
             std::vector<tables::DataCell>& cells) const override {
    cells.clear();
    const accounting::Stat stat = measure.stat;
    const auto add = [&](bool self) {
      cells.push_back(
          tables::StatCell(*report_.profile, stat, Value(row, stat, self)));
    };
    add(measure.self);
    cells.push_back(
        tables::ShareCell(Value(row, stat, measure.self), Whole()[stat]));
    if (HasSelf()) add(!measure.self);
    if (stat != accounting::kRunCount)
      cells.push_back(Value(row, accounting::kRunCount, false));
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
  virtual int64_t Value(uint32_t row, accounting::Stat stat,
                        bool self) const = 0;
  // The sums over all rows.
  virtual const accounting::Stats& Whole() const = 0;
  // Rows have more than their own.
  virtual bool HasSelf() const = 0;

  views::Views& views() const { return workspace_.views(); }
  const views::Report& report() const { return report_; }
  tables::DataDocument NodeDetails(profile::NodeId node) const {
    return inspect::NodeDocument(views(), node, report_.options, kNodeRows);
  }

 private:
  const views::Report report_;
  commands::Workspace& workspace_;
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
    return report().view == views::View::kScope && row != kTopRow
               ? views().scope().Label(row)
               : Name(row);
  }
  std::string_view Name(uint32_t row) const override {
    return (*tree().names)[row];
  }

  tables::DataDocument Details(std::span<const uint32_t> path) const override {
    const uint32_t row = path.empty() ? kTopRow : path.back();
    if (report().view != views::View::kCode &&
        tree().self_index[row] != profile::kNone) {
      return NodeDetails(tree().self_index[row]);
    }
    tables::DataDocument document;
    document.kind = "row";
    tables::DataFacts& facts = document.facts;
    if (row != kTopRow) AddText("name", Name(row), facts);
    if (report().view == views::View::kCode) AddFrame(row, facts);
    AddSums(*report().profile, tree().total[row], Whole(), facts);
    facts.push_back({{.name = "self_micros",
                      .title = SelfTitle(accounting::kMicros),
                      .unit = util::Unit::kMicros},
                     tables::StatCell(*report().profile, accounting::kMicros,
                                      tree().self(row)[accounting::kMicros])});
    if (!tree().definitions.empty()) {
      AddCount("nodes", tree().definitions[row], facts);
    }
    // The nodes below a row of the graph are no place.
    if (report().view != views::View::kGraph || row == kTopRow) {
      inspect::Place place;
      if (report().view == views::View::kCode) place.tree = views::View::kCode;
      place.rows.assign(path.begin(), path.end());
      tables::DataTable top =
          inspect::TopTable(views(), place, report().options, kTopRows);
      top.facts.clear();
      top.rest = "top";
      document.parts.push_back({"Most expensive nodes", std::move(top)});
    }
    return document;
  }

 protected:
  int64_t Value(uint32_t row, accounting::Stat stat, bool self) const override {
    return self ? tree().self(row)[stat] : tree().total[row][stat];
  }
  const accounting::Stats& Whole() const override {
    return tree().total[kTopRow];
  }
  bool HasSelf() const override { return true; }

 private:
  const views::AccountedTree& tree() const { return *report().tree; }

  void AddFrame(uint32_t row, tables::DataFacts& facts) const {
    const views::CodeTree& code = *report().code;
    if (code.frame[row] == profile::kNone) return;
    const profile::Profile& profile = *report().profile;
    const profile::Frame& frame = views::RowFrame(profile, code, row);
    AddText("file",
            fmt::format("{}:{}", views::FrameString(profile, frame.file),
                        frame.lineno),
            facts);
    AddText("function", views::FrameString(profile, frame.function), facts);
    AddText("line", views::FrameString(profile, frame.line), facts);
  }
};

// op: row i + 1 is the i-th op of the view, and the nodes follow.
class OpTreeRows : public ReportRows {
 public:
  OpTreeRows(views::Report report, commands::Workspace& workspace)
      : ReportRows(std::move(report), workspace) {
    const views::Report& shown = this->report();
    shown_.assign(shown.ops->names.size(), profile::kNone);
    for (uint32_t i = 0; i < shown.rows.size(); ++i) {
      shown_[shown.rows[i].view_row] = i;
    }
  }

  size_t size() const override { return FirstNode() + ops().nodes.size(); }

  std::vector<uint32_t> Children(uint32_t row) const override {
    std::vector<uint32_t> children;
    if (row == kTopRow) {
      for (const views::Report::Row& shown : report().rows) {
        children.push_back(shown.view_row + 1);
      }
    } else if (row < FirstNode()) {
      const profile::NodeTable& nodes = report().profile->nodes();
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
    if (row == kTopRow) return views::kRootName;
    if (row < FirstNode()) return ops().names[row - 1];
    const profile::Profile& profile = *report().profile;
    return profile.node_name(NodeOf(row));
  }

  tables::DataDocument Details(std::span<const uint32_t> path) const override {
    const uint32_t row = path.empty() ? kTopRow : path.back();
    if (row >= FirstNode()) return NodeDetails(NodeOf(row));
    tables::DataDocument document;
    document.kind = "row";
    tables::DataFacts& facts = document.facts;
    const profile::Profile& profile = *report().profile;
    if (row == kTopRow) {
      AddSums(profile, Whole(), Whole(), facts);
      tables::DataTable top =
          inspect::TopTable(views(), {}, report().options, kTopRows);
      top.facts.clear();
      top.rest = "top";
      document.parts.push_back({"Most expensive nodes", std::move(top)});
      return document;
    }
    const views::Report::Row& of_op = RowOf(row);
    AddText("op", Name(row), facts);
    accounting::Stats sums = of_op.self;
    sums[accounting::kRunCount] = of_op.runs;
    AddSums(profile, sums, Whole(), facts);
    AddCount("nodes", of_op.definitions, facts);
    const std::string devices = fmt::format(
        "{}", fmt::join(tables::DevicesOf(report(),
                                          tables::MembersOf(report(), of_op)),
                        "|"));
    if (!devices.empty()) AddText("device", devices, facts);
    AddShapes(of_op, document);
    return document;
  }

 protected:
  int64_t Value(uint32_t row, accounting::Stat stat, bool) const override {
    if (row == kTopRow) return Whole()[stat];
    if (row >= FirstNode()) return (*report().node_stats)[NodeOf(row)][stat];
    const views::Report::Row& of_op = RowOf(row);
    return stat == accounting::kRunCount ? of_op.runs : of_op.self[stat];
  }
  const accounting::Stats& Whole() const override {
    return report().root_total;
  }
  bool HasSelf() const override { return false; }

 private:
  const views::OpRows& ops() const { return *report().ops; }
  uint32_t FirstNode() const {
    return static_cast<uint32_t>(ops().names.size()) + 1;
  }
  profile::NodeId NodeOf(uint32_t row) const {
    return ops().nodes[row - FirstNode()];
  }
  // `row` is an op that the report has.
  const views::Report::Row& RowOf(uint32_t row) const {
    return report().rows[shown_[row - 1]];
  }

  void AddShapes(const views::Report::Row& row,
                 tables::DataDocument& document) const {
    const std::vector<tables::ShapeGroup> groups =
        tables::ShapeGroupsOf(report(), row, " ");
    tables::TableBuilder table(
        "shapes", {tables::StatColumn(accounting::kRunCount),
                   tables::StatColumn(accounting::kMicros),
                   {.name = "input_shapes", .title = "input shapes"}});
    for (const tables::ShapeGroup& group : groups) {
      if (table.size() == kTopRows) break;
      table.AddRow({group.runs,
                    tables::StatCell(*report().profile, accounting::kMicros,
                                     group.micros),
                    tables::TextCell(group.shapes)});
    }
    tables::DataTable built = std::move(table).Build();
    built.total_rows = groups.size();
    built.rest = "op -select input_shapes";
    document.parts.push_back({"Input shapes", std::move(built)});
  }

  std::vector<uint32_t> shown_;  // by row of the view; kNone: not accounted
};

}  // namespace

absl::StatusOr<std::unique_ptr<TreeRows>> MakeRows(
    views::View view, const views::ViewOptions& options,
    commands::Workspace& workspace) {
  const profile::Profile& profile = workspace.profile();
  absl::Status found = commands::CheckStep(profile, options.step);
  if (!found.ok()) return found;
  if (view == views::View::kCode && !profile.graph().has_code_traces) {
    return absl::FailedPreconditionError("No code trace information");
  }
  // The tree is accounted as a whole, and its rows are asked for one by one.
  views::ViewOptions all;
  all.step = options.step;
  all.flops = options.flops;
  all.account_types = options.account_types;
  if (view != views::View::kOp) {
    all.max_depth = 0;
    return std::make_unique<AccountedRows>(workspace.views().Show(view, all),
                                           workspace);
  }
  all.max_depth = std::numeric_limits<int32_t>::max();
  return std::make_unique<OpTreeRows>(workspace.views().Show(view, all),
                                      workspace);
}

}  // namespace tfprof::tui

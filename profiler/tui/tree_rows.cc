#include "profiler/tui/tree_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "fmt/format.h"
#include "inspect/node.h"
#include "inspect/place.h"
#include "inspect/top.h"
#include "profiler/commands/commands.h"
#include "tables/row_details.h"
#include "tables/stat_column.h"
#include "tables/table_builder.h"

namespace tfprof {
namespace {

// The most rows of each table beside a node, and of those below a row.
constexpr size_t kNodeRows = 20;
constexpr size_t kTopRows = 10;

// In the order in which people ask for them.
std::vector<Measure> MeasuresOf(const Stats& whole, bool with_self) {
  std::vector<Measure> measures = {{.stat = kMicros}};
  if (with_self) measures.push_back({.stat = kMicros, .self = true});
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

// What all views share: the report, and how its numbers become columns.
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

// The table of an answer with differences. In a tree, row 0 is that of the
// table; in op it is the sum of all.
class DiffRows : public TreeRows {
 public:
  DiffRows(Answer answer, View view, Stat stat)
      : answer_(std::move(answer)), view_(view), stat_(stat) {
    const size_t offset = table().depth ? 0 : 1;
    const size_t rows = table().num_rows + offset;
    names_.resize(std::max<size_t>(rows, 1));
    parent_.assign(names_.size(), kTopRow);
    std::vector<uint32_t> above;  // by depth
    std::vector<DataCell> cells;
    for (size_t i = 0; i < table().num_rows; ++i) {
      const auto row = static_cast<uint32_t>(i + offset);
      table().cells(i, cells);
      if (const auto* name = std::get_if<std::string>(&cells[0])) {
        names_[row] = *name;
      }
      if (offset == 1) continue;
      above.resize(table().depth(i), kTopRow);
      if (!above.empty()) parent_[row] = above.back();
      above.push_back(row);
    }
    LinkChildren();
    for (size_t c = 0; c < table().columns.size(); ++c) {
      if (table().columns[c].unit != Unit::kText) numbers_.push_back(c);
    }
  }

  size_t size() const override { return names_.size(); }
  std::vector<uint32_t> Children(uint32_t row) const override {
    return {children_.begin() + begin_[row],
            children_.begin() + begin_[row + 1]};
  }
  bool HasChildren(uint32_t row) const override {
    return begin_[row] != begin_[row + 1];
  }
  std::string_view Label(uint32_t row) const override {
    std::string_view label = names_[row];
    const std::string& above = names_[parent_[row]];
    if (view_ == View::kScope && parent_[row] != kTopRow &&
        label.size() > above.size() && label.starts_with(above)) {
      label.remove_prefix(above.size() + 1);
    }
    return label;
  }
  std::string_view Name(uint32_t row) const override { return names_[row]; }

  // The change and what there was after are what people want first.
  std::vector<DataColumn> Columns(const Measure&) const override {
    std::vector<DataColumn> columns;
    for (const size_t c : numbers_) {
      columns.push_back(table().columns[c]);
      const std::string& name = columns.back().name;
      columns.back().rank = name.ends_with("_delta")    ? 0
                            : name.ends_with("_after")  ? 1
                            : name.ends_with("_change") ? 2
                                                        : 3;
    }
    return columns;
  }
  void Cells(uint32_t row, const Measure&,
             std::vector<DataCell>& cells) const override {
    const std::vector<DataCell> all = RowCells(row);
    cells.clear();
    for (const size_t c : numbers_) {
      cells.push_back(c < all.size() ? all[c] : DataCell());
    }
  }
  // The order of the table is that of the largest change.
  int64_t Key(uint32_t row, const Measure&) const override {
    return -static_cast<int64_t>(row);
  }
  double Share(uint32_t, const Measure&) const override { return 0; }

  DataDocument Details(std::span<const uint32_t> path) const override {
    const uint32_t row = path.empty() ? kTopRow : path.back();
    DataDocument document;
    document.kind = "diff";
    const std::vector<DataCell> cells = RowCells(row);
    for (size_t c = 0; c < cells.size(); ++c) {
      document.facts.push_back({table().columns[c], cells[c]});
    }
    for (const auto& [column, cell] : answer_.data.facts) {
      if (column.name != "base" && column.name != "unchanged_rows") continue;
      document.facts.push_back({column, cell});
      document.facts.back().first.title =
          column.name == "base" ? "base" : "unchanged rows";
    }
    return document;
  }

  std::vector<Measure> Measures() const override {
    return {{.stat = stat_}, {.stat = stat_, .by_name = true}};
  }

 private:
  const DataTable& table() const { return answer_.data.parts[0].table; }

  void LinkChildren() {
    begin_.assign(size() + 1, 0);
    for (size_t row = 1; row < size(); ++row) ++begin_[parent_[row] + 1];
    for (size_t row = 0; row < size(); ++row) {
      begin_[row + 1] += begin_[row];
    }
    children_.resize(begin_.back());
    std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (size_t row = 1; row < size(); ++row) {
      children_[next[parent_[row]]++] = static_cast<uint32_t>(row);
    }
  }

  // Nothing for a diff without a row.
  std::vector<DataCell> RowCells(uint32_t row) const {
    std::vector<DataCell> cells;
    if (table().depth) {
      if (row < table().num_rows) table().cells(row, cells);
    } else if (row == kTopRow) {
      cells = table().totals;
    } else {
      table().cells(row - 1, cells);
    }
    return cells;
  }

  const Answer answer_;
  const View view_;
  const Stat stat_;
  std::vector<std::string> names_;
  std::vector<uint32_t> parent_;
  std::vector<uint32_t> begin_, children_;  // as in AccountedTree
  std::vector<size_t> numbers_;             // columns with numbers
};

std::string_view CommandName(View view) {
  for (const CommandInfo* command : CommandTable()) {
    if (command->view == view) return command->name;
  }
  return "";
}

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

absl::StatusOr<std::unique_ptr<TreeRows>> MakeDiffRows(
    View view, const ViewOptions& options, Stat stat, Workspace& workspace) {
  Command command;
  command.info = FindCommand(CommandName(view));
  ViewOptions& all = command.options.view;
  all.step = options.step;
  all.flops = options.flops;
  all.account_types = options.account_types;
  all.max_depth = std::numeric_limits<int32_t>::max();
  all.select = {};
  all.select.Add(stat);
  Answer answer = Run(command, workspace);
  if (!answer.status.ok()) return answer.status;
  return std::make_unique<DiffRows>(std::move(answer), view, stat);
}

}  // namespace tfprof

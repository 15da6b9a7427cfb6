#include "tables/report_table.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "fmt/format.h"
#include "tables/cell_text.h"
#include "tables/counter_columns.h"
#include "tables/role_column.h"
#include "tables/row_details.h"
#include "tables/stat_column.h"
#include "tables/tensor_text.h"
#include "timeline/account/op_roles.h"

namespace tfprof::tables {
namespace {

using Row = views::Report::Row;

// Formats a sum of times in microseconds.
std::string NumberString(const views::Report& report, int64_t ticks) {
  std::string text;
  AppendNumber(TimeCell(ticks, report.profile->ticks_per_micro()), "", &text);
  return text;
}

// Makes the columns, and for each column the function that fills its cells.
class Builder {
 public:
  Builder(const views::Report& report, const profile::TensorSource* tensors)
      : report_(report),
        tensors_(tensors),
        select_(report.options.select),
        both_times_(accounting::HasBothTimes(report.root_total)) {}

  DataTable Build() {
    Add("name", "name", util::Unit::kText, 0,
        [](const Row& row) { return TextCell(row.name); });
    switch (report_.view) {
      case views::View::kOp:
        RoleColumnIfAny();
        OpColumns();
        break;
      case views::View::kCode:
        CodeColumns();
        break;
      case views::View::kScope:
      case views::View::kGraph:
        NodeColumns();
        break;
    }
    CounterColumns();
    return Finish();
  }

 private:
  using CellOf = std::function<DataCell(const Row&)>;

  void Add(std::string name, std::string title, util::Unit unit, int rank,
           CellOf cell, DataCell total = {}) {
    AddColumn({std::move(name), std::move(title), unit, false, rank},
              std::move(cell), std::move(total));
  }

  void AddColumn(DataColumn column, CellOf cell, DataCell total) {
    table_.columns.push_back(std::move(column));
    cells_.push_back(std::move(cell));
    totals_.push_back(std::move(total));
  }

  bool Has(views::Field field) const { return select_.Has(field); }

  // People do not see a sum of times of accelerators and of CPUs.
  bool IsDataOnly(accounting::Stat stat) const {
    return both_times_ && stat == accounting::kMicros;
  }

  // The first statistic is the one selected by the user. Where time is two
  // numbers, both are.
  int NextRank(accounting::Stat stat) {
    const bool is_time = both_times_ && select_.Has(accounting::kMicros) &&
                         (stat == accounting::kAcceleratorMicros ||
                          stat == accounting::kCpuMicros);
    if (is_time && first_time_) {
      first_stat_ = false;
      return 0;
    }
    const bool is_first = std::exchange(first_stat_, false);
    first_time_ |= is_first && IsDataOnly(stat);
    return is_first ? 0 : 2;
  }

  // Adds a column for a statistic; `title` replaces the statistic's title.
  void AddStat(accounting::Stat stat, std::string_view prefix, int rank,
               CellOf cell, std::string title = "", DataCell total = {}) {
    DataColumn column = StatColumn(stat, prefix);
    if (!title.empty()) column.title = std::move(title);
    column.rank = rank;
    AddColumn(std::move(column), std::move(cell), std::move(total));
  }
  void AddShare(accounting::Stat stat, std::string_view prefix, int rank,
                CellOf cell, DataCell total = {}) {
    Add(StatColumn(stat, prefix).name + "_share", "share", util::Unit::kShare,
        rank, std::move(cell), std::move(total));
  }

  void SelfAndTotal(accounting::Stat stat) {
    const int rank = NextRank(stat);
    AddStat(
        stat, "self_", rank + 1,
        [profile = report_.profile, stat](const Row& row) {
          return row.accounted || row.node != profile::kNone
                     ? StatCell(*profile, stat, row.self[stat])
                     : DataCell();
        },
        fmt::format("self {}", accounting::StatisticOf(stat).title));
    AddStat(stat, "total_", rank,
            [profile = report_.profile, stat](const Row& row) {
              return StatCell(*profile, stat, row.total[stat]);
            });
    table_.columns.back().heat = rank == 0 && !IsDataOnly(stat);
    MarkDataOnly(stat, 2);
  }

  // Marks the last columns, which are those of a statistic.
  void MarkDataOnly(accounting::Stat stat, size_t columns) {
    if (!IsDataOnly(stat)) return;
    for (size_t i = table_.columns.size() - columns; i < table_.columns.size();
         ++i) {
      table_.columns[i].data_only = true;
    }
  }

  // Only for op, where Row::total is the sum over this row and all later rows.
  void Shares(accounting::Stat stat) {
    const int rank = NextRank(stat);
    const profile::Profile* profile = report_.profile;
    const int64_t all = report_.root_total[stat];
    const auto share = [all](int64_t part) {
      return all == 0 ? DataCell()
                      : DataCell(static_cast<double>(part) /
                                 static_cast<double>(all));
    };
    AddStat(
        stat, "self_", rank,
        [profile, stat](const Row& row) {
          return StatCell(*profile, stat, row.self[stat]);
        },
        "", StatCell(*profile, stat, all));
    table_.columns.back().heat = rank == 0 && !IsDataOnly(stat);
    AddShare(
        stat, "self_", rank + 2,
        [stat, share](const Row& row) { return share(row.self[stat]); },
        share(all));
    AddStat(
        stat, "cumulative_", rank + 3,
        [profile, stat](const Row& row) {
          return StatCell(*profile, stat, row.total[stat]);
        },
        "cumulative");
    AddShare(stat, "cumulative_", rank + 3,
             [stat, share](const Row& row) { return share(row.total[stat]); });
    MarkDataOnly(stat, 4);
  }

  void NodeColumns() {
    if (Has(accounting::kParameters)) SelfAndTotal(accounting::kParameters);
    if (Has(accounting::kFloatOps)) SelfAndTotal(accounting::kFloatOps);
    for (const accounting::Stat stat : ByteStats(select_)) SelfAndTotal(stat);
    for (const accounting::Stat stat : TimeStats(select_)) SelfAndTotal(stat);
    const views::Report& report = report_;
    const profile::NodeTable& nodes = report.profile->nodes();
    if (Has(accounting::kParameters)) {
      AddText(StatColumn(accounting::kParameters).name + "_shape", "shape", 2,
              [&](const Row& row) -> DataCell {
                if (row.node == profile::kNone ||
                    nodes.parameter_shape[row.node] == profile::kUnknownShape) {
                  return {};
                }
                std::string shape;
                AppendShape(*report.profile, nodes.parameter_shape[row.node],
                            shape);
                return shape;
              });
    }
    if (Has(views::Field::kDevice)) {
      AddText("device", "device", 2, [&](const Row& row) -> DataCell {
        if (row.node == profile::kNone ||
            nodes.device[row.node] == profile::kNone)
          return {};
        return TextCell(report.profile->devices().name(nodes.device[row.node]));
      });
    }
    if (Has(views::Field::kOpTypes)) {
      AddText("op_types", "types", 2, [&](const Row& row) -> DataCell {
        std::string types;
        AppendNodeTypes(report, row, types);
        return types;
      });
    }
    if (Has(accounting::kRunCount)) {
      SelfAndTotal(accounting::kRunCount);
      Add("self_definitions", "self nodes", util::Unit::kCount, 3,
          [](const Row& row) {
            return row.accounted ? DataCell(int64_t{1}) : DataCell();
          });
      Add("total_definitions", "nodes", util::Unit::kCount, 2,
          [](const Row& row) { return row.definitions; });
    }
    if (Has(views::Field::kInputShapes)) {
      AddText("input_shapes", "input shapes", 3,
              [&](const Row& row) -> DataCell {
                if (row.node == profile::kNone) return {};
                std::string shapes;
                AppendInputShapes(report, row.node, "|", shapes);
                return shapes;
              });
    }
    if (Has(views::Field::kTensorValue)) {
      AddText("tensor_value", "value", 3,
              [this_tensors = tensors_, &report](const Row& row) -> DataCell {
                if (this_tensors == nullptr || &row == &report.rows.front())
                  return {};
                const auto tensor = this_tensors->Read(row.name);
                if (!tensor.ok()) return {};
                return WholeTensorText(*tensor);
              });
    }
  }

  void CodeColumns() {
    for (const accounting::Stat stat : ByteStats(select_)) SelfAndTotal(stat);
    for (const accounting::Stat stat : TimeStats(select_)) SelfAndTotal(stat);
    if (Has(accounting::kParameters)) SelfAndTotal(accounting::kParameters);
    if (Has(accounting::kFloatOps)) SelfAndTotal(accounting::kFloatOps);
    MemberColumns();
  }

  void RoleColumnIfAny() {
    if (!select_.Has(accounting::kMicros)) return;
    const auto roles =
        std::make_shared<const timeline::OpRoles>(*report_.profile);
    if (std::ranges::all_of(report_.rows, [&](const Row& row) {
          return roles->Of(row.name).empty();
        })) {
      return;
    }
    AddColumn(RoleColumn(),
              [roles](const Row& row) { return RoleCell(roles->Of(row.name)); },
              {});
  }

  void OpColumns() {
    for (const accounting::Stat stat : ByteStats(select_)) Shares(stat);
    for (const accounting::Stat stat : TimeStats(select_)) Shares(stat);
    if (Has(accounting::kParameters)) Shares(accounting::kParameters);
    if (Has(accounting::kFloatOps)) Shares(accounting::kFloatOps);
    MemberColumns();
    if (Has(accounting::kRunCount)) {
      AddStat(accounting::kRunCount, "", 2,
              [](const Row& row) { return row.runs; });
      Add("definitions", "nodes", util::Unit::kCount, 2,
          [](const Row& row) { return row.definitions; });
    }
    if (Has(views::Field::kInputShapes)) {
      const views::Report& report = report_;
      AddText(
          "input_shapes", "input shapes", 3,
          [&report](const Row& row) -> DataCell {
            std::string text;
            for (const ShapeGroup& group : ShapeGroupsOf(report, row, "|")) {
              text += fmt::format("{}{} runs={} definitions={} micros={}",
                                  text.empty() ? "" : "; ", group.shapes,
                                  group.runs, group.defined,
                                  NumberString(report, group.micros));
            }
            return text;
          });
    }
  }

  // Only for op and code.
  void MemberColumns() {
    const views::Report& report = report_;
    if (Has(views::Field::kDevice)) {
      AddText("device", "device", 2, [&report](const Row& row) -> DataCell {
        return fmt::format(
            "{}", fmt::join(DevicesOf(report, MembersOf(report, row)), "|"));
      });
    }
    if (Has(views::Field::kOpTypes)) {
      AddText("op_types", "types", 2, [&report](const Row& row) -> DataCell {
        std::string types;
        AppendTypes(*report.profile, TypesOf(report, MembersOf(report, row)),
                    types);
        return types;
      });
    }
  }

  // Only for profiles with kernel counters.
  void CounterColumns() {
    if (report_.profile->kernel_counters().counters.empty()) return;
    const auto counters = std::make_shared<const ReportCounters>(report_);
    const Row* const first = report_.rows.data();
    const auto add = [&](size_t c, std::string_view prefix, auto rows,
                         const DataCell& total) {
      AddColumn(
          CounterColumn(*report_.profile, c, prefix),
          [counters, c, rows, first](const Row& row) {
            return CounterCell(counters->sums,
                               ((*counters).*rows)[&row - first], c);
          },
          total);
    };
    for (size_t c = 0; c < counters->sums.num_counters(); ++c) {
      if (report_.view == views::View::kOp) {
        add(c, "", &ReportCounters::self,
            CounterCell(counters->sums, counters->all, c));
      } else {
        add(c, "self_", &ReportCounters::self, {});
        add(c, "total_", &ReportCounters::total, {});
      }
    }
  }

  void AddText(std::string name, std::string title, int rank, CellOf cell) {
    Add(std::move(name), std::move(title), util::Unit::kText, rank,
        std::move(cell));
  }

  DataTable Finish() {
    const views::Report& report = report_;
    constexpr std::string_view kKinds[] = {"scope", "graph", "op", "code"};
    table_.kind = kKinds[static_cast<int>(report.view)];
    table_.num_rows = report.rows.size();
    if (report.view == views::View::kOp) {
      for (const views::Snapshot& snapshot : *report.snapshots) {
        if (snapshot.accounted) ++table_.total_rows;
      }
      totals_[0] = TextCell("total");
      table_.totals = std::move(totals_);
    } else {
      table_.total_rows = report.tree->children.size() + 1;
      table_.depth = [&report](size_t row) { return report.rows[row].depth; };
    }
    table_.cells = [&report, cells = std::move(cells_)](
                       size_t row, std::vector<DataCell>& out) {
      out.resize(cells.size());
      for (size_t c = 0; c < cells.size(); ++c) {
        out[c] = cells[c](report.rows[row]);
      }
    };
    table_.facts.push_back(
        {{"step", "", util::Unit::kNumber},
         StepCell(accounting::CanonicalStep(report.options.step))});
    return std::move(table_);
  }

  const views::Report& report_;
  const profile::TensorSource* tensors_;
  const views::FieldSet select_;
  const bool both_times_;
  bool first_stat_ = true;
  bool first_time_ = false;  // the time was the first statistic
  DataTable table_;
  std::vector<CellOf> cells_;
  std::vector<DataCell> totals_;
};

}  // namespace

DataTable ReportTable(const views::Report& report,
                      const profile::TensorSource* tensors) {
  return Builder(report, tensors).Build();
}

}  // namespace tfprof::tables

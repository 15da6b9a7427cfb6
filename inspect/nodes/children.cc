#include "inspect/nodes/children.h"

#include <algorithm>
#include <memory>

#include "inspect/steps/step_facts.h"
#include "tables/stat_column.h"
#include "tables/table_builder.h"

namespace tfprof::inspect {
namespace {

bool HasOwnColumn(accounting::Stat stat) {
  return stat == accounting::kMicros || stat == accounting::kRequestedBytes ||
         stat == accounting::kRunCount;
}

constexpr std::string_view kTotal = "total_";

// The share of a statistic's total.
tables::DataColumn ShareColumn(accounting::Stat stat) {
  return {tables::StatColumn(stat, kTotal).name + "_share", "share",
          util::Unit::kShare};
}

}  // namespace

tables::DataTable ChildrenTable(views::Views& views, const Place& place,
                                const views::ViewOptions& options) {
  // Only the accounting is needed, no rows.
  views::ViewOptions accounting;
  accounting.step = options.step;
  accounting.flops = options.flops;
  accounting.account_types = options.account_types;
  accounting.max_depth = 0;
  const views::Report report = views.Show(place.tree, accounting);
  const views::AccountedTree& tree = *report.tree;
  const accounting::Stats& whole = tree.total[place.row()];

  const auto children = tree.children_of(place.row());
  std::vector<uint32_t> rows(children.begin(), children.end());
  if (rows.empty()) rows.push_back(place.row());
  const bool by_stat = options.order == views::ViewOptions::Order::kStat;
  const accounting::Stat stat = options.order_stat;
  if (by_stat) {
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
      return tree.total[a][stat] > tree.total[b][stat];
    });
  }

  std::vector<tables::DataColumn> columns = {
      {"name", "name", util::Unit::kText},
      {"children", "children", util::Unit::kCount},
      tables::StatColumn(accounting::kRunCount),
      tables::StatColumn(accounting::kMicros, kTotal),
      ShareColumn(accounting::kMicros),
      tables::StatColumn(accounting::kRequestedBytes, kTotal),
      ShareColumn(accounting::kRequestedBytes),
  };
  columns[3].heat = true;
  if (by_stat && !HasOwnColumn(stat)) {
    columns.push_back(tables::StatColumn(stat, kTotal));
  }
  tables::TableBuilder table("ls", std::move(columns));
  table.AddFact({"place", "in", util::Unit::kText},
                tables::TextCell(PlaceText(views, place)));
  AddStepFacts("times", options.step, table.facts());
  for (const accounting::Stat of_all :
       {accounting::kMicros, accounting::kRequestedBytes}) {
    table.AddFact(tables::StatColumn(of_all, kTotal),
                  tables::StatCell(views.profile(), of_all, whole[of_all]));
  }
  for (const uint32_t row : rows) {
    const accounting::Stats& total = tree.total[row];
    std::vector<tables::DataCell> cells = {
        tables::TextCell(RowLabel(views, place.tree, row)),
        static_cast<int64_t>(tree.children_of(row).size()),
        total[accounting::kRunCount],
        tables::StatCell(views.profile(), accounting::kMicros,
                         total[accounting::kMicros]),
        tables::ShareCell(total[accounting::kMicros],
                          whole[accounting::kMicros]),
        total[accounting::kRequestedBytes],
        tables::ShareCell(total[accounting::kRequestedBytes],
                          whole[accounting::kRequestedBytes]),
    };
    if (by_stat && !HasOwnColumn(stat))
      cells.push_back(tables::StatCell(views.profile(), stat, total[stat]));
    table.AddRow(std::move(cells));
  }
  return std::move(table).Build();
}

}  // namespace tfprof::inspect

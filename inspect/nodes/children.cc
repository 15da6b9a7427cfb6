#include "inspect/nodes/children.h"

#include <algorithm>
#include <memory>

#include "inspect/steps/step_facts.h"
#include "tables/stat_column.h"
#include "tables/table_builder.h"

namespace tfprof {
namespace {

bool HasOwnColumn(Stat stat) {
  return stat == kMicros || stat == kRequestedBytes || stat == kRunCount;
}

constexpr std::string_view kTotal = "total_";

// The share of a statistic's total.
DataColumn ShareColumn(Stat stat) {
  return {StatColumn(stat, kTotal).name + "_share", "share", Unit::kShare};
}

}  // namespace

DataTable ChildrenTable(Views& views, const Place& place,
                        const ViewOptions& options) {
  // Only the accounting is needed, no rows.
  ViewOptions accounting;
  accounting.step = options.step;
  accounting.flops = options.flops;
  accounting.account_types = options.account_types;
  accounting.max_depth = 0;
  const Report report = views.Show(place.tree, accounting);
  const AccountedTree& tree = *report.tree;
  const Stats& whole = tree.total[place.row()];

  const auto children = tree.children_of(place.row());
  std::vector<uint32_t> rows(children.begin(), children.end());
  if (rows.empty()) rows.push_back(place.row());
  const bool by_stat = options.order == ViewOptions::Order::kStat;
  const Stat stat = options.order_stat;
  if (by_stat) {
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
      return tree.total[a][stat] > tree.total[b][stat];
    });
  }

  std::vector<DataColumn> columns = {
      {"name", "name", Unit::kText}, {"children", "children", Unit::kCount},
      StatColumn(kRunCount),         StatColumn(kMicros, kTotal),
      ShareColumn(kMicros),          StatColumn(kRequestedBytes, kTotal),
      ShareColumn(kRequestedBytes),
  };
  columns[3].heat = true;
  if (by_stat && !HasOwnColumn(stat)) {
    columns.push_back(StatColumn(stat, kTotal));
  }
  TableBuilder table("ls", std::move(columns));
  table.AddFact({"place", "in", Unit::kText},
                TextCell(PlaceText(views, place)));
  AddStepFacts("times", options.step, table.facts());
  for (const Stat of_all : {kMicros, kRequestedBytes}) {
    table.AddFact(StatColumn(of_all, kTotal),
                  StatCell(views.profile(), of_all, whole[of_all]));
  }
  for (const uint32_t row : rows) {
    const Stats& total = tree.total[row];
    std::vector<DataCell> cells = {
        TextCell(RowLabel(views, place.tree, row)),
        static_cast<int64_t>(tree.children_of(row).size()),
        total[kRunCount],
        StatCell(views.profile(), kMicros, total[kMicros]),
        ShareCell(total[kMicros], whole[kMicros]),
        total[kRequestedBytes],
        ShareCell(total[kRequestedBytes], whole[kRequestedBytes]),
    };
    if (by_stat && !HasOwnColumn(stat))
      cells.push_back(StatCell(views.profile(), stat, total[stat]));
    table.AddRow(std::move(cells));
  }
  return std::move(table).Build();
}

}  // namespace tfprof

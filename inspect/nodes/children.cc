#include "inspect/nodes/children.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "inspect/steps/step_facts.h"
#include "tables/stat_column.h"
#include "tables/stat_columns.h"
#include "tables/table_builder.h"

namespace tfprof::inspect {
namespace {

constexpr std::string_view kTotal = "total_";

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
      {"children", "children", util::Unit::kCount}};
  tables::StatColumns numbers(views.profile(), whole, kTotal);
  numbers.Add(accounting::kRunCount);
  numbers.AddTimes();
  numbers.Add(accounting::kRequestedBytes, /*share=*/true);
  if (by_stat && !numbers.Has(stat)) numbers.Add(stat);
  numbers.Append(columns);
  tables::TableBuilder table("ls", std::move(columns));
  table.AddFact({"place", "in", util::Unit::kText},
                tables::TextCell(PlaceText(views, place)));
  AddStepFacts("times", options.step, table.facts());
  for (const accounting::Stat of_all :
       {accounting::kMicros, accounting::kAcceleratorMicros,
        accounting::kCpuMicros, accounting::kRequestedBytes}) {
    if (!numbers.Has(of_all)) continue;
    table.AddFact(numbers.FactColumn(of_all),
                  tables::StatCell(views.profile(), of_all, whole[of_all]));
  }
  for (const uint32_t row : rows) {
    std::vector<tables::DataCell> cells = {
        tables::TextCell(RowLabel(views, place.tree, row)),
        static_cast<int64_t>(tree.children_of(row).size())};
    numbers.Append(tree.total[row], cells);
    table.AddRow(std::move(cells));
  }
  return std::move(table).Build();
}

}  // namespace tfprof::inspect

#include "inspect/nodes/top.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "inspect/steps/step_facts.h"
#include "tables/cell_text.h"
#include "tables/role_column.h"
#include "tables/stat_column.h"
#include "tables/table_builder.h"
#include "util/arithmetic.h"
#include "util/text/counted.h"

namespace tfprof::inspect {
namespace {

void SubtractFrom(accounting::Stats& sums, const accounting::Stats& less) {
  for (size_t s = 0; s < sums.size(); ++s) {
    sums[s] = util::WrapSub(sums[s], less[s]);
  }
}

}  // namespace

tables::DataTable TopTable(views::Views& views, const Place& place,
                           const views::ViewOptions& options, size_t count) {
  const profile::Profile& profile = views.profile();
  const profile::NodeTable& table = profile.nodes();
  const auto stats = views.context().NodeStats(options.step, options.flops);
  const std::vector<uint32_t>& accounted =
      views.context().Accounted(options.account_types);
  const accounting::Stat stat =
      options.order == views::ViewOptions::Order::kStat ? options.order_stat
                                                        : accounting::kMicros;
  std::vector<profile::NodeId> nodes = NodesBelow(views, place);
  accounting::Stats whole = {};
  std::erase_if(nodes, [&](profile::NodeId n) {
    if (accounted[table.types[n]] == 0) return true;
    accounting::AddStats(whole, (*stats)[n]);
    return (*stats)[n][stat] <= 0;
  });
  // Time on accelerators and on CPUs are two numbers; programs get the sum by
  // which the rows are sorted, too.
  const bool both = accounting::HasBothTimes(whole);
  const size_t total = nodes.size();
  const auto more = [&](profile::NodeId a, profile::NodeId b) {
    const int64_t of_a = (*stats)[a][stat], of_b = (*stats)[b][stat];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  if (nodes.size() > count) {
    std::nth_element(nodes.begin(), nodes.begin() + count, nodes.end(), more);
    nodes.resize(count);
  }
  std::sort(nodes.begin(), nodes.end(), more);

  std::vector<tables::DataColumn> columns;
  // The columns of the statistics, and whether each is a share.
  struct Number {
    accounting::Stat stat;
    bool share;
  };
  std::vector<Number> numbers;
  const auto add = [&](accounting::Stat of, bool share) {
    const bool data_only = both && of == accounting::kMicros;
    tables::DataColumn column = tables::StatColumn(of);
    column.heat = share && !data_only;
    column.data_only = data_only;
    const std::string name = fmt::format("{}_share", column.name);
    columns.push_back(std::move(column));
    numbers.push_back({of, false});
    if (!share) return;
    columns.push_back({.name = name,
                       .title = "share",
                       .unit = util::Unit::kShare,
                       .data_only = data_only});
    numbers.push_back({of, true});
  };
  add(stat, true);
  // The statistics that a person asks for next.
  for (const accounting::Stat other :
       {accounting::kMicros, accounting::kAcceleratorMicros,
        accounting::kCpuMicros, accounting::kRunCount,
        accounting::kRequestedBytes}) {
    const bool is_part = other == accounting::kAcceleratorMicros ||
                         other == accounting::kCpuMicros;
    if (other == stat || (is_part && !both)) continue;
    add(other, is_part && stat == accounting::kMicros);
  }
  columns.push_back({"op", "op", util::Unit::kText});
  const bool roles =
      stat == accounting::kMicros &&
      std::any_of(nodes.begin(), nodes.end(), [&](profile::NodeId n) {
        return tables::HasRole(profile.strings().Get(table.op[n]));
      });
  if (roles) columns.push_back(tables::RoleColumn());
  columns.push_back({"name", "node", util::Unit::kText});
  tables::TableBuilder result("top", std::move(columns));
  result.AddFact({"place", "in", util::Unit::kText},
                 tables::TextCell(PlaceText(views, place)));
  AddStepFacts("times", options.step, result.facts());
  for (const profile::NodeId n : nodes) {
    const accounting::Stats& of_node = (*stats)[n];
    std::vector<tables::DataCell> cells;
    for (const Number& number : numbers) {
      const int64_t value = of_node[number.stat];
      cells.push_back(number.share
                          ? tables::ShareCell(value, whole[number.stat])
                          : tables::StatCell(profile, number.stat, value));
    }
    const std::string_view op = profile.strings().Get(table.op[n]);
    cells.push_back(tables::TextCell(op));
    if (roles) cells.push_back(tables::RoleCell(op));
    cells.push_back(tables::TextCell(profile.node_name(n)));
    result.AddRow(std::move(cells));
  }
  result.SetTotalRows(total);
  if (nodes.size() < total) {
    accounting::Stats rest = whole;
    for (const profile::NodeId n : nodes) SubtractFrom(rest, (*stats)[n]);
    std::string text = "+ " + util::Counted(total - nodes.size(), "node");
    const auto append = [&](accounting::Stat of, std::string_view before) {
      const tables::DataCell cell = tables::StatCell(profile, of, rest[of]);
      text += fmt::format(", {}{} ({:.1f}%)", before,
                          tables::NumberText(cell, tables::StatColumn(of).unit),
                          100.0 * static_cast<double>(rest[of]) /
                              static_cast<double>(whole[of]));
    };
    if (both && stat == accounting::kMicros) {
      append(accounting::kAcceleratorMicros, "accelerator ");
      append(accounting::kCpuMicros, "cpu ");
    } else {
      append(stat, "");
    }
    result.AddFact({"", "not shown"}, tables::TextCell(text));
  }
  return std::move(result).Build();
}

}  // namespace tfprof::inspect

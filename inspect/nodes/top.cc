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
#include "tables/stat_columns.h"
#include "tables/table_builder.h"
#include "timeline/account/op_roles.h"
#include "util/arithmetic.h"
#include "util/text/counted.h"
#include "views/regex_list.h"

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
  const views::RegexList show(options.show_names), hide(options.hide_names);
  std::vector<profile::NodeId> nodes = NodesBelow(views, place);
  // Of all nodes, and of those whose names are asked for.
  accounting::Stats whole = {}, named = {};
  std::erase_if(nodes, [&](profile::NodeId n) {
    if (accounted[table.types[n]] == 0) return true;
    accounting::AddStats(whole, (*stats)[n]);
    const std::string_view name = profile.node_name(n);
    if (!show.Matches(name) || hide.Matches(name)) return true;
    accounting::AddStats(named, (*stats)[n]);
    return (*stats)[n][stat] <= 0;
  });
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

  tables::StatColumns numbers(profile, whole);
  const bool by_time = stat == accounting::kMicros;
  if (by_time) {
    numbers.AddTimes();
  } else {
    numbers.Add(stat, /*share=*/true);
  }
  // The statistics that a person asks for next.
  for (const accounting::Stat other :
       {accounting::kMicros, accounting::kAcceleratorMicros,
        accounting::kCpuMicros, accounting::kRunCount,
        accounting::kRequestedBytes}) {
    const bool is_part = other == accounting::kAcceleratorMicros ||
                         other == accounting::kCpuMicros;
    if (other == stat || (is_part && (by_time || !numbers.has_both_times()))) {
      continue;
    }
    numbers.Add(other);
  }
  std::vector<tables::DataColumn> columns;
  numbers.Append(columns);
  columns.push_back({"op", "op", util::Unit::kText});
  const timeline::OpRoles roles_of_ops(profile);
  const bool roles =
      by_time &&
      std::any_of(nodes.begin(), nodes.end(), [&](profile::NodeId n) {
        return !roles_of_ops.Of(profile.strings().Get(table.op[n])).empty();
      });
  if (roles) columns.push_back(tables::RoleColumn());
  columns.push_back({"name", "node", util::Unit::kText});
  tables::TableBuilder result("top", std::move(columns));
  result.AddFact({"place", "in", util::Unit::kText},
                 tables::TextCell(PlaceText(views, place)));
  AddStepFacts("times", options.step, result.facts());
  for (const profile::NodeId n : nodes) {
    std::vector<tables::DataCell> cells;
    numbers.Append((*stats)[n], cells);
    const std::string_view op = profile.strings().Get(table.op[n]);
    cells.push_back(tables::TextCell(op));
    if (roles) cells.push_back(tables::RoleCell(roles_of_ops.Of(op)));
    cells.push_back(tables::TextCell(profile.node_name(n)));
    result.AddRow(std::move(cells));
  }
  result.SetTotalRows(total);
  if (nodes.size() < total) {
    accounting::Stats rest = named;
    for (const profile::NodeId n : nodes) SubtractFrom(rest, (*stats)[n]);
    std::string text = "+ " + util::Counted(total - nodes.size(), "node");
    const auto append = [&](accounting::Stat of, std::string_view before) {
      const tables::DataCell cell = tables::StatCell(profile, of, rest[of]);
      text += fmt::format(", {}{} ({:.1f}%)", before,
                          tables::NumberText(cell, tables::StatColumn(of).unit),
                          100.0 * static_cast<double>(rest[of]) /
                              static_cast<double>(whole[of]));
    };
    if (by_time && numbers.has_both_times()) {
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

#include "inspect/nodes/top.h"

#include <algorithm>
#include <memory>

#include "fmt/format.h"
#include "inspect/steps/step_facts.h"
#include "tables/cell_text.h"
#include "tables/role_column.h"
#include "tables/stat_column.h"
#include "tables/table_builder.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {

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
  int64_t whole = 0;
  std::erase_if(nodes, [&](profile::NodeId n) {
    if (accounted[table.types[n]] == 0) return true;
    const int64_t value = (*stats)[n][stat];
    whole = util::WrapAdd(whole, value);
    return value <= 0;
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

  tables::DataColumn ordered = tables::StatColumn(stat);
  ordered.heat = true;
  const std::string share = ordered.name + "_share";
  std::vector<tables::DataColumn> columns = {
      std::move(ordered), {share, "share", util::Unit::kShare}};
  // The statistics that a person asks for next.
  std::vector<accounting::Stat> beside;
  for (const accounting::Stat other :
       {accounting::kMicros, accounting::kRunCount,
        accounting::kRequestedBytes}) {
    if (other == stat) continue;
    beside.push_back(other);
    columns.push_back(tables::StatColumn(other));
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
    std::vector<tables::DataCell> cells = {
        tables::StatCell(profile, stat, of_node[stat]),
        tables::ShareCell(of_node[stat], whole)};
    for (const accounting::Stat other : beside) {
      cells.push_back(tables::StatCell(profile, other, of_node[other]));
    }
    const std::string_view op = profile.strings().Get(table.op[n]);
    cells.push_back(tables::TextCell(op));
    if (roles) cells.push_back(tables::RoleCell(op));
    cells.push_back(tables::TextCell(profile.node_name(n)));
    result.AddRow(std::move(cells));
  }
  result.SetTotalRows(total);
  if (nodes.size() < total) {
    int64_t shown = 0;
    for (const profile::NodeId n : nodes)
      shown = util::WrapAdd(shown, (*stats)[n][stat]);
    const tables::DataCell rest =
        tables::StatCell(profile, stat, util::WrapSub(whole, shown));
    result.AddFact(
        {"", "not shown"},
        tables::TextCell(fmt::format(
            "+ {} nodes, {} ({:.1f}%)", total - nodes.size(),
            tables::NumberText(rest, tables::StatColumn(stat).unit),
            100.0 * static_cast<double>(util::WrapSub(whole, shown)) /
                static_cast<double>(whole))));
  }
  return std::move(result).Build();
}

}  // namespace tfprof::inspect

#include "inspect/nodes/top.h"

#include <algorithm>
#include <memory>

#include "fmt/format.h"
#include "inspect/steps/step_facts.h"
#include "tables/cell_text.h"
#include "tables/stat_column.h"
#include "tables/table_builder.h"
#include "util/arithmetic.h"

namespace tfprof {

DataTable TopTable(Views& views, const Place& place, const ViewOptions& options,
                   size_t count) {
  const Profile& profile = views.profile();
  const NodeTable& table = profile.nodes();
  const auto stats = views.context().NodeStats(options.step, options.flops);
  const std::vector<uint32_t>& accounted =
      views.context().Accounted(options.account_types);
  const Stat stat =
      options.order == ViewOptions::Order::kStat ? options.order_stat : kMicros;
  std::vector<NodeId> nodes = NodesBelow(views, place);
  int64_t whole = 0;
  std::erase_if(nodes, [&](NodeId n) {
    if (accounted[table.types[n]] == 0) return true;
    const int64_t value = (*stats)[n][stat];
    whole = WrapAdd(whole, value);
    return value <= 0;
  });
  const size_t total = nodes.size();
  const auto more = [&](NodeId a, NodeId b) {
    const int64_t of_a = (*stats)[a][stat], of_b = (*stats)[b][stat];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  if (nodes.size() > count) {
    std::nth_element(nodes.begin(), nodes.begin() + count, nodes.end(), more);
    nodes.resize(count);
  }
  std::sort(nodes.begin(), nodes.end(), more);

  DataColumn ordered = StatColumn(stat);
  ordered.heat = true;
  const std::string share = ordered.name + "_share";
  std::vector<DataColumn> columns = {std::move(ordered),
                                     {share, "share", Unit::kShare}};
  // The statistics that a person asks for next.
  std::vector<Stat> beside;
  for (const Stat other : {kMicros, kRunCount, kRequestedBytes}) {
    if (other == stat) continue;
    beside.push_back(other);
    columns.push_back(StatColumn(other));
  }
  columns.push_back({"op", "op", Unit::kText});
  columns.push_back({"name", "node", Unit::kText});
  TableBuilder result("top", std::move(columns));
  result.AddFact({"place", "in", Unit::kText},
                 TextCell(PlaceText(views, place)));
  AddStepFacts("times", options.step, result.facts());
  for (const NodeId n : nodes) {
    const Stats& of_node = (*stats)[n];
    std::vector<DataCell> cells = {StatCell(profile, stat, of_node[stat]),
                                   ShareCell(of_node[stat], whole)};
    for (const Stat other : beside) {
      cells.push_back(StatCell(profile, other, of_node[other]));
    }
    cells.push_back(TextCell(profile.strings().Get(table.op[n])));
    cells.push_back(TextCell(profile.node_name(n)));
    result.AddRow(std::move(cells));
  }
  result.SetTotalRows(total);
  if (nodes.size() < total) {
    int64_t shown = 0;
    for (const NodeId n : nodes) shown = WrapAdd(shown, (*stats)[n][stat]);
    const DataCell rest = StatCell(profile, stat, WrapSub(whole, shown));
    result.AddFact({"", "not shown"},
                   TextCell(fmt::format(
                       "+ {} nodes, {} ({:.1f}%)", total - nodes.size(),
                       NumberText(rest, StatColumn(stat).unit),
                       100.0 * static_cast<double>(WrapSub(whole, shown)) /
                           static_cast<double>(whole))));
  }
  return std::move(result).Build();
}

}  // namespace tfprof

#include "inspect/nodes/matches.h"

#include <algorithm>
#include <string>
#include <utility>

#include "inspect/steps/step_facts.h"
#include "tables/cell_text.h"
#include "tables/stat_columns.h"
#include "tables/table_builder.h"
#include "util/text/name_match.h"

namespace tfprof::inspect {

std::vector<profile::NodeId> NodesLike(views::Views& views,
                                       std::string_view part,
                                       const views::ViewOptions& options) {
  const profile::Profile& profile = views.profile();
  const profile::NodeTable& table = profile.nodes();
  std::vector<profile::NodeId> found;
  for (profile::NodeId n = 0; n < table.size(); ++n) {
    if (util::NameMatches(profile.node_name(n), part) ||
        util::NameMatches(profile.strings().Get(table.op[n]), part)) {
      found.push_back(n);
    }
  }
  const auto stats = views.context().NodeStats(options.step, options.flops);
  std::stable_sort(found.begin(), found.end(),
                   [&](profile::NodeId a, profile::NodeId b) {
                     return (*stats)[a][accounting::kMicros] >
                            (*stats)[b][accounting::kMicros];
                   });
  return found;
}

tables::DataTable MatchesTable(views::Views& views, std::string_view part,
                               const std::vector<profile::NodeId>& nodes,
                               const views::ViewOptions& options,
                               size_t max_rows) {
  const profile::Profile& profile = views.profile();
  const auto stats = views.context().NodeStats(options.step, options.flops);
  accounting::Stats whole = {};
  for (const profile::NodeId n : nodes) {
    accounting::AddStats(whole, (*stats)[n]);
  }
  tables::StatColumns numbers(profile, whole);
  numbers.AddTimes(/*share=*/false);
  numbers.Add(accounting::kRunCount);
  std::vector<tables::DataColumn> columns;
  numbers.Append(columns);
  columns.push_back({"op", "op", util::Unit::kText});
  columns.push_back({"name", "node", util::Unit::kText});
  tables::TableBuilder table("matches", std::move(columns));
  table.AddFact({"part", "nodes with", util::Unit::kText},
                tables::TextCell(part));
  AddStepFacts("times", options.step, table.facts());
  const size_t rows =
      max_rows == 0 ? nodes.size() : std::min(nodes.size(), max_rows);
  for (size_t i = 0; i < rows; ++i) {
    const profile::NodeId n = nodes[i];
    std::vector<tables::DataCell> cells;
    numbers.Append((*stats)[n], cells);
    cells.push_back(
        tables::TextCell(profile.strings().Get(profile.nodes().op[n])));
    cells.push_back(tables::TextCell(profile.node_name(n)));
    table.AddRow(std::move(cells));
  }
  table.SetTotalRows(nodes.size());
  return std::move(table).Build();
}

}  // namespace tfprof::inspect

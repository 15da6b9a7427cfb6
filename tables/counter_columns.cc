#include "tables/counter_columns.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "tables/row_details.h"

namespace tfprof::tables {
namespace {

// Returns the sums over some nodes: a row of a tree without the rows below it.
accounting::CounterSums::Row SumOf(const accounting::CounterSums& sums,
                                   std::span<const profile::NodeId> nodes) {
  accounting::CounterSums::Row row = sums.NoRow();
  for (const profile::NodeId node : nodes) sums.Add(node, row);
  return row;
}

// Returns the nodes of a row in the tree of a report; the row may be hidden.
std::vector<profile::NodeId> NodesOfTreeRow(const views::Report& report,
                                            uint32_t row) {
  const views::AccountedTree& tree = *report.tree;
  if (report.view == views::View::kCode) {
    views::Report::Row of;
    of.view_row = row;
    return report.NodesOf(of);
  }
  const uint32_t node = tree.self_index[row];
  return node == profile::kNone || !tree.accounted[row]
             ? std::vector<profile::NodeId>()
             : std::vector<profile::NodeId>{node};
}

// Returns the sums of all rows of the tree, including the rows below each row.
std::vector<accounting::CounterSums::Row> TreeTotals(
    const views::Report& report, const accounting::CounterSums& sums) {
  const views::AccountedTree& tree = *report.tree;
  std::vector<accounting::CounterSums::Row> totals(tree.size());
  // List the rows so that children come after their parents.
  std::vector<uint32_t> order = {views::kRootRow};
  for (size_t i = 0; i < order.size(); ++i) {
    totals[order[i]] = SumOf(sums, NodesOfTreeRow(report, order[i]));
    for (const uint32_t child : tree.children_of(order[i])) {
      order.push_back(child);
    }
  }
  std::vector<uint32_t> parent(tree.size(), views::kRootRow);
  for (const uint32_t row : order) {
    for (const uint32_t child : tree.children_of(row)) parent[child] = row;
  }
  for (size_t i = order.size(); i-- > 1;) {
    accounting::CounterSums::Add(totals[order[i]], totals[parent[order[i]]]);
  }
  return totals;
}

}  // namespace

DataColumn CounterColumn(const profile::Profile& profile, size_t counter,
                         std::string_view prefix) {
  const std::string name(
      profile.strings().Get(profile.kernel_counters().counters[counter].name));
  const bool is_mean = profile.kernel_counters().counters[counter].kind ==
                       profile::KernelCounters::Kind::kMean;
  return {.name = fmt::format("{}counter_{}", prefix, name),
          .title = is_mean ? "mean " + name : name,
          .unit = util::Unit::kNumber,
          .rank = prefix == "self_" ? 3 : 2};
}

DataCell CounterCell(const accounting::CounterSums& sums,
                     const accounting::CounterSums::Row& row, size_t counter) {
  const std::optional<double> value = sums.Cell(row, counter);
  if (!value) return {};
  // Show an exact count as an integer.
  const auto whole = static_cast<int64_t>(*value);
  if (static_cast<double>(whole) == *value) return whole;
  return *value;
}

ReportCounters::ReportCounters(const views::Report& report)
    : sums(*report.profile, report.options.step) {
  if (sums.empty()) return;
  if (report.view == views::View::kOp) {
    all = sums.NoRow();
    for (const views::Report::Row& row : report.rows) {
      self.push_back(SumOf(sums, report.NodesOf(row)));
      accounting::CounterSums::Add(self.back(), all);
    }
    return;
  }
  const std::vector<accounting::CounterSums::Row> totals =
      TreeTotals(report, sums);
  for (const views::Report::Row& row : report.rows) {
    self.push_back(SumOf(sums, NodesOfTreeRow(report, row.view_row)));
    total.push_back(totals[row.view_row]);
  }
}

}  // namespace tfprof::tables

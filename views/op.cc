#include "views/op.h"

#include <algorithm>
#include <numeric>

#include "views/regex_list.h"

namespace tfprof::views {

OpRows BuildOpRows(ViewContext& context) {
  const profile::Profile& profile = context.profile();
  const profile::NodeTable& nodes = profile.nodes();
  // Collect the distinct ops, sorted by name.
  std::vector<uint32_t> count(profile.strings().size(), 0);
  std::vector<profile::StringId> ops;
  for (const profile::StringId op : nodes.op) {
    if (count[op]++ == 0) ops.push_back(op);
  }
  std::sort(ops.begin(), ops.end(),
            [&](profile::StringId a, profile::StringId b) {
              return profile.strings().Get(a) < profile.strings().Get(b);
            });
  OpRows rows;
  rows.node_begin.push_back(0);
  std::vector<uint32_t> next(profile.strings().size(), 0);
  for (const profile::StringId op : ops) {
    rows.names.push_back(profile.strings().Get(op));
    next[op] = rows.node_begin.back();
    rows.node_begin.push_back(rows.node_begin.back() + count[op]);
  }
  rows.nodes.resize(nodes.size());
  for (const profile::NodeId n : context.NodesByName()) {
    rows.nodes[next[nodes.op[n]]++] = n;
  }
  return rows;
}

std::shared_ptr<const std::vector<Snapshot>> AccountOps(
    const OpRows& rows, ViewContext& context, int64_t step,
    flops::FlopsSource flops, const RegexPatterns& account_types) {
  const std::vector<uint32_t>& accounted = context.Accounted(account_types);
  const bool all = RegexList(account_types).matches_all();
  const auto stats = context.NodeStats(step, flops);
  auto result = std::make_shared<std::vector<Snapshot>>();
  result->reserve(rows.names.size());
  for (uint32_t row = 0; row < rows.names.size(); ++row) {
    result->push_back(TakeSnapshot(rows.nodes_of(row), *stats,
                                   context.profile().nodes(), accounted, all));
  }
  return result;
}

namespace {

// Replaces each row's total by the sum over this row and all later rows.
// Returns the total of the first row.
accounting::Stats SumTails(std::vector<ShownOp>& rows) {
  for (size_t i = rows.size(); i-- > 1;) {
    accounting::AddStats(rows[i - 1].total, rows[i].total);
  }
  return rows.empty() ? accounting::Stats{} : rows.front().total;
}

}  // namespace

ShownOps DisplayOps(const OpRows& rows, const std::vector<Snapshot>& snapshots,
                    const ViewOptions& options) {
  std::vector<uint32_t> order(rows.names.size());
  std::iota(order.begin(), order.end(), 0);  // in ascending order of names
  if (options.order == ViewOptions::Order::kStat &&
      options.order_stat == accounting::kRunCount) {
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return snapshots[a].num_nodes > snapshots[b].num_nodes;
    });
  } else if (options.order == ViewOptions::Order::kStat) {
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return snapshots[a].sums[options.order_stat] >
             snapshots[b].sums[options.order_stat];
    });
  }
  std::vector<ShownOp> accounted;
  for (const uint32_t row : order) {
    if (snapshots[row].accounted) {
      accounted.push_back({row, snapshots[row].sums});
    }
  }
  ShownOps shown;
  shown.root_total = SumTails(accounted);

  const RegexList start(options.start_names), trim(options.trim_names),
      show(options.show_names), hide(options.hide_names);
  size_t i = 0;
  if (!start.matches_all() && !start.empty()) {
    while (i < accounted.size() &&
           !start.Matches(rows.names[accounted[i].row])) {
      ++i;
    }
  }
  const auto should_show = [&](const ShownOp& op) {
    const std::string_view name = rows.names[op.row];
    if (name == kRootName) return true;
    for (int s = 0; s < accounting::kNumStats; ++s) {
      // The value of kRunCount is the number of nodes; other values are the
      // sums over this and later rows.
      const int64_t value = s == accounting::kRunCount
                                ? snapshots[op.row].num_nodes
                                : op.total[s];
      if (value < options.min[s]) return false;
    }
    return show.Matches(name) && !hide.Matches(name);
  };
  // Hidden rows use up depth too.
  for (int64_t depth = 0; i < accounted.size(); ++i, ++depth) {
    const ShownOp& op = accounted[i];
    if (depth > options.max_depth) break;
    if (!trim.empty() && trim.Matches(rows.names[op.row])) break;
    if (should_show(op)) shown.rows.push_back(op);
  }
  if (options.account_displayed_only) {
    for (ShownOp& op : shown.rows) op.total = snapshots[op.row].sums;
    shown.root_total = SumTails(shown.rows);
  }
  return shown;
}

}  // namespace tfprof::views

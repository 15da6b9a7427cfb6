#include "views/graph.h"

namespace tfprof::views {

GraphRows BuildGraphRows(ViewContext& context) {
  const profile::Profile& profile = context.profile();
  const profile::NodeTable& nodes = profile.nodes();
  GraphRows rows;
  rows.names.reserve(nodes.size() + 1);
  rows.names.push_back(kRootName);
  rows.node.reserve(nodes.size() + 1);
  rows.node.push_back(profile::kNone);
  std::vector<uint8_t> consumed(nodes.size(), 0);
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    rows.names.push_back(profile.node_name(n));
    rows.node.push_back(n);
    for (uint32_t e = nodes.edge_begin[n]; e < nodes.edge_begin[n + 1]; ++e) {
      const profile::NodeId source = nodes.Source(n, e);
      if (source != profile::kNone) consumed[source] = 1;
    }
  }
  for (const profile::NodeId n : context.NodesByName()) {
    if (!consumed[n]) rows.top.push_back(n);
  }
  return rows;
}

std::shared_ptr<const AccountedTree> AccountGraph(
    const GraphRows& rows, ViewContext& context, int64_t step,
    flops::FlopsSource flops, const RegexPatterns& account_types) {
  const profile::NodeTable& nodes = context.profile().nodes();
  const std::vector<uint32_t>& accounted = context.Accounted(account_types);
  const size_t size = rows.names.size();

  auto result = std::make_shared<AccountedTree>();
  AccountedTree& t = *result;
  t.names = &rows.names;
  t.self_table = context.NodeStats(step, flops);
  t.self_index = rows.node;
  t.total.resize(size, accounting::Stats{});
  t.definitions.assign(size, 0);
  t.accounted.assign(size, 0);
  t.child_begin.assign(size + 1, 0);

  // A depth-first search with an explicit stack, because chains may have a
  // million nodes. `results` holds the accounted rows found by unfinished
  // visits. When the visit of an accounted row ends, the rows after its mark
  // become its children. If the row is not accounted, they stay in `results`
  // and go to its consumer.
  struct Frame {
    profile::NodeId node;
    uint32_t edge;
    size_t mark;
  };
  std::vector<Frame> stack;
  std::vector<uint32_t> results;
  std::vector<uint8_t> visited(nodes.size(), 0);
  std::vector<uint32_t> begin(size, 0), end(size, 0);
  const auto take_children = [&](uint32_t row, size_t mark) {
    begin[row] = static_cast<uint32_t>(t.children.size());
    for (size_t i = mark; i < results.size(); ++i) {
      accounting::AddStats(t.total[row], t.total[results[i]]);
      t.definitions[row] += t.definitions[results[i]];
      t.children.push_back(results[i]);
    }
    end[row] = static_cast<uint32_t>(t.children.size());
    results.resize(mark);
  };
  for (const profile::NodeId top : rows.top) {
    if (visited[top]) continue;
    visited[top] = 1;
    stack.push_back({top, nodes.edge_begin[top], results.size()});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.edge < nodes.edge_begin[frame.node + 1]) {
        const profile::NodeId source = nodes.Source(frame.node, frame.edge++);
        if (source == profile::kNone || visited[source]) continue;
        visited[source] = 1;
        stack.push_back({source, nodes.edge_begin[source], results.size()});
        continue;
      }
      const uint32_t row = frame.node + 1;
      if (accounted[nodes.types[frame.node]] > 0) {
        t.accounted[row] = 1;
        t.total[row] = t.self(row);
        t.definitions[row] = 1;
        take_children(row, frame.mark);
        results.push_back(row);
      }
      stack.pop_back();
    }
  }
  take_children(kRootRow, 0);

  // children_of() expects the children in the order of their parents' numbers.
  std::vector<uint32_t> children;
  children.reserve(t.children.size());
  for (size_t row = 0; row < size; ++row) {
    t.child_begin[row] = static_cast<uint32_t>(children.size());
    children.insert(children.end(), t.children.begin() + begin[row],
                    t.children.begin() + end[row]);
  }
  t.child_begin[size] = static_cast<uint32_t>(children.size());
  t.children = std::move(children);
  FindNegative(t, context.work());
  return result;
}

}  // namespace tfprof::views

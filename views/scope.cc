#include "views/scope.h"

#include <algorithm>
#include <numeric>

namespace tfprof {
namespace {

// Compares names with '/' below every other byte. In this order the names of a
// scope are one run, and siblings are in byte order: the order is the tree in
// pre-order.
bool PathLess(std::string_view a, std::string_view b) {
  const size_t n = std::min(a.size(), b.size());
  for (size_t i = 0; i < n; ++i) {
    if (a[i] == b[i]) continue;
    if (a[i] == '/') return true;
    if (b[i] == '/') return false;
    return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[i]);
  }
  return a.size() < b.size();
}

}  // namespace

ScopeTree BuildScopeTree(const Profile& profile) {
  std::vector<NodeId> nodes(profile.nodes().size());
  std::iota(nodes.begin(), nodes.end(), 0);
  std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
    return PathLess(profile.node_name(a), profile.node_name(b));
  });

  ScopeTree tree;
  tree.names = {kRootName};
  tree.node = {kNone};
  tree.parent = {kRootRow};
  // The rows that enclose the current name, the root aside. Since names come
  // in path order, a scope that was left does not come again.
  std::vector<uint32_t> open;
  const auto add = [&](std::string_view name, NodeId node) {
    const auto row = static_cast<uint32_t>(tree.names.size());
    tree.parent.push_back(open.empty() ? kRootRow : open.back());
    tree.names.push_back(name);
    tree.node.push_back(node);
    open.push_back(row);
  };
  for (const NodeId node : nodes) {
    const std::string_view name = profile.node_name(node);
    while (!open.empty()) {
      const std::string_view scope = tree.names[open.back()];
      if (name.size() > scope.size() && name[scope.size()] == '/' &&
          name.substr(0, scope.size()) == scope) {
        break;
      }
      open.pop_back();
    }
    size_t from = open.empty() ? 0 : tree.names[open.back()].size() + 1;
    for (;;) {
      const size_t slash = name.find('/', from);
      if (slash == name.npos) break;
      add(name.substr(0, slash), kNone);
      from = slash + 1;
    }
    add(name, node);
  }
  return tree;
}

std::shared_ptr<const AccountedTree> AccountScope(
    const ScopeTree& tree, ViewContext& context, int64_t step,
    const RegexPatterns& account_types) {
  const NodeTable& nodes = context.profile().nodes();
  const std::vector<uint32_t>& accounted = context.Accounted(account_types);
  const bool accounts_scopes =
      CountMatches(account_types, kScopeParentType) > 0;
  const size_t size = tree.names.size();

  auto result = std::make_shared<AccountedTree>();
  AccountedTree& t = *result;
  t.names = &tree.names;
  t.self_table = context.NodeStats(step);
  t.self_index = tree.node;
  t.total.resize(size);
  t.definitions.assign(size, 0);
  t.accounted.assign(size, 0);
  std::vector<uint8_t> kept(size, 0);
  // Children have higher numbers than their parent: backwards is post-order.
  for (size_t row = size; row-- > 1;) {
    const NodeId node = tree.node[row];
    t.accounted[row] = node == kNone ? accounts_scopes
                                     : accounted[nodes.types[node]] > 0;
    if (!t.accounted[row] && !kept[row]) continue;
    kept[row] = 1;
    // Also of a row that is not accounted: the reference does.
    AddStats(t.total[row], t.self(static_cast<uint32_t>(row)));
    ++t.definitions[row];
    const uint32_t parent = tree.parent[row];
    kept[parent] = 1;
    AddStats(t.total[parent], t.total[row]);
    t.definitions[parent] += t.definitions[row];
  }
  LinkChildren(tree.parent, kept, t);
  return result;
}

}  // namespace tfprof

#include "views/scope.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "views/name_order.h"

namespace tfprof {
namespace {

// Rows while the tree is built: row 0 is the root, row n + 1 is node n,
// synthetic rows follow. Rows are in no order yet.
class Builder {
 public:
  explicit Builder(const Profile& profile) : profile_(profile) {
    const size_t size = profile.nodes().size() + 1;
    names_.reserve(size + size / 8);
    parent_.reserve(size + size / 8);
    names_.push_back(kRootName);
    parent_.push_back(kRootRow);
    for (NodeId n = 0; n < profile.nodes().size(); ++n) {
      names_.push_back(profile.node_name(n));
      parent_.push_back(kRootRow);
    }
  }

  ScopeTree Build() {
    // Nodes of a scope mostly come one after the other: remember the last.
    std::string_view last_scope;
    uint32_t last_row = kNone;
    // names_ grows while its front is walked.
    for (uint32_t row = 1; row < names_.size(); ++row) {
      const std::string_view name = names_[row];
      const size_t slash = name.rfind('/');
      if (slash == name.npos) continue;
      const std::string_view scope = name.substr(0, slash);
      if (last_row == kNone || scope != last_scope) {
        last_scope = scope;
        last_row = RowOf(scope);
      }
      parent_[row] = last_row;
    }
    return Number();
  }

 private:
  // The row of a scope: a node's, or a synthetic one, made if need be.
  uint32_t RowOf(std::string_view scope) {
    const NodeId node = profile_.nodes().Find(profile_.strings().Find(scope));
    if (node != kNone) return node + 1;
    const auto [it, is_new] =
        synthetic_.try_emplace(absl::string_view(scope.data(), scope.size()),
                               static_cast<uint32_t>(names_.size()));
    if (is_new) {
      names_.push_back(scope);
      parent_.push_back(kRootRow);
    }
    return it->second;
  }

  // The rows in pre-order, siblings by name.
  ScopeTree Number() const {
    const size_t size = names_.size();
    std::vector<uint32_t> begin(size + 1, 0);
    for (size_t row = 1; row < size; ++row) ++begin[parent_[row] + 1];
    for (size_t row = 0; row < size; ++row) begin[row + 1] += begin[row];
    std::vector<NamedId> children(size - 1);
    std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
    for (uint32_t row = 1; row < size; ++row) {
      // Siblings differ behind their scope's name and slash.
      const uint32_t parent = parent_[row];
      const size_t from = parent == kRootRow ? 0 : names_[parent].size() + 1;
      children[next[parent]++] = {names_[row].substr(from), row};
    }
    ScopeTree tree;
    tree.names.reserve(size);
    tree.node.reserve(size);
    tree.parent.reserve(size);
    std::vector<std::pair<uint32_t, uint32_t>> todo = {{kRootRow, kRootRow}};
    while (!todo.empty()) {
      const auto [row, parent] = todo.back();
      todo.pop_back();
      const auto number = static_cast<uint32_t>(tree.names.size());
      tree.names.push_back(names_[row]);
      tree.node.push_back(
          row == kRootRow || row > profile_.nodes().size() ? kNone : row - 1);
      tree.parent.push_back(parent);
      const std::span<NamedId> own(children.data() + begin[row],
                                   children.data() + begin[row + 1]);
      if (own.size() > 1) SortByName(own);
      for (size_t i = own.size(); i-- > 0;) {
        todo.push_back({own[i].id, number});
      }
    }
    return tree;
  }

  const Profile& profile_;
  // By name; the names stay where they are, in the profile: a name of 100,000
  // scopes has as many prefixes.
  absl::flat_hash_map<absl::string_view, uint32_t> synthetic_;
  std::vector<std::string_view> names_;
  std::vector<uint32_t> parent_;
};

}  // namespace

ScopeTree BuildScopeTree(const Profile& profile) {
  return Builder(profile).Build();
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
    t.accounted[row] =
        node == kNone ? accounts_scopes : accounted[nodes.types[node]] > 0;
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
  FindNegative(t);
  return result;
}

}  // namespace tfprof

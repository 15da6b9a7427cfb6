#include "views/scope.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "profile/local_names.h"
#include "util/threads.h"
#include "views/name_order.h"
#include "views/name_path.h"

namespace tfprof {
namespace {

// Rows while a tree is built, in no order: row 0 is the root, row n + 1 is node
// n, synthetic rows follow.
struct LooseRows {
  explicit LooseRows(size_t num_nodes)
      : first_synthetic(static_cast<uint32_t>(num_nodes) + 1),
        names(first_synthetic),
        parent(first_synthetic) {
    names[kRootRow] = kRootName;
    parent[kRootRow] = kRootRow;
  }

  uint32_t first_synthetic;
  std::vector<std::string_view> names;
  std::vector<uint32_t> parent;
};

// The rows in pre-order, siblings by label_of(row).
template <typename LabelOf>
ScopeTree Number(const LooseRows& rows, const Work& work, LabelOf label_of) {
  const std::vector<uint32_t>& loose_parent = rows.parent;
  const size_t size = rows.names.size();
  std::vector<uint32_t> begin(size + 1, 0);
  for (size_t row = 1; row < size; ++row) ++begin[loose_parent[row] + 1];
  for (size_t row = 0; row < size; ++row) begin[row + 1] += begin[row];
  std::vector<NamedId> children(size - 1);
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  for (uint32_t row = 1; row < size; ++row) {
    children[next[loose_parent[row]]++] = {label_of(row), row};
  }
  ParallelRanges(work, size, [&](size_t first, size_t last) {
    for (size_t row = first; row < last; ++row) {
      if (begin[row + 1] - begin[row] < 2) continue;
      SortByName(
          {children.data() + begin[row], children.data() + begin[row + 1]});
    }
  });
  ScopeTree tree;
  tree.names.reserve(size);
  tree.node.reserve(size);
  tree.parent.reserve(size);
  std::vector<std::pair<uint32_t, uint32_t>> todo = {{kRootRow, kRootRow}};
  while (!todo.empty()) {
    const auto [row, parent] = todo.back();
    todo.pop_back();
    const auto number = static_cast<uint32_t>(tree.names.size());
    tree.names.push_back(rows.names[row]);
    tree.node.push_back(
        row == kRootRow || row >= rows.first_synthetic ? kNone : row - 1);
    tree.parent.push_back(parent);
    for (uint32_t i = begin[row + 1]; i > begin[row]; --i) {
      todo.push_back({children[i - 1].id, number});
    }
  }
  return tree;
}

// The paths of nodes that are all in the unnamed module: their names.
class PlainPaths {
 public:
  explicit PlainPaths(const Profile& profile) : profile_(profile) {}

  std::string_view of(NodeId n) const { return profile_.node_name(n); }
  // kNone: no node has this path.
  NodeId Find(const HashedName& path) const {
    return profile_.nodes().Find(profile_.strings().Find(path.text, path.hash));
  }

 private:
  const Profile& profile_;
};

// The same with the module in front; the strings are in `pool`. Find() gives
// the first of several nodes with one path.
class ModulePaths {
 public:
  ModulePaths(const Profile& profile, StringPool& pool) : pool_(pool) {
    const NodeTable& nodes = profile.nodes();
    std::string path;
    for (NodeId n = 0; n < nodes.size(); ++n) {
      path.assign(profile.module_name(nodes.ModuleOf(n)));
      if (nodes.ModuleOf(n) != kUnnamedModule) path += kPathSeparator;
      path += profile.strings().Get(nodes.name[n]);
      path_.push_back(pool.Intern(path));
      if (path_.back() == node_.size()) node_.push_back(n);
    }
  }

  std::string_view of(NodeId n) const { return pool_.Get(path_[n]); }
  NodeId Find(const HashedName& path) const {
    const StringId id = pool_.Find(path.text, path.hash);
    return id == kNone ? kNone : node_[id];
  }

 private:
  const StringPool& pool_;
  std::vector<StringId> path_;  // by node
  std::vector<NodeId> node_;    // by path
};

// The tree of a profile in which a node's path says which scope it is in.
template <typename Paths>
class PathBuilder {
 public:
  PathBuilder(size_t num_nodes, const Paths& paths, const Work& work)
      : paths_(paths),
        work_(work),
        rows_(num_nodes),
        synthetic_(synthetic_names_) {}

  ScopeTree Build() {
    // Looking up scopes among the names of nodes costs most, so all cores do
    // it. Scopes that are not nodes are numbered within each part first, and
    // then over all parts in the order of first use. So rows do not depend on
    // the number of parts.
    struct Part {
      uint32_t begin, end;
      std::vector<HashedName> scopes;
    };
    const size_t size = rows_.names.size();
    const size_t num_parts = NumRanges(work_, size);
    std::vector<Part> parts(num_parts);
    ParallelFor(work_, num_parts, [&](size_t i) {
      Part& part = parts[i];
      part.begin = static_cast<uint32_t>(1 + (size - 1) * i / num_parts);
      part.end = static_cast<uint32_t>(1 + (size - 1) * (i + 1) / num_parts);
      LocalNames scopes(part.scopes);
      FindParents(part.begin, part.end, scopes);
    });
    const uint32_t first_synthetic = rows_.first_synthetic;
    std::vector<uint32_t> rows;
    for (const Part& part : parts) {
      rows.clear();
      for (const HashedName& scope : part.scopes) {
        rows.push_back(first_synthetic + synthetic_.Number(scope));
      }
      for (uint32_t row = part.begin; row < part.end; ++row) {
        uint32_t& parent = rows_.parent[row];
        if (parent >= first_synthetic) {
          parent = rows[parent - first_synthetic];
        }
      }
    }
    // The scopes of scopes; the loop may add more of them.
    for (uint32_t row = first_synthetic;
         row - first_synthetic < synthetic_names_.size(); ++row) {
      const std::string_view name =
          synthetic_names_[row - first_synthetic].text;
      rows_.names.push_back(name);
      rows_.parent.push_back(ParentOf(name, synthetic_));
    }
    return Number(rows_, work_, [&](uint32_t row) {
      // Siblings share the name of their scope and the separator.
      const uint32_t parent = rows_.parent[row];
      const size_t from =
          parent == kRootRow ? 0 : rows_.names[parent].size() + 1;
      return rows_.names[row].substr(from);
    });
  }

 private:
  // The row of the scope that `name` is in: a node's row, or a synthetic row,
  // which `scopes` numbers.
  uint32_t ParentOf(std::string_view name, LocalNames& scopes) const {
    const std::optional<std::string_view> scope = ScopeOfPath(name);
    if (!scope) return kRootRow;
    const HashedName hashed = {*scope, StringPool::Hash(*scope)};
    const NodeId node = paths_.Find(hashed);
    return node != kNone ? node + 1
                         : rows_.first_synthetic + scopes.Number(hashed);
  }

  // For the nodes with the rows begin … end - 1.
  void FindParents(uint32_t begin, uint32_t end, LocalNames& scopes) {
    // Nodes of a scope are mostly consecutive, so the last scope is remembered.
    std::string_view last_scope;
    uint32_t last_row = kNone;
    for (uint32_t row = begin; row < end; ++row) {
      const std::string_view name = paths_.of(row - 1);
      rows_.names[row] = name;
      if (last_row == kNone || !IsPathIn(name, last_scope)) {
        const uint32_t parent = ParentOf(name, scopes);
        rows_.parent[row] = parent;
        if (parent == kRootRow) continue;
        last_scope = *ScopeOfPath(name);
        last_row = parent;
      }
      rows_.parent[row] = last_row;
    }
  }

  const Paths& paths_;
  const Work work_;
  LooseRows rows_;
  // Scopes that are not nodes. Their names are views into the profile, because
  // a name of 100,000 parts has as many prefixes.
  std::vector<HashedName> synthetic_names_;
  LocalNames synthetic_;
};

// The tree that the loader built. Scopes without nodes have no row.
ScopeTree BuildFromScopes(const Profile& profile, const Work& work) {
  const NodeTable& nodes = profile.nodes();
  const Scopes& scopes = profile.graph().scopes;
  StringPool pool;
  LooseRows rows(nodes.size());
  std::vector<std::string_view> labels(nodes.size() + 1);
  std::vector<uint8_t> used(scopes.size(), 0);
  for (const ScopeId scope : nodes.scope) used[scope] = 1;
  // A scope's id is above its parent's.
  for (auto scope = static_cast<ScopeId>(scopes.size()); scope-- > 1;) {
    used[scopes[scope].parent] |= used[scope];
  }
  std::string text;
  const auto name_in = [&](uint32_t parent, std::string_view label) {
    if (parent == kRootRow) return label;
    text.assign(rows.names[parent]);
    text += kPathSeparator;
    text += label;
    return pool.Get(pool.Intern(text));
  };
  std::vector<uint32_t> row_of(scopes.size(), kRootRow);
  for (ScopeId scope = 1; scope < scopes.size(); ++scope) {
    if (!used[scope]) continue;
    const uint32_t parent = row_of[scopes[scope].parent];
    const std::string_view label = profile.strings().Get(scopes[scope].name);
    row_of[scope] = static_cast<uint32_t>(rows.names.size());
    rows.names.push_back(name_in(parent, label));
    rows.parent.push_back(parent);
    labels.push_back(label);
  }
  for (NodeId n = 0; n < nodes.size(); ++n) {
    const uint32_t row = n + 1;
    const uint32_t parent = rows.parent[row] = row_of[nodes.scope[n]];
    std::string_view label = profile.node_name(n);
    const std::string_view scope = rows.names[parent];
    if (parent != kRootRow && label.size() > scope.size() + 1 &&
        label.starts_with(scope) && label[scope.size()] == kPathSeparator) {
      // The loader made the name of the scope's path and this.
      label.remove_prefix(scope.size() + 1);
    }
    labels[row] = label;
    rows.names[row] = name_in(parent, label);
  }
  ScopeTree tree =
      Number(rows, work, [&](uint32_t row) { return labels[row]; });
  tree.name_pool = std::move(pool);
  return tree;
}

}  // namespace

ScopeTree BuildScopeTree(const Profile& profile, const Work& work) {
  const NodeTable& nodes = profile.nodes();
  if (!nodes.scope.empty()) return BuildFromScopes(profile, work);
  if (nodes.module.empty()) {
    return PathBuilder(nodes.size(), PlainPaths(profile), work).Build();
  }
  StringPool pool;
  const ModulePaths paths(profile, pool);
  ScopeTree tree = PathBuilder(nodes.size(), paths, work).Build();
  tree.name_pool = std::move(pool);
  return tree;
}

namespace {

// What a row gets from rows of another range.
struct Spill {
  uint32_t row = 0;
  Stats total = {};
  int64_t definitions = 0;
};

// `spills` are of ancestors of one row, the lowest last, so one walk to the
// root adds them all.
void AddSpills(const std::vector<Spill>& spills, const ScopeTree& tree,
               std::vector<uint8_t>& kept, AccountedTree& t) {
  if (spills.empty()) return;
  Stats total = {};
  int64_t definitions = 0;
  auto next = spills.rbegin();
  for (uint32_t row = next->row;; row = tree.parent[row]) {
    if (next != spills.rend() && next->row == row) {
      AddStats(total, next->total);
      definitions += next->definitions;
      ++next;
    }
    if (!kept[row] && row != kRootRow) {
      AddStats(total, t.self(row));
      ++definitions;
    }
    kept[row] = 1;
    AddStats(t.total[row], total);
    t.definitions[row] += definitions;
    if (row == kRootRow) return;
  }
}

}  // namespace

std::shared_ptr<const AccountedTree> AccountScope(
    const ScopeTree& tree, ViewContext& context, int64_t step,
    FlopsSource flops, const RegexPatterns& account_types) {
  const NodeTable& nodes = context.profile().nodes();
  const std::vector<uint32_t>& accounted = context.Accounted(account_types);
  const bool accounts_scopes =
      CountMatches(account_types, kScopeParentType) > 0;
  const size_t size = tree.names.size();

  auto result = std::make_shared<AccountedTree>();
  AccountedTree& t = *result;
  t.names = &tree.names;
  t.self_table = context.NodeStats(step, flops);
  t.self_index = tree.node;
  t.total.resize(size);
  t.definitions.assign(size, 0);
  t.accounted.assign(size, 0);
  std::vector<uint8_t> kept(size, 0);

  // Rows are in pre-order, so a parent outside of a range is an ancestor of the
  // range's first row. Sums for such parents are collected, and added when all
  // ranges are done.
  const size_t num_parts = NumRanges(context.work(), size);
  std::vector<std::vector<Spill>> spills(num_parts);
  ParallelFor(context.work(), num_parts, [&](size_t i) {
    const auto begin = static_cast<uint32_t>(size * i / num_parts);
    const auto end = static_cast<uint32_t>(size * (i + 1) / num_parts);
    std::fill(t.total.begin() + begin, t.total.begin() + end, Stats{});
    // Children have higher numbers than their parent: backwards is post-order.
    for (uint32_t row = end; row-- > begin && row != kRootRow;) {
      const NodeId node = tree.node[row];
      t.accounted[row] =
          node == kNone ? accounts_scopes : accounted[nodes.types[node]] > 0;
      if (!t.accounted[row] && !kept[row]) continue;
      kept[row] = 1;
      // Rows that are not accounted count too, as in the reference.
      AddStats(t.total[row], t.self(row));
      ++t.definitions[row];
      const uint32_t parent = tree.parent[row];
      if (parent >= begin) {
        kept[parent] = 1;
        AddStats(t.total[parent], t.total[row]);
        t.definitions[parent] += t.definitions[row];
      } else {
        if (spills[i].empty() || spills[i].back().row != parent) {
          spills[i].push_back({parent});
        }
        AddStats(spills[i].back().total, t.total[row]);
        spills[i].back().definitions += t.definitions[row];
      }
    }
  });
  for (const std::vector<Spill>& of_part : spills) {
    AddSpills(of_part, tree, kept, t);
  }
  LinkChildren(tree.parent, kept, t);
  FindNegative(t, context.work());
  return result;
}

}  // namespace tfprof

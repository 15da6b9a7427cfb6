#include "views/scope_tree.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "profile/prefix_hashes.h"
#include "profile/tables/local_names.h"
#include "util/run/threads.h"
#include "views/name_order.h"
#include "views/name_path.h"

namespace tfprof::views {
namespace {

// Unordered rows while a tree is built: row 0 is the root, row n + 1 is node n,
// and synthetic rows follow.
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

// Puts the rows into pre-order, with siblings sorted by label_of(row).
template <typename LabelOf>
ScopeTree Number(const LooseRows& rows, const util::TaskOptions& work,
                 LabelOf label_of) {
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
  util::ParallelRanges(work, size, [&](size_t first, size_t last) {
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
    tree.node.push_back(row == kRootRow || row >= rows.first_synthetic
                            ? profile::kNone
                            : row - 1);
    tree.parent.push_back(parent);
    for (uint32_t i = begin[row + 1]; i > begin[row]; --i) {
      todo.push_back({children[i - 1].id, number});
    }
  }
  return tree;
}

// The paths of nodes that are all in the unnamed module, which are the names.
class PlainPaths {
 public:
  explicit PlainPaths(const profile::Profile& profile) : profile_(profile) {}

  std::string_view of(profile::NodeId n) const { return profile_.node_name(n); }
  // Returns kNone if no node has this path.
  profile::NodeId Find(const profile::HashedName& path) const {
    return profile_.nodes().Find(profile_.strings().Find(path.text, path.hash));
  }

 private:
  const profile::Profile& profile_;
};

// Paths that begin with the module's name; their strings are in `pool`. If
// several nodes have the same path, Find() returns the first one.
class ModulePaths {
 public:
  ModulePaths(const profile::Profile& profile, profile::StringPool& pool)
      : pool_(pool) {
    const profile::NodeTable& nodes = profile.nodes();
    std::string path;
    for (profile::NodeId n = 0; n < nodes.size(); ++n) {
      path.assign(profile.module_name(nodes.ModuleOf(n)));
      if (nodes.ModuleOf(n) != profile::kUnnamedModule) path += kPathSeparator;
      path += profile.strings().Get(nodes.name[n]);
      path_.push_back(pool.Intern(path));
      if (path_.back() == node_.size()) node_.push_back(n);
    }
  }

  std::string_view of(profile::NodeId n) const { return pool_.Get(path_[n]); }
  profile::NodeId Find(const profile::HashedName& path) const {
    const profile::StringId id = pool_.Find(path.text, path.hash);
    return id == profile::kNone ? profile::kNone : node_[id];
  }

 private:
  const profile::StringPool& pool_;
  std::vector<profile::StringId> path_;  // indexed by node
  std::vector<profile::NodeId> node_;    // indexed by path
};

// Builds the tree of a profile in which a node's path contains its scope.
template <typename Paths>
class PathBuilder {
 public:
  PathBuilder(size_t num_nodes, const Paths& paths,
              const util::TaskOptions& work)
      : paths_(paths),
        work_(work),
        rows_(num_nodes),
        synthetic_(synthetic_names_) {}

  // Adds the number of hashed bytes of names to `hashed_bytes`.
  ScopeTree Build(size_t& hashed_bytes) {
    // The lookup of scopes among node names is the slowest part, so all cores
    // share it. Scopes that are not nodes are numbered within each part first,
    // and then over all parts in the order of first use. So the rows do not
    // depend on the number of parts.
    struct Part {
      uint32_t begin, end;
      std::vector<profile::HashedName> scopes;
      size_t hashed_bytes = 0;
    };
    const size_t size = rows_.names.size();
    const size_t num_parts = util::NumRanges(work_, size);
    std::vector<Part> parts(num_parts);
    util::ParallelFor(work_, num_parts, [&](size_t i) {
      Part& part = parts[i];
      part.begin = static_cast<uint32_t>(1 + (size - 1) * i / num_parts);
      part.end = static_cast<uint32_t>(1 + (size - 1) * (i + 1) / num_parts);
      profile::LocalNames scopes(part.scopes);
      part.hashed_bytes = FindParents(part.begin, part.end, scopes);
    });
    const uint32_t first_synthetic = rows_.first_synthetic;
    std::vector<uint32_t> rows;
    for (const Part& part : parts) {
      rows.clear();
      for (const profile::HashedName& scope : part.scopes) {
        rows.push_back(first_synthetic + synthetic_.Number(scope));
      }
      for (uint32_t row = part.begin; row < part.end; ++row) {
        uint32_t& parent = rows_.parent[row];
        if (parent >= first_synthetic) {
          parent = rows[parent - first_synthetic];
        }
      }
    }
    const size_t end = first_synthetic + synthetic_names_.size();
    rows_.parent.resize(end);
    for (uint32_t row = first_synthetic; row < end; ++row) AddScopesAbove(row);
    for (const profile::HashedName& name : synthetic_names_) {
      rows_.names.push_back(name.text);
    }
    ScopeTree tree = Number(rows_, work_, [&](uint32_t row) {
      // Siblings have a common prefix: their scope and the separator.
      const uint32_t parent = rows_.parent[row];
      const size_t from =
          parent == kRootRow ? 0 : rows_.names[parent].size() + 1;
      return rows_.names[row].substr(from);
    });
    hashed_bytes += hashed_bytes_;
    for (const Part& part : parts) hashed_bytes += part.hashed_bytes;
    return tree;
  }

 private:
  // Returns the row of a scope: a node's row, or a synthetic row numbered by
  // `scopes`.
  uint32_t RowOf(const profile::HashedName& scope,
                 profile::LocalNames& scopes) const {
    const profile::NodeId node = paths_.Find(scope);
    return node != profile::kNone
               ? node + 1
               : rows_.first_synthetic + scopes.Number(scope);
  }

  // Finds the parent of a synthetic row, and adds missing rows above it.
  void AddScopesAbove(uint32_t row) {
    std::string_view name = synthetic_names_[row - rows_.first_synthetic].text;
    hashes_.Assign(name);
    hashed_bytes_ += name.size();
    for (;;) {
      const std::optional<std::string_view> scope = ScopeOfPath(name);
      if (!scope) {
        rows_.parent[row] = kRootRow;
        return;
      }
      const size_t known = synthetic_names_.size();
      const uint32_t parent =
          RowOf({*scope, hashes_.Of(scope->size())}, synthetic_);
      rows_.parent[row] = parent;
      if (synthetic_names_.size() == known) return;
      rows_.parent.push_back(kRootRow);
      name = *scope;
      row = parent;
    }
  }

  // Finds the parents of the rows begin … end - 1. Returns the number of hashed
  // bytes.
  size_t FindParents(uint32_t begin, uint32_t end,
                     profile::LocalNames& scopes) {
    size_t hashed_bytes = 0;
    // The nodes of a scope are mostly consecutive, so remember the last scope.
    std::string_view last_scope;
    uint32_t last_row = profile::kNone;
    for (uint32_t row = begin; row < end; ++row) {
      const std::string_view name = paths_.of(row - 1);
      rows_.names[row] = name;
      if (last_row == profile::kNone || !IsPathIn(name, last_scope)) {
        const std::optional<std::string_view> scope = ScopeOfPath(name);
        if (!scope) {
          rows_.parent[row] = kRootRow;
          continue;
        }
        last_scope = *scope;
        last_row = RowOf({*scope, profile::StringPool::Hash(*scope)}, scopes);
        hashed_bytes += scope->size();
      }
      rows_.parent[row] = last_row;
    }
    return hashed_bytes;
  }

  const Paths& paths_;
  const util::TaskOptions work_;
  LooseRows rows_;
  // Scopes that are not nodes. Their names are views into the profile, because
  // a name of 100,000 parts has as many prefixes.
  std::vector<profile::HashedName> synthetic_names_;
  profile::LocalNames synthetic_;
  profile::PrefixHashes hashes_;
  size_t hashed_bytes_ = 0;
};

// Builds the tree from the loader's scopes. Scopes without nodes have no row.
ScopeTree BuildFromScopes(const profile::Profile& profile,
                          const util::TaskOptions& work) {
  const profile::NodeTable& nodes = profile.nodes();
  const profile::Scopes& scopes = profile.graph().scopes;
  profile::StringPool pool;
  LooseRows rows(nodes.size());
  std::vector<std::string_view> labels(nodes.size() + 1);
  std::vector<uint8_t> used(scopes.size(), 0);
  for (const profile::ScopeId scope : nodes.scope) used[scope] = 1;
  // A scope's id is larger than its parent's.
  for (auto scope = static_cast<profile::ScopeId>(scopes.size());
       scope-- > 1;) {
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
  for (profile::ScopeId scope = 1; scope < scopes.size(); ++scope) {
    if (!used[scope]) continue;
    const uint32_t parent = row_of[scopes[scope].parent];
    const std::string_view label = profile.strings().Get(scopes[scope].name);
    row_of[scope] = static_cast<uint32_t>(rows.names.size());
    rows.names.push_back(name_in(parent, label));
    rows.parent.push_back(parent);
    labels.push_back(label);
  }
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    const uint32_t row = n + 1;
    const uint32_t parent = rows.parent[row] = row_of[nodes.scope[n]];
    std::string_view label = profile.node_name(n);
    const std::string_view scope = rows.names[parent];
    if (parent != kRootRow && label.size() > scope.size() + 1 &&
        label.starts_with(scope) && label[scope.size()] == kPathSeparator) {
      // The name is the scope's path and the label.
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

ScopeTree BuildPathTree(const profile::Profile& profile,
                        const util::TaskOptions& work, size_t& hashed_bytes) {
  const profile::NodeTable& nodes = profile.nodes();
  if (nodes.module.empty()) {
    return PathBuilder(nodes.size(), PlainPaths(profile), work)
        .Build(hashed_bytes);
  }
  profile::StringPool pool;
  const ModulePaths paths(profile, pool);
  ScopeTree tree = PathBuilder(nodes.size(), paths, work).Build(hashed_bytes);
  tree.name_pool = std::move(pool);
  return tree;
}

ScopeTree BuildScopeTree(const profile::Profile& profile,
                         const util::TaskOptions& work) {
  if (!profile.nodes().scope.empty()) return BuildFromScopes(profile, work);
  size_t hashed_bytes = 0;
  return BuildPathTree(profile, work, hashed_bytes);
}

}  // namespace tfprof::views

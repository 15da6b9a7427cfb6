// The scope view: nodes as a hierarchy of names, like files in directories.
//
// A name scope that is not a node gets a synthetic row. Behaviour: reference
// spec 5.
//
// If the profile has a table of scopes, it defines the hierarchy; then a scope
// and a node of the same name are two rows. If a node's name begins with the
// path of its scope, its label is the rest of the name. Without the table,
// names are paths (name_path.h).

#ifndef TFPROF_VIEWS_SCOPE_H_
#define TFPROF_VIEWS_SCOPE_H_

#include <memory>
#include <string_view>
#include <vector>

#include "views/context.h"
#include "views/tree.h"

namespace tfprof::views {

inline constexpr std::string_view kScopeParentType = "_kTFScopeParent";

// Rows in pre-order: parents come before children, siblings are sorted by name.
// Row 0 is the root. Built once; names point into the profile or into the tree.
// A row's name consists of the labels on the path from the root, joined by '/',
// so two rows may have the same name.
struct ScopeTree {
  profile::StringPool name_pool;
  std::vector<std::string_view> names;
  std::vector<profile::NodeId> node;  // kNone: root or synthetic
  std::vector<uint32_t> parent;       // the root's parent is the root

  // Returns the part that the row adds to its parent's name.
  std::string_view Label(uint32_t row) const {
    const std::string_view name = names[row];
    if (parent[row] == kRootRow) return name;
    const std::string_view head = names[parent[row]];
    if (head.empty() || name.size() <= head.size()) return name;
    return name.substr(head.size() + 1);
  }
};

ScopeTree BuildScopeTree(const profile::Profile& profile,
                         const util::TaskOptions& work = {});

// `tree` must outlive the result.
std::shared_ptr<const AccountedTree> AccountScope(
    const ScopeTree& tree, ViewContext& context, int64_t step,
    flops::FlopsSource flops, const RegexPatterns& account_types);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_SCOPE_H_

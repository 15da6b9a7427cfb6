// The scope view: nodes as a hierarchy of names, like files in directories.
//
// A name scope that is no node itself gets a synthetic row. Behaviour:
// reference spec 5.

#ifndef TFPROF_VIEWS_SCOPE_H_
#define TFPROF_VIEWS_SCOPE_H_

#include <memory>
#include <string_view>
#include <vector>

#include "views/context.h"
#include "views/tree.h"

namespace tfprof {

inline constexpr std::string_view kScopeParentType = "_kTFScopeParent";

// Rows in pre-order: parents before children, siblings by name. Row 0 is the
// root. Built once; names point into the profile.
struct ScopeTree {
  std::vector<std::string_view> names;
  std::vector<NodeId> node;      // kNone: root or synthetic
  std::vector<uint32_t> parent;  // of the root: itself
};

ScopeTree BuildScopeTree(const Profile& profile);

// `tree` must outlive the result.
std::shared_ptr<const AccountedTree> AccountScope(
    const ScopeTree& tree, ViewContext& context, int64_t step,
    FlopsSource flops, const RegexPatterns& account_types);

}  // namespace tfprof

#endif  // TFPROF_VIEWS_SCOPE_H_

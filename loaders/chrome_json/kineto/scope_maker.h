// ScopeMaker: makes scopes that are not too deep.
//
// The name of a node contains all of its scopes, so a million nested ranges
// would make endless names. Anything deeper than kMaxDepth is in the scope at
// that depth. Python stops at 1000 calls, and no program nests as many modules.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_SCOPE_MAKER_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_SCOPE_MAKER_H_

#include <cstdint>
#include <vector>

#include "profile/profile_builder.h"

namespace tfprof::kineto {

class ScopeMaker {
 public:
  static constexpr uint32_t kMaxDepth = 200;

  explicit ScopeMaker(profile::ProfileBuilder& builder) : builder_(builder) {}

  profile::ProfileBuilder& builder() { return builder_; }

  // Returns the scope `name` inside `parent`, or `parent` if the name is empty.
  profile::ScopeId Push(profile::ScopeId parent, profile::StringId name) {
    if (DepthOf(parent) >= kMaxDepth) return parent;
    profile::GraphTables& graph = builder_.mutable_graph();
    if (graph.strings.Get(name).empty()) return parent;
    return graph.scopes.Push(parent, name);
  }

 private:
  uint32_t DepthOf(profile::ScopeId scope) {
    const profile::Scopes& scopes = builder_.graph().scopes;
    // The id of a scope is larger than the id of its parent.
    for (auto s = static_cast<profile::ScopeId>(depth_.size());
         s < scopes.size(); ++s) {
      depth_.push_back(depth_[scopes[s].parent] + 1);
    }
    return depth_[scope];
  }

  profile::ProfileBuilder& builder_;
  std::vector<uint32_t> depth_ = {0};  // by scope
};

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_SCOPE_MAKER_H_

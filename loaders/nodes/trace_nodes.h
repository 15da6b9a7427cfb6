// TraceNodes: makes the nodes of a trace, which has no graph.
//
// A trace has executions of operations, in scopes and with call stacks. A node
// is a combination of one scope, one operation and one call stack. So each view
// can show its part: `op` the operation, `scope` the scope, `code` the stack.
//
// The name of a node is the path of its scope plus its operation:
// "model/layer1/conv". If an operation has several stacks in one scope, the
// names of the others also have their innermost frame, "model/layer1/conv
// @train.py:42", and then a number, "model/layer1/conv @train.py:42#2".
//
// Scopes are at most kMaxScopeDepth deep, and their paths have at most
// kMaxPathBytes, because the name of each node contains the path of its scope.
// Deeper scopes are merged into the deepest one.
//
// Use one thread. The builder must outlive this.

#ifndef TFPROF_LOADERS_NODES_TRACE_NODES_H_
#define TFPROF_LOADERS_NODES_TRACE_NODES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "profile/profile_builder.h"

namespace tfprof::loaders {

class TraceNodes {
 public:
  static constexpr uint32_t kMaxScopeDepth = 32;
  static constexpr size_t kMaxPathBytes = 1024;

  explicit TraceNodes(profile::ProfileBuilder& builder) : builder_(builder) {}

  // Returns the scope `part` inside `parent`, or `parent` itself if it has the
  // maximum depth or `part` is empty.
  profile::ScopeId Scope(profile::ScopeId parent, std::string_view part);

  // Returns the node for these, and makes it at the first call. Its attributes
  // come from `record`.
  profile::NodeId Node(profile::ScopeId scope, std::string_view op,
                       profile::StackId stack,
                       profile::RecordRef record = profile::kNoRecord);

  // Returns a name for a node that the caller adds: the path of the scope and
  // `label`, with a number if the name is taken.
  profile::StringId Reserve(profile::ScopeId scope, std::string_view label);

  // How often Scope() was called at the maximum depth.
  int64_t num_too_deep() const { return num_too_deep_; }

 private:
  struct Place {
    uint32_t depth = 0;
    profile::StringId path = profile::kNone;  // kNone: the root
  };

  Place PlaceOf(profile::ScopeId scope);
  // Returns a name that is not taken.
  profile::StringId FreeName(profile::ScopeId scope, std::string_view label,
                             profile::StackId stack);
  bool IsTaken(profile::StringId name) const {
    return builder_.graph().nodes.Find(name) != profile::kNone ||
           reserved_.contains(name);
  }

  profile::ProfileBuilder& builder_;
  std::vector<Place> places_;  // by scope, as far as asked for
  absl::flat_hash_map<
      std::tuple<profile::ScopeId, profile::StringId, profile::StackId>,
      profile::NodeId>
      nodes_;
  absl::flat_hash_set<profile::StringId> reserved_;
  // For each taken name, the last number that was appended to it.
  absl::flat_hash_map<profile::StringId, uint32_t> number_behind_;
  int64_t num_too_deep_ = 0;
  std::string text_;
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_NODES_TRACE_NODES_H_

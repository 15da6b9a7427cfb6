// TraceNodes: makes the nodes of a trace, which has no graph.
//
// A trace has executions of operations, in scopes and with call stacks. A node
// is what has one scope, one operation and one call stack, so that each view
// can show its part: `op` the operation, `scope` the scope, `code` the stack.
//
// The name of a node is the path of its scope and its operation:
// "model/layer1/conv". Where one scope has an operation with several stacks,
// the others are called by their innermost frame, "model/layer1/conv
// @train.py:42", and then numbered, "model/layer1/conv @train.py:42#2".
//
// Scopes are at most kMaxScopeDepth deep, and their paths have at most
// kMaxPathBytes, because each node has the path of its scope in its name: what
// is deeper is in the deepest scope.
//
// For one thread. The builder must outlive this.

#ifndef TFPROF_LOADERS_TRACE_NODES_H_
#define TFPROF_LOADERS_TRACE_NODES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "profile/profile_builder.h"

namespace tfprof {

class TraceNodes {
 public:
  static constexpr uint32_t kMaxScopeDepth = 32;
  static constexpr size_t kMaxPathBytes = 1024;

  explicit TraceNodes(ProfileBuilder& builder) : builder_(builder) {}

  // The scope `part` of `parent`; `parent` itself if it is as deep as scopes
  // may be or `part` is empty.
  ScopeId Scope(ScopeId parent, std::string_view part);

  // The node of these; a new one at the first call. Its attributes are those of
  // `record`.
  NodeId Node(ScopeId scope, std::string_view op, StackId stack,
              RecordRef record = kNoRecord);

  // A name for a node that the caller adds: the path of the scope and `label`,
  // numbered if a node or an earlier call has it.
  StringId Reserve(ScopeId scope, std::string_view label);

  // How often Scope() was too deep.
  int64_t num_too_deep() const { return num_too_deep_; }

 private:
  struct Place {
    uint32_t depth = 0;
    StringId path = kNone;  // kNone: the root
  };

  Place PlaceOf(ScopeId scope);
  // A name that is not taken.
  StringId FreeName(ScopeId scope, std::string_view label, StackId stack);
  bool IsTaken(StringId name) const {
    return builder_.graph().nodes.Find(name) != kNone ||
           reserved_.contains(name);
  }

  ProfileBuilder& builder_;
  std::vector<Place> places_;  // by scope, as far as they were asked for
  absl::flat_hash_map<std::tuple<ScopeId, StringId, StackId>, NodeId> nodes_;
  absl::flat_hash_set<StringId> reserved_;
  // By a name that is taken: the last number that was tried behind it.
  absl::flat_hash_map<StringId, uint32_t> number_behind_;
  int64_t num_too_deep_ = 0;
  std::string text_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TRACE_NODES_H_

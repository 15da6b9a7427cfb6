// OpNodes: the nodes of operations that are not HLO instructions: TensorFlow's
// ops, ranges that code named, Python frames, kernels of unknown origin.
//
// Such an operation is known by its name, its op, its scope and, if Python
// called it, its call stack. All operations of a file are noted first, and then
// get their nodes: only then it is known which names are called from several
// places. Those get " @file.py:42" behind their names, the innermost frame or,
// for a frame itself, its caller; and "#2", "#3" … if names are still equal.

#ifndef TFPROF_LOADERS_XPLANE_OP_NODES_H_
#define TFPROF_LOADERS_XPLANE_OP_NODES_H_

#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/profile_builder.h"

namespace tfprof {

class OpNodes {
 public:
  using Number = uint32_t;

  // The builder must outlive this.
  explicit OpNodes(ProfileBuilder& builder) : builder_(builder) {}

  // `scope` is of the first that has this name, op and stack. `is_frame`: the
  // stack ends with the operation itself.
  Number Note(std::string_view name, std::string_view op, ScopeId scope,
              StackId stack, bool is_frame);

  // Makes the nodes of what was noted since the last call, and the links from
  // gradients of TensorFlow's gradient tape to their forward operations.
  void MakeNodes();

  NodeId operator[](Number number) const { return ops_[number].node; }

  // The first node with this name and another op than "python"; kNone: none.
  NodeId Find(std::string_view name) const;

 private:
  struct Op {
    StringId name = kNone;
    StringId op = kNone;
    ScopeId scope = kRootScope;
    StackId stack = kNoStack;
    bool is_frame = false;
    NodeId node = kNone;
  };

  void MakeNode(Op& op);

  ProfileBuilder& builder_;
  std::vector<Op> ops_;
  size_t made_ = 0;
  absl::flat_hash_map<std::tuple<StringId, StringId, StackId>, Number> numbers_;
  // How many stacks a name and op have.
  absl::flat_hash_map<std::pair<StringId, StringId>, uint32_t> stacks_;
  // The number that was last put behind a name.
  absl::flat_hash_map<StringId, uint32_t> suffix_;
  absl::flat_hash_map<StringId, NodeId> first_of_name_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_OP_NODES_H_

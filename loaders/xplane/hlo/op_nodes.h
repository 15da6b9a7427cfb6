// OpNodes: makes the nodes of operations that are not HLO instructions:
// TensorFlow's ops, ranges that code named, Python frames, kernels of unknown
// origin.
//
// Such an operation is identified by its name, its op, its scope and, if Python
// called it, its call stack. All operations of a file are noted before they get
// their nodes, because only then it is known which names are called from
// several places. Such a name gets a suffix: " @file.py:42" of the innermost
// frame or, for a frame itself, of its caller; and then "#2", "#3" … if names
// are still equal.

#ifndef TFPROF_LOADERS_XPLANE_HLO_OP_NODES_H_
#define TFPROF_LOADERS_XPLANE_HLO_OP_NODES_H_

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

  // Returns the number of an operation. The scope of the first call with this
  // name, op and stack is used. `is_frame`: the stack ends with the operation
  // itself.
  Number Note(std::string_view name, std::string_view op, ScopeId scope,
              StackId stack, bool is_frame);

  // Makes the nodes of the operations that were noted since the last call, and
  // links gradients of TensorFlow's gradient tape to their forward operations.
  void MakeNodes();

  NodeId operator[](Number number) const { return ops_[number].node; }

  // Returns the first node with this name and another op than "python", or
  // kNone.
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
  // The number of stacks of each name and op.
  absl::flat_hash_map<std::pair<StringId, StringId>, uint32_t> stacks_;
  // The last number that was appended to each name.
  absl::flat_hash_map<StringId, uint32_t> suffix_;
  absl::flat_hash_map<StringId, NodeId> first_of_name_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_HLO_OP_NODES_H_

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

namespace tfprof::xplane {

class OpNodes {
 public:
  using Number = uint32_t;

  // The builder must outlive this.
  explicit OpNodes(profile::ProfileBuilder& builder) : builder_(builder) {}

  // Returns the number of an operation. The scope of the first call with this
  // name, op and stack is used. `is_frame`: the stack ends with the operation
  // itself.
  Number Note(std::string_view name, std::string_view op,
              profile::ScopeId scope, profile::StackId stack, bool is_frame);

  // Makes the nodes of the operations that were noted since the last call, and
  // links gradients of TensorFlow's gradient tape to their forward operations.
  void MakeNodes();

  profile::NodeId operator[](Number number) const { return ops_[number].node; }

  // Returns the first node with this name and another op than "python", or
  // kNone.
  profile::NodeId Find(std::string_view name) const;

 private:
  struct Op {
    profile::StringId name = profile::kNone;
    profile::StringId op = profile::kNone;
    profile::ScopeId scope = profile::kRootScope;
    profile::StackId stack = profile::kNoStack;
    bool is_frame = false;
    profile::NodeId node = profile::kNone;
  };

  void MakeNode(Op& op);

  profile::ProfileBuilder& builder_;
  std::vector<Op> ops_;
  size_t made_ = 0;
  absl::flat_hash_map<
      std::tuple<profile::StringId, profile::StringId, profile::StackId>,
      Number>
      numbers_;
  // The number of stacks of each name and op.
  absl::flat_hash_map<std::pair<profile::StringId, profile::StringId>, uint32_t>
      stacks_;
  // The last number that was appended to each name.
  absl::flat_hash_map<profile::StringId, uint32_t> suffix_;
  absl::flat_hash_map<profile::StringId, profile::NodeId> first_of_name_;
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_HLO_OP_NODES_H_

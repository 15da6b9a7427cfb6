// The code view: nodes under the Python call stacks that made them.
//
// Gradient nodes hang under the stack of their forward node, each frame marked
// " (gradient)". The profile says which nodes are gradients
// (NodeTable::forward_of); where it does not, their names do
// (accounting/gradients.h). In a profile of self times
// (GraphTables::self_times) the tree has all nodes, so that its total is that
// of the other views: those without a stack are in one row, kNoStackName. Rows
// of the same file base name, line and function under one caller are one row.
// Behaviour: reference spec 8.

#ifndef TFPROF_VIEWS_CODE_H_
#define TFPROF_VIEWS_CODE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "views/multi_node.h"
#include "views/tree.h"

namespace tfprof {

inline constexpr std::string_view kNoStackName = "(no call stack)";

// Row 0 is the root. A row's number is above its caller's; siblings are in
// order of creation, which is the order of their numbers.
struct CodeTree {
  StringPool name_pool;  // owns the names
  std::vector<std::string_view> names;
  std::vector<uint32_t> parent;
  std::vector<FrameId> frame;     // of the row; kNone: the root, kNoStackName
  std::vector<uint8_t> gradient;  // whether the row is of gradient nodes
  std::vector<uint32_t> node_begin;
  std::vector<NodeId> nodes;  // by row, then by name
  // The number of frames that are part of the row that called them.
  int64_t folded = 0;
  // The number of forward nodes that gradients name and that are not in the
  // profile or have no call stack.
  int64_t lost_gradients = 0;

  std::span<const NodeId> nodes_of(uint32_t row) const {
    return {nodes.data() + node_begin[row], nodes.data() + node_begin[row + 1]};
  }
};

// `fold_libraries`: see ViewOptions.
CodeTree BuildCodeTree(ViewContext& context, bool fold_libraries = false);

// `tree` must outlive the result.
std::shared_ptr<const AccountedTree> AccountCode(
    const CodeTree& tree, ViewContext& context, int64_t step, FlopsSource flops,
    const RegexPatterns& account_types);

// The frame of a row; one without names for a row that has none.
const Frame& RowFrame(const Profile& profile, const CodeTree& tree,
                      uint32_t row);

// The name of the row of a frame: file, line and function.
std::string CodeRowName(const Profile& profile, const Frame& frame);

// "<unknown>" for kNone.
std::string_view TraceString(const Profile& profile, StringId string);

}  // namespace tfprof

#endif  // TFPROF_VIEWS_CODE_H_

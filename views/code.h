// The code view: nodes under the Python call stacks that created them.
//
// Gradient nodes are under the stack of their forward node, with each frame
// marked " (gradient)". NodeTable::forward_of tells which nodes are gradients;
// if a profile lacks it, the names decide (accounting/gradients.h). In a
// profile with self times (GraphTables::self_times) the tree has all nodes, so
// that its total equals the other views' total; nodes without a stack are in
// one row, kNoStackName. Frames with the same file base name, line and function
// under one caller share a row. Behaviour: reference spec 8.

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

namespace tfprof::views {

inline constexpr std::string_view kNoStackName = "(no call stack)";

// Row 0 is the root. A row's number is larger than its caller's; siblings are
// in order of creation, and so are their numbers.
struct CodeTree {
  profile::StringPool name_pool;  // owns the names
  std::vector<std::string_view> names;
  std::vector<uint32_t> parent;
  std::vector<profile::FrameId> frame;  // kNone for the root and kNoStackName
  std::vector<uint8_t> gradient;        // 1: a row of gradient nodes
  std::vector<uint32_t> node_begin;
  std::vector<profile::NodeId> nodes;  // sorted by row, then by name
  // The number of frames that were merged into their caller's row.
  int64_t folded = 0;
  // The number of forward nodes of gradients that are not in the profile or
  // have no call stack.
  int64_t lost_gradients = 0;

  std::span<const profile::NodeId> nodes_of(uint32_t row) const {
    return {nodes.data() + node_begin[row], nodes.data() + node_begin[row + 1]};
  }
};

// For `fold_libraries`, see ViewOptions.
CodeTree BuildCodeTree(ViewContext& context, bool fold_libraries = false);

// `tree` must outlive the result.
std::shared_ptr<const AccountedTree> AccountCode(
    const CodeTree& tree, ViewContext& context, int64_t step,
    flops::FlopsSource flops, const RegexPatterns& account_types);

// Returns the frame of a row, or an empty frame if the row has none.
const profile::Frame& RowFrame(const profile::Profile& profile,
                               const CodeTree& tree, uint32_t row);

// Returns the name of a frame's row: file, line and function.
std::string CodeRowName(const profile::Profile& profile,
                        const profile::Frame& frame);

// Returns "<unknown>" for kNone.
std::string_view FrameString(const profile::Profile& profile,
                             profile::StringId string);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_CODE_H_

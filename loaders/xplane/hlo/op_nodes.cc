#include "loaders/xplane/hlo/op_nodes.h"

#include <string>

#include "fmt/format.h"
#include "loaders/xplane/hlo/op_name_path.h"

namespace tfprof::xplane {
namespace {

// Returns " @file.py:42" for the innermost frame of `stack`.
std::string PlaceOf(const profile::GraphTables& graph, profile::StackId stack) {
  if (stack == profile::kNoStack) return "";
  const profile::Frame& frame = graph.stacks.frame(graph.stacks[stack].frame);
  std::string_view file =
      frame.file == profile::kNone ? "?" : graph.strings.Get(frame.file);
  file = file.substr(file.rfind('/') + 1);
  return frame.lineno < 0 ? fmt::format(" @{}", file)
                          : fmt::format(" @{}:{}", file, frame.lineno);
}

}  // namespace

OpNodes::Number OpNodes::Note(std::string_view name, std::string_view op,
                              profile::ScopeId scope, profile::StackId stack,
                              bool is_frame) {
  profile::StringPool& strings = builder_.mutable_graph().strings;
  const profile::StringId name_id = strings.Intern(name);
  const profile::StringId op_id = strings.Intern(op);
  const auto [it, is_new] = numbers_.try_emplace(
      {name_id, op_id, stack}, static_cast<Number>(ops_.size()));
  if (is_new) {
    ops_.push_back({.name = name_id,
                    .op = op_id,
                    .scope = scope,
                    .stack = stack,
                    .is_frame = is_frame});
    ++stacks_[{name_id, op_id}];
  }
  return it->second;
}

void OpNodes::MakeNode(Op& op) {
  profile::GraphTables& graph = builder_.mutable_graph();
  profile::StringId name = op.name;
  if (stacks_[{op.name, op.op}] > 1) {
    const profile::StackId place =
        op.is_frame ? graph.stacks[op.stack].parent : op.stack;
    std::string text(graph.strings.Get(op.name));
    text += PlaceOf(graph, place);
    name = graph.strings.Intern(text);
  }
  op.node = builder_.AddNode(name, op.op, profile::kNoRecord);
  while (op.node == profile::kNone) {
    uint32_t& suffix = suffix_[name];
    suffix = suffix == 0 ? 2 : suffix + 1;
    std::string text(graph.strings.Get(name));
    text += fmt::format("#{}", suffix);
    op.node =
        builder_.AddNode(graph.strings.Intern(text), op.op, profile::kNoRecord);
  }
  builder_.SetScope(op.node, op.scope);
  if (op.stack != profile::kNoStack) {
    graph.nodes.stack[op.node] = op.stack;
    graph.has_code_traces = true;
  }
  if (!op.is_frame) first_of_name_.try_emplace(op.name, op.node);
}

void OpNodes::MakeNodes() {
  const size_t first = made_;
  for (; made_ < ops_.size(); ++made_) MakeNode(ops_[made_]);
  for (size_t i = first; i < ops_.size(); ++i) {
    const Op& op = ops_[i];
    if (op.is_frame) continue;
    const std::string forward =
        ForwardOpName(OpNameParts(builder_.graph().strings.Get(op.name)));
    if (forward.empty()) continue;
    const profile::NodeId n = Find(forward);
    // Code views show a gradient below its forward operation.
    const std::vector<profile::StackId>& stacks = builder_.graph().nodes.stack;
    if (n != profile::kNone && n != op.node &&
        (stacks[n] != profile::kNoStack ||
         stacks[op.node] == profile::kNoStack)) {
      builder_.SetForward(op.node, n);
    }
  }
}

profile::NodeId OpNodes::Find(std::string_view name) const {
  const auto it = first_of_name_.find(builder_.graph().strings.Find(name));
  return it == first_of_name_.end() ? profile::kNone : it->second;
}

}  // namespace tfprof::xplane

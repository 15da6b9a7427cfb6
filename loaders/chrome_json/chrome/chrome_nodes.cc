#include "loaders/chrome_json/chrome/chrome_nodes.h"

#include "loaders/onnx/onnx_names.h"

namespace tfprof::chrome_json {

ChromeNodes::CallId ChromeNodes::Root(std::string_view name) {
  const profile::StringId id = builder_.mutable_graph().strings.Intern(name);
  const auto [it, is_new] =
      roots_.try_emplace(id, static_cast<CallId>(calls_.size()));
  if (is_new) {
    Entry root;
    root.inner = nodes_.Scope(profile::kRootScope, name);
    calls_.push_back(root);
  }
  return it->second;
}

profile::FrameId ChromeNodes::FrameWithoutPlace(profile::StringId name) {
  profile::Frame frame;
  frame.function = name;
  return builder_.mutable_graph().stacks.InternFrame(frame);
}

ChromeNodes::CallId ChromeNodes::Call(CallId caller, profile::StringId name,
                                      profile::FrameId frame) {
  const auto [it, is_new] = ids_.try_emplace(
      {caller, name, frame}, static_cast<CallId>(calls_.size()));
  if (!is_new) return it->second;
  const Entry above = calls_[caller];
  Entry call;
  call.name = name;
  call.scope = above.inner;
  // A function that calls itself stays in the same scope.
  call.inner =
      name == above.name
          ? above.inner
          : nodes_.Scope(above.inner, builder_.graph().strings.Get(name));
  if (has_frames_) {
    call.stack = builder_.mutable_graph().stacks.Push(
        above.stack, frame != profile::kNone ? frame : FrameWithoutPlace(name));
  }
  calls_.push_back(call);
  return it->second;
}

profile::NodeId ChromeNodes::NodeOf(CallId call) {
  Entry& entry = calls_[call];
  if (entry.node == profile::kNone) {
    entry.node = nodes_.Node(
        entry.scope, builder_.graph().strings.Get(entry.name), entry.stack);
  }
  return entry.node;
}

profile::NodeId ChromeNodes::Operation(profile::StringId name,
                                       profile::StringId op) {
  const auto [it, is_new] = operations_.try_emplace({name, op}, profile::kNone);
  if (!is_new) return it->second;
  const std::string_view text = builder_.graph().strings.Get(name);
  const std::vector<std::string_view> path = onnx::OnnxPath(text);
  profile::ScopeId scope = profile::kRootScope;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    scope = nodes_.Scope(scope, path[i]);
  }
  const profile::NodeId node =
      builder_.AddNode(nodes_.Reserve(scope, path.empty() ? text : path.back()),
                       op, profile::kNoRecord);
  builder_.SetScope(node, scope);
  it->second = node;
  return node;
}

}  // namespace tfprof::chrome_json

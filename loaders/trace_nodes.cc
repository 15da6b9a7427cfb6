#include "loaders/trace_nodes.h"

#include "fmt/format.h"

namespace tfprof {

ScopeId TraceNodes::Scope(ScopeId parent, std::string_view part) {
  if (part.empty()) return parent;
  if (places_.empty()) places_.resize(1);
  const Place above = places_[parent];
  if (above.depth == kMaxScopeDepth) {
    ++num_too_deep_;
    return parent;
  }
  const ScopeId scope = builder_.AddScope(parent, part);
  if (scope < places_.size() && places_[scope].path != kNone) return scope;
  if (scope >= places_.size()) places_.resize(scope + 1);
  StringPool& strings = builder_.mutable_graph().strings;
  text_.clear();
  if (above.path != kNone) {
    text_.append(strings.Get(above.path)).push_back('/');
  }
  text_.append(part);
  places_[scope] = {above.depth + 1, strings.Intern(text_)};
  return scope;
}

NodeId TraceNodes::Node(ScopeId scope, std::string_view op, StackId stack,
                        RecordRef record) {
  const StringId op_id = builder_.mutable_graph().strings.Intern(op);
  const auto [it, is_new] = nodes_.try_emplace({scope, op_id, stack}, kNone);
  if (!is_new) return it->second;
  const NodeId node =
      builder_.AddNode(FreeName(scope, op, stack), op_id, record);
  builder_.SetScope(node, scope);
  builder_.mutable_graph().nodes.stack[node] = stack;
  it->second = node;
  return node;
}

StringId TraceNodes::Reserve(ScopeId scope, std::string_view label) {
  const StringId name = FreeName(scope, label, kNoStack);
  reserved_.insert(name);
  return name;
}

StringId TraceNodes::FreeName(ScopeId scope, std::string_view label,
                              StackId stack) {
  GraphTables& graph = builder_.mutable_graph();
  StringPool& strings = graph.strings;
  text_.clear();
  if (scope < places_.size() && places_[scope].path != kNone) {
    text_.append(strings.Get(places_[scope].path)).push_back('/');
  }
  text_.append(label);
  StringId name = strings.Intern(text_);
  if (!IsTaken(name)) return name;
  if (stack != kNoStack) {
    const Frame& frame = graph.stacks.frame(graph.stacks[stack].frame);
    std::string_view file =
        frame.file == kNone ? std::string_view() : strings.Get(frame.file);
    file = file.substr(file.rfind('/') + 1);
    if (!file.empty()) {
      text_ += fmt::format(" @{}:{}", file, frame.lineno);
      name = strings.Intern(text_);
      if (!IsTaken(name)) return name;
    }
  }
  const size_t length = text_.size();
  uint32_t& number = number_behind_.try_emplace(name, 1).first->second;
  StringId numbered;
  do {
    text_.resize(length);
    text_ += fmt::format("#{}", ++number);
    numbered = strings.Intern(text_);
  } while (IsTaken(numbered));
  return numbered;
}

}  // namespace tfprof

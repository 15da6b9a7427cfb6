#include "loaders/nodes/trace_nodes.h"

#include <algorithm>

#include "fmt/format.h"

namespace tfprof {

TraceNodes::Place TraceNodes::PlaceOf(ScopeId scope) {
  if (scope == kRootScope) return {};
  GraphTables& graph = builder_.mutable_graph();
  places_.resize(std::max(places_.size(), graph.scopes.size()));
  if (places_[scope].path != kNone) return places_[scope];
  // Another class may have made the scope, so its parents may have no place yet
  // either.
  std::vector<ScopeId> missing;
  ScopeId above = scope;
  for (; above != kRootScope && places_[above].path == kNone;
       above = graph.scopes[above].parent) {
    missing.push_back(above);
  }
  for (Place place = places_[above]; !missing.empty(); missing.pop_back()) {
    text_.clear();
    if (place.path != kNone) {
      text_.append(graph.strings.Get(place.path)).push_back('/');
    }
    text_.append(graph.strings.Get(graph.scopes[missing.back()].name));
    place = {place.depth + 1, graph.strings.Intern(text_)};
    places_[missing.back()] = place;
  }
  return places_[scope];
}

ScopeId TraceNodes::Scope(ScopeId parent, std::string_view part) {
  if (part.empty()) return parent;
  const Place above = PlaceOf(parent);
  const size_t path_bytes =
      above.path == kNone ? 0 : builder_.graph().strings.Get(above.path).size();
  if (above.depth >= kMaxScopeDepth ||
      path_bytes + part.size() >= kMaxPathBytes) {
    ++num_too_deep_;
    return parent;
  }
  return builder_.AddScope(parent, part);
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
  const Place place = PlaceOf(scope);
  text_.clear();
  if (place.path != kNone) {
    text_.append(strings.Get(place.path)).push_back('/');
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

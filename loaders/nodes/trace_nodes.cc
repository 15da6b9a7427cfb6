#include "loaders/nodes/trace_nodes.h"

#include <algorithm>

#include "fmt/format.h"

namespace tfprof::loaders {

TraceNodes::Place TraceNodes::PlaceOf(profile::ScopeId scope) {
  if (scope == profile::kRootScope) return {};
  profile::GraphTables& graph = builder_.mutable_graph();
  places_.resize(std::max(places_.size(), graph.scopes.size()));
  if (places_[scope].path != profile::kNone) return places_[scope];
  // Another class may have made the scope, so its parents may have no place yet
  // either.
  std::vector<profile::ScopeId> missing;
  profile::ScopeId above = scope;
  for (; above != profile::kRootScope && places_[above].path == profile::kNone;
       above = graph.scopes[above].parent) {
    missing.push_back(above);
  }
  for (Place place = places_[above]; !missing.empty(); missing.pop_back()) {
    text_.clear();
    if (place.path != profile::kNone) {
      text_.append(graph.strings.Get(place.path)).push_back('/');
    }
    text_.append(graph.strings.Get(graph.scopes[missing.back()].name));
    place = {place.depth + 1, graph.strings.Intern(text_)};
    places_[missing.back()] = place;
  }
  return places_[scope];
}

profile::ScopeId TraceNodes::Scope(profile::ScopeId parent,
                                   std::string_view part) {
  if (part.empty()) return parent;
  const Place above = PlaceOf(parent);
  const size_t path_bytes =
      above.path == profile::kNone
          ? 0
          : builder_.graph().strings.Get(above.path).size();
  if (above.depth >= kMaxScopeDepth ||
      path_bytes + part.size() >= kMaxPathBytes) {
    ++num_too_deep_;
    return parent;
  }
  return builder_.AddScope(parent, part);
}

profile::NodeId TraceNodes::Node(profile::ScopeId scope, std::string_view op,
                                 profile::StackId stack,
                                 profile::RecordRef record) {
  const profile::StringId op_id = builder_.mutable_graph().strings.Intern(op);
  const auto [it, is_new] =
      nodes_.try_emplace({scope, op_id, stack}, profile::kNone);
  if (!is_new) return it->second;
  const profile::NodeId node =
      builder_.AddNode(FreeName(scope, op, stack), op_id, record);
  builder_.SetScope(node, scope);
  builder_.mutable_graph().nodes.stack[node] = stack;
  it->second = node;
  return node;
}

profile::StringId TraceNodes::Reserve(profile::ScopeId scope,
                                      std::string_view label) {
  const profile::StringId name = FreeName(scope, label, profile::kNoStack);
  reserved_.insert(name);
  return name;
}

profile::StringId TraceNodes::FreeName(profile::ScopeId scope,
                                       std::string_view label,
                                       profile::StackId stack) {
  profile::GraphTables& graph = builder_.mutable_graph();
  profile::StringPool& strings = graph.strings;
  const Place place = PlaceOf(scope);
  text_.clear();
  if (place.path != profile::kNone) {
    text_.append(strings.Get(place.path)).push_back('/');
  }
  text_.append(label);
  profile::StringId name = strings.Intern(text_);
  if (!IsTaken(name)) return name;
  if (stack != profile::kNoStack) {
    const profile::Frame& frame = graph.stacks.frame(graph.stacks[stack].frame);
    std::string_view file = frame.file == profile::kNone
                                ? std::string_view()
                                : strings.Get(frame.file);
    file = file.substr(file.rfind('/') + 1);
    if (!file.empty()) {
      text_ += fmt::format(" @{}:{}", file, frame.lineno);
      name = strings.Intern(text_);
      if (!IsTaken(name)) return name;
    }
  }
  const size_t length = text_.size();
  uint32_t& number = number_behind_.try_emplace(name, 1).first->second;
  profile::StringId numbered;
  do {
    text_.resize(length);
    text_ += fmt::format("#{}", ++number);
    numbered = strings.Intern(text_);
  } while (IsTaken(numbered));
  return numbered;
}

}  // namespace tfprof::loaders

#include "loaders/chrome_json/kineto/nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "loaders/chrome_json/kineto/replays/call_cycles.h"

namespace tfprof::kineto {
namespace {

// Returns the scopes as paths, by scope.
std::vector<std::string> ScopePaths(const profile::GraphTables& graph) {
  std::vector<std::string> paths(graph.scopes.size());
  for (profile::ScopeId s = 1; s < graph.scopes.size(); ++s) {
    const profile::Scopes::Entry& entry = graph.scopes[s];
    paths[s] = paths[entry.parent];
    if (!paths[s].empty()) paths[s] += '/';
    paths[s] += graph.strings.Get(entry.name);
  }
  return paths;
}

// Returns the location of the innermost frame: " @model.py:42".
std::string PlaceOf(const profile::GraphTables& graph, profile::StackId stack) {
  if (stack == profile::kNoStack) return "";
  const profile::Frame& frame = graph.stacks.frame(graph.stacks[stack].frame);
  if (frame.file == profile::kNone) return "";
  std::string_view file = graph.strings.Get(frame.file);
  file.remove_prefix(file.find_last_of("/\\") + 1);
  return frame.lineno < 0 ? fmt::format(" @{}", file)
                          : fmt::format(" @{}:{}", file, frame.lineno);
}

}  // namespace

uint32_t KinetoNodes::Add(const Key& key, profile::StringId type,
                          profile::RecordRef record, uint32_t dims) {
  const auto number = static_cast<uint32_t>(nodes_.size());
  const auto [it, added] =
      ids_.try_emplace({key.scope, key.op, key.stack}, number);
  if (added) {
    nodes_.push_back({.key = key,
                      .type = type,
                      .record = dims == 0 ? profile::kNoRecord : record,
                      .dims = dims});
    return number;
  }
  Node& node = nodes_[it->second];
  if (node.dims != dims) node.record = profile::kNoRecord;
  return it->second;
}

void KinetoNodes::AddCall(uint32_t parent, uint32_t child) {
  if (parent == child || !known_calls_.insert({parent, child}).second) return;
  calls_.emplace_back(parent, child);
}

void KinetoNodes::AddGradient(uint32_t forward, uint32_t backward) {
  if (forward != backward && nodes_[backward].forward == profile::kNone) {
    nodes_[backward].forward = forward;
  }
}

std::vector<profile::StringId> KinetoNodes::Names(
    profile::GraphTables& graph) const {
  const std::vector<std::string> paths = ScopePaths(graph);
  // The number of stacks of each operator of a scope.
  absl::flat_hash_map<std::pair<profile::ScopeId, profile::StringId>, uint32_t>
      stacks;
  for (const Node& node : nodes_) ++stacks[{node.key.scope, node.key.op}];
  std::vector<profile::StringId> names;
  names.reserve(nodes_.size());
  absl::flat_hash_set<profile::StringId> used;
  absl::flat_hash_map<profile::StringId, int> copies;  // by name
  const profile::NodeTable& table = graph.nodes;
  for (const Node& node : nodes_) {
    std::string name = paths[node.key.scope];
    if (!name.empty()) name += '/';
    name += graph.strings.Get(node.key.op);
    if (stacks[{node.key.scope, node.key.op}] > 1) {
      name += PlaceOf(graph, node.key.stack);
    }
    const auto is_free = [&](profile::StringId id) {
      return table.Find(id) == profile::kNone && used.insert(id).second;
    };
    profile::StringId id = graph.strings.Intern(name);
    const profile::StringId base = id;
    while (!is_free(id)) {
      const int copy = ++copies.try_emplace(base, 1).first->second;
      id = graph.strings.Intern(fmt::format("{}#{}", name, copy));
    }
    names.push_back(id);
  }
  return names;
}

std::vector<profile::NodeId> KinetoNodes::Build(
    profile::ProfileBuilder& builder) {
  const std::vector<profile::StringId> names = Names(builder.mutable_graph());
  std::stable_sort(
      calls_.begin(), calls_.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  DropCycles(nodes_.size(), calls_);
  builder.ReserveNodes(nodes_.size(), calls_.size());
  builder.mutable_graph().edges_are_calls = true;
  std::vector<profile::NodeId> ids;
  ids.reserve(nodes_.size());
  auto call = calls_.begin();
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const profile::NodeId id =
        builder.AddNode(names[i], node.type, node.record);
    ids.push_back(id);
    const auto first = call;
    while (call != calls_.end() && call->first == i) ++call;
    builder.AddEdges(static_cast<size_t>(call - first), [&](size_t n) {
      return std::pair<profile::StringId, int32_t>(
          names[first[static_cast<ptrdiff_t>(n)].second], 0);
    });
    builder.SetScope(id, node.key.scope);
    builder.mutable_graph().nodes.stack[id] = node.key.stack;
  }
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].forward == profile::kNone) continue;
    builder.SetForward(ids[i], ids[nodes_[i].forward]);
  }
  return ids;
}

}  // namespace tfprof::kineto

#include "exporters/page/entries.h"

#include <algorithm>
#include <vector>

#include "views/name_path.h"

namespace tfprof::exporters {

uint32_t PageEntries::Of(profile::NodeId node, std::string_view name,
                         std::string_view op) {
  const Key key{node, Intern(name), Intern(op)};
  const auto [it, is_new] =
      entry_ids_.try_emplace(key, static_cast<uint32_t>(page_.entries.size()));
  if (is_new) {
    PageEntry entry;
    entry.name = key.name;
    entry.op = key.op;
    if (node != profile::kNone) FillNode(node, entry);
    page_.entries.push_back(std::move(entry));
  }
  return it->second;
}

void PageEntries::FillNode(profile::NodeId node, PageEntry& entry) {
  const profile::NodeTable& nodes = profile_.nodes();
  entry.node = Intern(profile_.node_name(node));
  entry.scope = nodes.scope.empty() ? ScopeOfName(profile_.node_name(node))
                                    : ScopeOfTable(nodes.scope[node]);
  entry.stack = StackOf(nodes.stack[node]);
  if (profile_.graph().edges_are_calls) return;
  for (uint32_t i = nodes.edge_begin[node]; i < nodes.edge_begin[node + 1];
       ++i) {
    const profile::StringId source = nodes.edge_source[i];
    if (source == profile::kNone) continue;
    entry.inputs.push_back(Intern(profile_.strings().Get(source)));
  }
}

uint32_t PageEntries::Scope(uint32_t parent, std::string_view part) {
  const profile::StringId name = page_.strings.Intern(part);
  const auto [it, is_new] = scope_ids_.try_emplace(
      {parent, name}, static_cast<uint32_t>(page_.scopes.size()));
  if (is_new) page_.scopes.push_back({.parent = parent, .name = name});
  return it->second;
}

uint32_t PageEntries::ScopeOfName(std::string_view name) {
  const auto path = views::ScopeOfPath(name);
  if (!path) return 0;
  uint32_t scope = 0;
  std::string_view rest = *path;
  while (true) {
    const std::string_view part = views::FirstPart(rest);
    scope = Scope(scope, part);
    if (part.size() == rest.size()) return scope;
    rest.remove_prefix(part.size() + 1);
  }
}

uint32_t PageEntries::ScopeOfTable(profile::ScopeId id) {
  if (id == profile::kNone) return 0;
  const profile::Scopes& scopes = profile_.graph().scopes;
  std::vector<profile::ScopeId> path;
  for (; id != profile::kRootScope; id = scopes[id].parent) path.push_back(id);
  uint32_t scope = 0;
  for (size_t i = path.size(); i-- > 0;) {
    scope = Scope(scope, profile_.strings().Get(scopes[path[i]].name));
  }
  return scope;
}

uint32_t PageEntries::StackOf(profile::StackId id) {
  const profile::CallStacks& stacks = profile_.graph().stacks;
  std::vector<profile::StackId> path;
  uint32_t stack = 0;
  for (; id != profile::kNoStack; id = stacks[id].parent) {
    const auto known = stack_ids_.find(id);
    if (known != stack_ids_.end()) {
      stack = known->second;
      break;
    }
    path.push_back(id);
  }
  const auto text = [&](profile::StringId s) {
    return s == profile::kNone ? profile::kNone
                               : Intern(profile_.strings().Get(s));
  };
  for (size_t i = path.size(); i-- > 0;) {
    const profile::Frame& frame = stacks.frame(stacks[path[i]].frame);
    page_.stacks.push_back({.parent = stack,
                            .name = text(frame.function),
                            .line = std::max(frame.lineno, 0),
                            .file = text(frame.file)});
    stack = static_cast<uint32_t>(page_.stacks.size() - 1);
    stack_ids_.emplace(path[i], stack);
  }
  return stack;
}

}  // namespace tfprof::exporters

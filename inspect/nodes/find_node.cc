#include "inspect/nodes/find_node.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "util/text/kernel_names.h"
#include "util/text/nearest.h"
#include "views/name_path.h"

namespace tfprof::inspect {
namespace {

void AddOnce(profile::NodeId n, std::vector<profile::NodeId>& nodes) {
  if (n != profile::kNone &&
      std::find(nodes.begin(), nodes.end(), n) == nodes.end()) {
    nodes.push_back(n);
  }
}

// True if names may repeat, or differ from the paths in the scopes.
bool HasKeysBesidesNames(const profile::Profile& profile) {
  return !profile.nodes().module.empty() || !profile.nodes().scope.empty();
}

// The nodes whose row in the scope view has this full name.
std::vector<profile::NodeId> AtPath(views::Views& views,
                                    std::string_view path) {
  std::vector<profile::NodeId> found;
  if (!HasKeysBesidesNames(views.profile())) {
    AddOnce(views.profile().nodes().Find(views.profile().strings().Find(path)),
            found);
    return found;
  }
  const views::ScopeTree& tree = views.scope();
  for (uint32_t row = 1; row < tree.names.size(); ++row) {
    if (tree.names[row] == path) AddOnce(tree.node[row], found);
  }
  return found;
}

// The nodes that `name` can refer to: nodes with this name, this path or this
// "MODULE/NAME"; if there are none, nodes with this name in any module.
std::vector<profile::NodeId> Named(views::Views& views, std::string_view name) {
  std::vector<profile::NodeId> found = AtPath(views, name);
  const profile::Profile& profile = views.profile();
  if (!HasKeysBesidesNames(profile)) return found;
  const profile::NodeTable& nodes = profile.nodes();
  const profile::Modules& modules = profile.graph().modules;
  const profile::StringId string = profile.strings().Find(name);
  AddOnce(nodes.Find(string), found);
  for (profile::ModuleId module = 1; module < modules.size(); ++module) {
    std::string_view rest = name;
    const std::string_view head = profile.module_name(module);
    if (!rest.starts_with(head)) continue;
    rest.remove_prefix(head.size());
    if (!rest.starts_with(views::kPathSeparator)) continue;
    rest.remove_prefix(1);
    AddOnce(nodes.Find(module, profile.strings().Find(rest)), found);
  }
  if (!found.empty() || string == profile::kNone) return found;
  return profile.NodesNamed(string);
}

absl::Status Several(const profile::Profile& profile, std::string_view name,
                     std::span<const profile::NodeId> nodes) {
  constexpr size_t kMaxListed = 5;
  std::vector<std::string_view> names;
  for (const profile::NodeId n :
       nodes.first(std::min(nodes.size(), kMaxListed))) {
    names.push_back(profile.node_name(n));
  }
  return absl::InvalidArgumentError(fmt::format(
      "{} nodes are called {}: {}{}", nodes.size(), name,
      fmt::join(names, ", "), nodes.size() > kMaxListed ? ", …" : ""));
}

// "conv1" for "conv1:0" and for "^conv1".
std::string_view WithoutOutput(std::string_view name) {
  if (name.starts_with('^')) name.remove_prefix(1);
  const size_t colon = name.rfind(':');
  if (colon == name.npos || colon + 1 == name.size() ||
      name.find_first_not_of("0123456789", colon + 1) != name.npos) {
    return name;
  }
  return name.substr(0, colon);
}

// The parts between the ellipses of a name that was shortened
// ("resnet/…/Conv2D", as tables show it). One part: it was not shortened.
std::vector<std::string_view> PartsOf(std::string_view name) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t dots = std::min(name.find("…"), name.find("..."));
    parts.push_back(name.substr(0, dots));
    if (dots == name.npos) return parts;
    // Both kinds of ellipsis have three bytes.
    name.remove_prefix(dots + 3);
  }
}

// Whether `name` contains the parts in order, the first and the last at its
// ends.
bool HasParts(std::string_view name,
              const std::vector<std::string_view>& parts) {
  if (parts.size() == 1) return name == parts[0];
  if (!name.starts_with(parts.front())) return false;
  name.remove_prefix(parts.front().size());
  for (size_t i = 1; i + 1 < parts.size(); ++i) {
    const size_t at = name.find(parts[i]);
    if (at == name.npos) return false;
    name.remove_prefix(at + parts[i].size());
  }
  return name.ends_with(parts.back());
}

// Finds nodes by a name as a table shows it: shortened for its column, or the
// short name of a kernel, with what tells it from others ("fill [float]").
std::vector<profile::NodeId> NodesOfShortName(const profile::Profile& profile,
                                              std::string_view name) {
  if (name.ends_with(']')) name = name.substr(0, name.rfind(" ["));
  const std::vector<std::string_view> parts = PartsOf(name);
  std::vector<profile::NodeId> found;
  for (profile::NodeId n = 0; n < profile.nodes().size(); ++n) {
    const std::string_view of_node = profile.node_name(n);
    const std::string kernel = util::ShortKernelName(of_node);
    if ((parts.size() > 1 && HasParts(of_node, parts)) ||
        (kernel != of_node &&
         (HasParts(kernel, parts) ||
          HasParts(std::string_view(kernel).substr(kernel.rfind('/') + 1),
                   parts)))) {
      found.push_back(n);
    }
  }
  return found;
}

}  // namespace

absl::StatusOr<profile::NodeId> FindNode(views::Views& views, const Place& here,
                                         std::string_view name) {
  const profile::Profile& profile = views.profile();
  const bool in_full = name.starts_with(views::kPathSeparator);
  if (in_full) name.remove_prefix(1);
  std::string head;
  if (!in_full && here.tree == views::View::kScope && !here.rows.empty()) {
    head = fmt::format("{}/", views.scope().names[here.row()]);
  }
  for (const std::string_view tried : {name, WithoutOutput(name)}) {
    std::vector<profile::NodeId> found;
    if (!head.empty()) found = AtPath(views, head + std::string(tried));
    if (found.empty()) found = Named(views, tried);
    if (found.size() > 1) return Several(profile, tried, found);
    if (found.size() == 1) return found[0];
  }
  const std::vector<profile::NodeId> meant = NodesOfShortName(profile, name);
  if (meant.size() > 1) return Several(profile, name, meant);
  if (meant.size() == 1) return meant[0];
  const std::vector<std::string_view>& scopes = views.scope().names;
  for (const std::string& tried :
       {head + std::string(name), std::string(name)}) {
    if (std::find(scopes.begin() + 1, scopes.end(), tried) != scopes.end()) {
      return absl::NotFoundError(
          fmt::format("{} is a scope, not a node; ls /{} lists its contents",
                      tried, tried));
    }
  }
  std::vector<std::string_view> names;
  names.reserve(profile.nodes().size());
  for (profile::NodeId n = 0; n < profile.nodes().size(); ++n) {
    names.push_back(profile.node_name(n));
  }
  return absl::NotFoundError(
      fmt::format("no node {}{}", name, util::NearHint(name, names)));
}

}  // namespace tfprof::inspect

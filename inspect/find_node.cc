#include "inspect/find_node.h"

#include <algorithm>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "util/nearest.h"

namespace tfprof {
namespace {

NodeId Exactly(const Profile& profile, std::string_view name) {
  const StringId string = profile.strings().Find(name);
  return string == kNone ? kNone : profile.nodes().Find(string);
}

// "conv1" of "conv1:0" and of "^conv1".
std::string_view WithoutOutput(std::string_view name) {
  if (name.starts_with('^')) name.remove_prefix(1);
  const size_t colon = name.rfind(':');
  if (colon == name.npos || colon + 1 == name.size() ||
      name.find_first_not_of("0123456789", colon + 1) != name.npos) {
    return name;
  }
  return name.substr(0, colon);
}

}  // namespace

absl::StatusOr<NodeId> FindNode(Views& views, const Place& here,
                                std::string_view name) {
  const Profile& profile = views.profile();
  const bool in_full = name.starts_with('/');
  if (in_full) name.remove_prefix(1);
  std::string head;
  if (!in_full && here.tree == View::kScope && !here.rows.empty()) {
    head = fmt::format("{}/", views.scope().names[here.row()]);
  }
  for (const std::string_view tried : {name, WithoutOutput(name)}) {
    if (!head.empty()) {
      const NodeId n = Exactly(profile, head + std::string(tried));
      if (n != kNone) return n;
    }
    const NodeId n = Exactly(profile, tried);
    if (n != kNone) return n;
  }
  const std::vector<std::string_view>& scopes = views.scope().names;
  for (const std::string& tried :
       {head + std::string(name), std::string(name)}) {
    if (std::find(scopes.begin() + 1, scopes.end(), tried) != scopes.end()) {
      return absl::NotFoundError(
          fmt::format("{} is a scope and no node; ls /{} lists what is in it",
                      tried, tried));
    }
  }
  std::vector<std::string_view> names;
  names.reserve(profile.nodes().size());
  for (NodeId n = 0; n < profile.nodes().size(); ++n) {
    names.push_back(profile.node_name(n));
  }
  return absl::NotFoundError(
      fmt::format("no node {}{}", name, NearHint(name, names)));
}

}  // namespace tfprof

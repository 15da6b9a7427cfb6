#include "timeline/account/op_roles.h"

#include <vector>

#include "timeline/account/work_classes.h"

namespace tfprof::timeline {

bool IsNamedRange(const profile::Profile& profile, profile::NodeId node) {
  const profile::NodeTable& nodes = profile.nodes();
  return !nodes.scope.empty() && nodes.scope[node] != profile::kRootScope &&
         profile.graph().scopes[nodes.scope[node]].name == nodes.op[node];
}

OpRoles::OpRoles(const profile::Profile& profile) {
  const std::vector<profile::StringId>& op = profile.nodes().op;
  absl::flat_hash_set<profile::StringId> ranges, others;
  for (profile::NodeId n = 0; n < op.size(); ++n) {
    if (IsNamedRange(profile, n)) ranges.insert(op[n]);
  }
  if (ranges.empty()) return;
  for (profile::NodeId n = 0; n < op.size(); ++n) {
    if (!IsNamedRange(profile, n)) others.insert(op[n]);
  }
  bool accelerators = false;
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      if (step->sums.accelerator_time[g] == 0) continue;
      accelerators = true;
      others.insert(op[static_cast<profile::NodeId>(step->node[g])]);
    }
  }
  if (!accelerators) return;
  for (const profile::StringId range : ranges) {
    const std::string_view name = profile.strings().Get(range);
    if (!others.contains(range) && HostCallOf(name) != HostCall::kInput) {
      ranges_.insert(name);
    }
  }
}

std::string_view OpRoles::Of(std::string_view op) const {
  const std::string_view role = RoleOf(op);
  return role.empty() && ranges_.contains(op) ? "range" : role;
}

}  // namespace tfprof::timeline

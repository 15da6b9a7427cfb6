// OpRoles: which operations of a profile do no work of their own.
//
//   const OpRoles roles(profile);
//   if (!roles.Of(op).empty()) …   // it is no cause of lost time
//
// Waits and markers of steps are known by their names (work_classes.h). A named
// range of a program, such as record_function() of PyTorch or NVTX, is known by
// its place: it makes a scope of its name, and is itself in it. Its own time is
// what nothing inside of it recorded: the thread may have worked, or waited for
// another one, as a backward pass waits for the thread of the gradients. Where
// accelerators work, such time is no operation, unless the name says that it
// reads input. Without accelerators, a range may be all that is known of the
// work.
//
// Making an object takes time linear in the nodes and in the nodes of all
// steps. The profile must outlive it.

#ifndef TFPROF_TIMELINE_ACCOUNT_OP_ROLES_H_
#define TFPROF_TIMELINE_ACCOUNT_OP_ROLES_H_

#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "profile/profile.h"

namespace tfprof::timeline {

// Returns whether a node is a named range of the program.
bool IsNamedRange(const profile::Profile& profile, profile::NodeId node);

class OpRoles {
 public:
  explicit OpRoles(const profile::Profile& profile);

  // Returns RoleOf(op), or "range" if all nodes of this type are named ranges
  // and only other nodes ran on accelerators.
  std::string_view Of(std::string_view op) const;

 private:
  absl::flat_hash_set<std::string_view> ranges_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_OP_ROLES_H_

// Builds the tree of the scope view (scope.h) from names that are paths.
//
// A name of a million parts has as many scopes. So each name is hashed a fixed
// number of times, and not once for each of its scopes: the time is linear in
// the length of all names together.

#ifndef TFPROF_VIEWS_SCOPE_TREE_H_
#define TFPROF_VIEWS_SCOPE_TREE_H_

#include <cstddef>

#include "profile/profile.h"
#include "util/work.h"
#include "views/scope.h"

namespace tfprof {

// The tree of a profile without a table of scopes. Adds to `hashed_bytes` how
// many bytes of names were hashed: at most twice as many as the paths have.
ScopeTree BuildPathTree(const Profile& profile, const Work& work,
                        size_t& hashed_bytes);

}  // namespace tfprof

#endif  // TFPROF_VIEWS_SCOPE_TREE_H_

// Builds the tree of the scope view (scope.h) from names that are paths.
//
// A name of a million parts has as many scopes. So each name is hashed a fixed
// number of times and not once for each of its scopes, and the time is linear
// in the total length of all names.

#ifndef TFPROF_VIEWS_SCOPE_TREE_H_
#define TFPROF_VIEWS_SCOPE_TREE_H_

#include <cstddef>

#include "profile/profile.h"
#include "util/run/task_options.h"
#include "views/scope.h"

namespace tfprof::views {

// Builds the tree of a profile without a table of scopes. Adds the number of
// hashed bytes of names to `hashed_bytes`: at most twice the bytes of all
// paths.
ScopeTree BuildPathTree(const profile::Profile& profile,
                        const util::TaskOptions& work, size_t& hashed_bytes);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_SCOPE_TREE_H_

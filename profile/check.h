// CheckProfile: whether the tables of a profile fit together.
//
// Loaders check what they read, but there are many of them, and a file may
// change while it is read. What comes after a loader trusts the guarantees of
// Profile: this check holds them up in one place. It looks at each id, row and
// interval once: ids are those of rows or kNone, parents come before their
// children, columns have one length, rows are in their order, both ends of
// links exist, and intervals do not end before they start. The times of
// executions are not checked, because every time is valid.

#ifndef TFPROF_PROFILE_CHECK_H_
#define TFPROF_PROFILE_CHECK_H_

#include "absl/status/status.h"
#include "profile/profile.h"
#include "util/run/task_options.h"

namespace tfprof::profile {

// Returns an internal error with the table, the row and the value of the first
// thing that is wrong: "links, row 7: step 12 has 30 executions, not 31". The
// check takes one pass over the columns, on the threads of `work`. If it is
// cancelled, the result is not meaningful.
absl::Status CheckProfile(const Profile& profile,
                          const util::TaskOptions& work = {});

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_CHECK_H_

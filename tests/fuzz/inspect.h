// Exercises a loaded profile, for the fuzz entries. A broken invariant ends the
// process.

#ifndef TFPROF_TESTS_FUZZ_INSPECT_H_
#define TFPROF_TESTS_FUZZ_INSPECT_H_

#include "profile/profile.h"
#include "views/options.h"

namespace tfprof {

// Reads all parts of a profile: attributes, executions, a report and advice.
void ReadEverything(const profile::Profile& profile);

// Saves the profile, opens the result, and saves that. Both results must be the
// same.
void SaveAndReopen(const profile::Profile& profile);

// Saves the profile and ignores the result.
void SaveAnything(const profile::Profile& profile);

// Shows the four views with these options and runs every exporter. A view that
// is shown twice must be the same.
void ShowEverything(const profile::Profile& profile,
                    const views::ViewOptions& options);

}  // namespace tfprof

#endif  // TFPROF_TESTS_FUZZ_INSPECT_H_

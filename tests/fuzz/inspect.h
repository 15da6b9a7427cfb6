// What the fuzz entries do with a profile that was loaded.

#ifndef TFPROF_TESTS_FUZZ_INSPECT_H_
#define TFPROF_TESTS_FUZZ_INSPECT_H_

#include "profile/profile.h"
#include "views/options.h"

namespace tfprof {

// Reads everything that a profile has: attributes, executions, a report,
// advice.
void ReadEverything(const Profile& profile);

// Saves the profile, opens what was saved, saves that: ends the process when it
// does not open or is not the same.
void SaveAndReopen(const Profile& profile);

// Saves the profile, whatever comes of it.
void SaveAnything(const Profile& profile);

// The four views with these options, and each exporter on them. Ends the
// process when a view shown again is another one.
void ShowEverything(const Profile& profile, const ViewOptions& options);

}  // namespace tfprof

#endif  // TFPROF_TESTS_FUZZ_INSPECT_H_

// Removes unfinished files and folders that killed processes left behind.
//
// A process writes PATH as "PATH.tmpPID" or "PATH.tmpPID.N" and renames it to
// PATH when it is complete. Only a killed process leaves such a file behind;
// the next process that writes PATH removes it.

#ifndef TFPROF_UTIL_FILES_STALE_FILES_H_
#define TFPROF_UTIL_FILES_STALE_FILES_H_

#include <string>

namespace tfprof::util {

// Returns the temporary name that this process uses while it writes `path`.
std::string UnfinishedName(const std::string& path);

// Removes the unfinished files for `path` whose processes no longer run.
// Ignores files that cannot be removed.
void RemoveUnfinished(const std::string& path);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_FILES_STALE_FILES_H_

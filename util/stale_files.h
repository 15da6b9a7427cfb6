// What a killed process left: files and folders that it had not finished.
//
// Those are written under "PATH.tmpPID", or "PATH.tmpPID.N", of the process
// PID, and get the name PATH when they are whole. Only a process that is killed
// leaves one, and the next one that writes PATH removes it.

#ifndef TFPROF_UTIL_STALE_FILES_H_
#define TFPROF_UTIL_STALE_FILES_H_

#include <string>

namespace tfprof {

// The name under which this process writes `path`.
std::string UnfinishedName(const std::string& path);

// Removes what processes that do not run any more left of `path`. What cannot
// be removed stays.
void RemoveUnfinished(const std::string& path);

}  // namespace tfprof

#endif  // TFPROF_UTIL_STALE_FILES_H_

// Removes the folders of recorders (recorder_file.h) whose `tfprof record` was
// killed. A folder is kept while its program holds its lock, and while a
// process of the same user has loaded a library from it. Folders of other
// users, and what cannot be removed, are left alone.

#ifndef TFPROF_PROFILER_RECORD_STALE_RECORDERS_H_
#define TFPROF_PROFILER_RECORD_STALE_RECORDERS_H_

#include <string>

namespace tfprof::recording {

inline constexpr char kRecorderFolder[] = ".tfprof-record-";
inline constexpr char kRecorderLibrary[] = "libtfprof_record.so";
inline constexpr char kLttngLibrary[] = "libtfprof_record_lttng.so";

// Takes the lock of a new folder. Returns its file descriptor, which programs
// that are started do not inherit; -1: there is no lock.
int LockRecorder(const std::string& folder);

// Removes those in the folder `place`.
void RemoveStaleRecorders(const std::string& place);

}  // namespace tfprof::recording

#endif  // TFPROF_PROFILER_RECORD_STALE_RECORDERS_H_

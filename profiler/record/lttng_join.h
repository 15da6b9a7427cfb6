// The parts of the machine that `record -lttng` needs: the library of
// LTTng-UST, which is loaded into the program, and a session daemon that takes
// its events.

#ifndef TFPROF_PROFILER_RECORD_LTTNG_JOIN_H_
#define TFPROF_PROFILER_RECORD_LTTNG_JOIN_H_

#include <string>

#include "absl/status/statusor.h"

namespace tfprof::recording {

struct LttngPlace {
  // The library that a program needs so that it is still traced after a fork;
  // "": there is none.
  std::string fork_library;
};

// Errors say what is missing and how to get it.
absl::StatusOr<LttngPlace> FindLttng();

}  // namespace tfprof::recording

#endif  // TFPROF_PROFILER_RECORD_LTTNG_JOIN_H_

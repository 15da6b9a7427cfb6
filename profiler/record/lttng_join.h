// What `record -lttng` needs of the machine: the library of LTTng-UST, which is
// loaded into the program, and a session daemon that takes its events.

#ifndef TFPROF_PROFILER_RECORD_LTTNG_JOIN_H_
#define TFPROF_PROFILER_RECORD_LTTNG_JOIN_H_

#include <string>

#include "absl/status/statusor.h"

namespace tfprof {

struct LttngPlace {
  // The library that programs need to go on being traced after a fork; "": it
  // is not there.
  std::string fork_library;
};

// Errors say what is missing and how to get it.
absl::StatusOr<LttngPlace> FindLttng();

}  // namespace tfprof

#endif  // TFPROF_PROFILER_RECORD_LTTNG_JOIN_H_

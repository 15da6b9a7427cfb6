// What a recorded program finds in its environment: the library that is loaded
// into it, by the loader of programs and by the runtimes of devices, and where
// the library puts its trace.

#ifndef TFPROF_PROFILER_RECORD_RECORD_ENVIRONMENT_H_
#define TFPROF_PROFILER_RECORD_RECORD_ENVIRONMENT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/options/options.h"

namespace tfprof {

struct RecordSetup {
  std::string library;  // libtfprof_record.so; an absolute path
  std::string folder;   // of the trace; the same
  // Of LTTng, if events go there: the provider, and what its programs need to
  // fork.
  std::string lttng_provider, lttng_fork;
  uint64_t clock_offset = 0;  // of CLOCK_MONOTONIC, to nanoseconds since 1970
  RecordOptions options;
};

// Variables and their values. What the program would have found in a list stays
// in it: `get` returns the value of a variable, or nullptr.
std::vector<std::pair<std::string, std::string>> RecordEnvironment(
    const RecordSetup& setup,
    const std::function<const char*(const char*)>& get);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_RECORD_RECORD_ENVIRONMENT_H_

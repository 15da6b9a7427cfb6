// The environment of a recorded program: it names the library that the loader
// of programs and the runtimes of devices load into it, and the folder for the
// trace.

#ifndef TFPROF_PROFILER_RECORD_RECORD_ENVIRONMENT_H_
#define TFPROF_PROFILER_RECORD_RECORD_ENVIRONMENT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/options/options.h"

namespace tfprof::recording {

struct RecordSetup {
  std::string library;  // libtfprof_record.so; an absolute path
  std::string folder;   // of the trace; the same
  // If events go to LTTng: the provider, and the library that its programs need
  // to fork.
  std::string lttng_provider, lttng_fork;
  uint64_t clock_offset = 0;  // of CLOCK_MONOTONIC, to nanoseconds since 1970
  options::RecordOptions options;
};

// Variables and their values. Elements that a list already has stay in it:
// `get` returns the value of a variable now, or nullptr.
std::vector<std::pair<std::string, std::string>> RecordEnvironment(
    const RecordSetup& setup,
    const std::function<const char*(const char*)>& get);

}  // namespace tfprof::recording

#endif  // TFPROF_PROFILER_RECORD_RECORD_ENVIRONMENT_H_

// Loads pprof files (github.com/google/pprof): samples with call stacks, as Go,
// C++, Python and JAX programs write them, and as tfprof itself exports them.
//
// A node is a call stack that was sampled: its op is its innermost function,
// its scope the package, namespace or file of that function
// (function_scope.h), and its stack goes from the outermost caller to it. What
// the values of samples count as is in sample_values.h. Samples have no start,
// so there is no timeline.
//
// A file is a step. All executions are on one lane.

#ifndef TFPROF_LOADERS_PPROF_PPROF_H_
#define TFPROF_LOADERS_PPROF_PPROF_H_

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "loaders/load_context.h"

namespace tfprof {

inline constexpr int64_t kPprofTicksPerMicro = 1000;  // nanoseconds

struct PprofFile {
  std::shared_ptr<const InputFile> file;
  int64_t step = 0;
};

// Adds each file to its step; files of one step accumulate. The first file that
// is not a pprof profile ends the load with an error.
absl::Status LoadPprof(std::span<const PprofFile> files, LoadContext& context);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_PPROF_PPROF_H_

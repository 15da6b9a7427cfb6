// Loads pprof files (github.com/google/pprof): samples with call stacks, as Go,
// C++, Python and JAX programs write them, and as tfprof exports them.
//
// A node is a sampled call stack. Its op is the innermost function, its scope
// the package, namespace or file of that function (function_scope.h), and its
// stack goes from the outermost caller to this function. sample_values.h
// decides what the values of samples mean. Samples have no start, so there is
// no timeline.
//
// Each file is a step. All executions are on one lane.

#ifndef TFPROF_LOADERS_PPROF_PPROF_H_
#define TFPROF_LOADERS_PPROF_PPROF_H_

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "loaders/core/load_context.h"

namespace tfprof::pprof {

inline constexpr int64_t kPprofTicksPerMicro = 1000;  // nanoseconds

struct PprofFile {
  std::shared_ptr<const loaders::InputFile> file;
  int64_t step = 0;
};

// Adds each file to its step; files of one step are added up. The load ends
// with an error at the first file that is not a pprof profile.
absl::Status LoadPprof(std::span<const PprofFile> files,
                       loaders::LoadContext& context);

}  // namespace tfprof::pprof

#endif  // TFPROF_LOADERS_PPROF_PPROF_H_

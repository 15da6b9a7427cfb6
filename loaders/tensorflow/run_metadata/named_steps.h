// Loads steps with names: RunMetadata whose run is known.
//
//   {.file = file, .step = 12, .name = "run 3, count 57"}
//
// The name of a step and the span of its executions become rows of the
// profile's step intervals, for each process of the step. If steps of different
// processes have equal names, they are one step of a distributed run.
//
// A process that runs alone uses device names that other processes use as well
// ("/job:localhost/…"). With NamedStep::process, these devices get lanes of
// that process; devices of a job with another name keep their lanes.

#ifndef TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_NAMED_STEPS_H_
#define TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_NAMED_STEPS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "loaders/core/load_context.h"
#include "profile/tables/lanes.h"

namespace tfprof::tensorflow {

struct NamedStep {
  std::shared_ptr<const loaders::InputFile> file;
  int64_t step = 0;
  std::string name;
  // The process of the profile for the lanes of this file; kNone: the process
  // that the device names give.
  profile::ProcessId process = profile::kNone;
};

// Errors: see LoadRunMetadata.
absl::Status LoadNamedSteps(std::span<const NamedStep> steps,
                            loaders::LoadContext& context);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_NAMED_STEPS_H_

// Steps with names: RunMetadata of which somebody knows which run they are.
//
//   {.file = file, .step = 12, .name = "run 3, count 57"}
//
// The name of a step and the span of its executions are rows of the profile's
// step intervals, for each process of the step. Equal names of steps of
// different processes say that these are one step of a distributed run.
//
// A process that runs alone names its devices as any other one does
// ("/job:localhost/…"). With NamedStep::process, these have lanes of that
// process; those of a job that has a name keep theirs.

#ifndef TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_NAMED_STEPS_H_
#define TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_NAMED_STEPS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "loaders/load_context.h"
#include "profile/lanes.h"

namespace tfprof {

struct NamedStep {
  std::shared_ptr<const InputFile> file;
  int64_t step = 0;
  std::string name;
  // One of the profile, for the lanes of this file; kNone: those of its names.
  ProcessId process = kNone;
};

// Errors: those of LoadRunMetadata.
absl::Status LoadNamedSteps(std::span<const NamedStep> steps,
                            LoadContext& context);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_NAMED_STEPS_H_

// Adds the steps of a profile file to the builder.
//
// The steps of the first file are added unchanged. If a later file has a step
// with a number that is already in use, there are three cases. No execution is
// lost in any of them:
//
//   the same executions: the step was saved twice (TensorFlow's ProfileContext
//     writes all steps so far into each file), and is read once;
//   other devices: it is another worker's part of the step, and is added to it;
//   other executions on the same device: it is another step with that number;
//     context.same_step decides what happens to it.
//
// The log has a line for each file and decision.

#ifndef TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FILE_STEPS_H_
#define TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FILE_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "loaders/core/load_context.h"

namespace tfprof::tensorflow {

// A step in a file: its groups, with each node at most once. The executions of
// group i begin at first_record[i].
struct FileStep {
  bool listed = false;
  std::vector<profile::GroupSums> sums;
  std::vector<size_t> first_record;
  std::vector<profile::ExecutionRecord> records;
};

// Returns FailedPrecondition for SameStep::kError. `path` is for messages.
absl::Status AddFileSteps(std::map<int64_t, FileStep> steps,
                          const std::string& path,
                          loaders::LoadContext& context);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FILE_STEPS_H_

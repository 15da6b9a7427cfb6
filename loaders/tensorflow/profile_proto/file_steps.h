// Adds the steps of a profile file to the builder.
//
// The first file's steps are added unchanged. If a later file has a step with a
// number that is already in use, it is one of three cases, and no execution is
// lost in any of them:
//
//   the same executions: it was saved twice (TensorFlow's ProfileContext writes
//     all steps so far into each file), and is read once;
//   other devices: another worker's part of the step, and is added to it;
//   other executions on the same device: another step of that number;
//   context.same_step says what happens to it.
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
#include "loaders/load_context.h"

namespace tfprof {

// What one file holds of a step: groups, each node at most once, and the
// executions of group i from first_record[i] on.
struct FileStep {
  bool listed = false;
  std::vector<GroupSums> sums;
  std::vector<size_t> first_record;
  std::vector<ExecutionRecord> records;
};

// FailedPrecondition for SameStep::kError. `path` is for messages.
absl::Status AddFileSteps(std::map<int64_t, FileStep> steps,
                          const std::string& path, LoadContext& context);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FILE_STEPS_H_

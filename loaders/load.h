// Load: from what a person names (flags, files, a directory) to a Profile.
//
// The order is the reference's, because its rules depend on it: graph, op
// log, checkpoint marks, run metadata in the order given. Files given without
// a flag are sniffed; a directory stands for the inputs in it (the sources of
// a profile rather than a saved one beside them).
//
// Steps: a run metadata file under --run_meta_path is step 0, 1, 2 … by its
// position; "100:FILE" names another step. Without a flag the number in a name
// like "run_meta_100" is the step. Two files of one step accumulate. Of several
// profiles, profile_proto/file_steps.h says what equal numbers mean.
//
// Errors: the first input of which nothing is usable ends the load; its status
// names file, byte, what was found and what to do. Damage inside a file is in
// Loaded::log. CANCELLED when a stop was requested (util/stop.h).

#ifndef TFPROF_LOADERS_LOAD_H_
#define TFPROF_LOADERS_LOAD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/format.h"
#include "loaders/import_log.h"
#include "loaders/same_step.h"
#include "profile/profile.h"
#include "profile/tensor_source.h"
#include "util/progress.h"

namespace tfprof {

struct LoadRequest {
  // Each "" or the path of the flag of that name.
  std::string graph_path;
  std::string op_log_path;
  std::string checkpoint_path;
  std::string profile_path;
  std::vector<std::string> run_meta_paths;
  // Without a flag.
  std::vector<std::string> files;
  // Bytes; 0: no limit. A larger profile is kept without its executions.
  size_t max_memory = 0;
  // Told how many bytes of the files are read; may be null.
  Progress* progress = nullptr;
  // Of several profiles.
  SameStep same_step = SameStep::kRenumber;

  bool empty() const {
    return graph_path.empty() && op_log_path.empty() &&
           checkpoint_path.empty() && profile_path.empty() &&
           run_meta_paths.empty() && files.empty();
  }
};

struct Loaded {
  struct Source {
    std::string path;
    Format format = Format::kUnknown;
    int64_t step = -1;  // of a RunMetadata
  };

  Profile profile;
  std::unique_ptr<TensorSource> tensors;  // nullptr without a checkpoint
  ImportLog log;
  std::vector<Source> sources;
  // "run graph coverage", one for each run metadata file.
  std::vector<double> coverage;
};

absl::StatusOr<Loaded> Load(const LoadRequest& request);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_LOAD_H_

// Load: makes a Profile from what the user names: flags, files, folders.
//
// What can be read is a registry of formats (loaders/registry.h). Files are
// loaded format by format, in the order of Format::order and then as given.
// Files given without a flag are recognised by their content. A folder stands
// for the inputs in it: a graph and its runs rather than a saved profile beside
// them. What is skipped there is in the log, with the reason.
//
// Steps: where a format has steps, a file under its flag is step 0, 1, 2 … by
// its position; "100:FILE" names another step. Without a flag the number in a
// name like "run_meta_100" is the step. Two files of one step are added up. For
// several profiles, profile_proto/file_steps.h says what equal step numbers
// mean.
//
// A file that another program changes while it is loaded is an error; what
// becomes of one that is changed later, Loaded::kept says.
//
// Errors: the first input of which nothing is usable ends the load; its status
// names file, byte, what was found and what to do. Damage inside a file is in
// Loaded::log. CANCELLED after LoadRequest::work was cancelled.

#ifndef TFPROF_LOADERS_LOAD_H_
#define TFPROF_LOADERS_LOAD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/format.h"
#include "loaders/import_log.h"
#include "loaders/kept_files.h"
#include "loaders/load_request.h"
#include "loaders/registry.h"
#include "loaders/structure.h"
#include "profile/profile.h"
#include "profile/tensor_source.h"

namespace tfprof {
namespace ctf {
class TraceReader;  // loaders/ctf/trace_reader.h
}

struct Loaded {
  struct Source {
    std::string path;
    std::string format;  // Format::name
    int64_t step = -1;   // -1: the file is no step
  };

  Profile profile;
  std::shared_ptr<TensorSource> tensors;  // nullptr without a checkpoint
  ImportLog log;
  // What the profile reads from later, as commands ask for it.
  KeptFiles kept;
  // Files whose skipped parts were not checked, because that takes long.
  std::vector<UncheckedFile> unchecked;
  std::vector<Source> sources;
  // "run graph coverage", one for each run metadata file.
  std::vector<double> coverage;
  // Reads what a CTF trace says beyond its profile; nullptr without one.
  std::shared_ptr<const ctf::TraceReader> ctf_trace;
};

// Reads what `request` names, as one of `formats`.
absl::StatusOr<Loaded> Load(const LoadRequest& request,
                            FormatRegistry formats = Formats());

// `to` with further files of runs (RunMetadata), as if they had been loaded
// after its own; `to` stays as it is. Their part of the result's log is also
// put into `added`. An error if `to` is a trace, whose times are counted by
// other rules.
absl::StatusOr<Loaded> AddRuns(const Loaded& to, const LoadRequest& request,
                               ImportLog& added,
                               FormatRegistry formats = Formats());

}  // namespace tfprof

#endif  // TFPROF_LOADERS_LOAD_H_

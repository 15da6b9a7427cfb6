// Load: makes a Profile from the flags, files and folders that the user names.
//
// A registry lists the formats (loaders/core/registry.h). Files are loaded
// format by format, in the order of Format::order and then in the given order.
// Files without a flag are recognised by their content. A folder stands for the
// inputs in it; a graph with its runs is preferred to a saved profile. The log
// lists the files of a folder that are skipped, with the reason.
//
// Steps: if the files of a format are steps, the files under its flag are steps
// 0, 1, 2 … by position; "100:FILE" gives another number. Without a flag, the
// number in a name like "run_meta_100" is the step. Two files of one step are
// added up. If several profiles have the same step numbers, see
// profile_proto/file_steps.h.
//
// Joined recordings (LoadRequest::joined) are loaded first, each alone. The
// loader of the operations takes their calls and their work of devices; if no
// loader does, that is an error.
//
// A file that another program changes while it is loaded is an error.
// Loaded::kept checks for later changes.
//
// Errors: the load ends at the first input in which nothing is usable. The
// status names file, byte, what was found and what to do. Damage inside a file
// is in Loaded::log. CANCELLED after LoadRequest::work was cancelled.

#ifndef TFPROF_LOADERS_CORE_LOAD_H_
#define TFPROF_LOADERS_CORE_LOAD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/core/byte_notes.h"
#include "loaders/core/format.h"
#include "loaders/core/import_log.h"
#include "loaders/core/kept_files.h"
#include "loaders/core/load_request.h"
#include "loaders/core/registry.h"
#include "loaders/nodes/skipped_damage.h"
#include "profile/profile.h"
#include "profile/tensor_source.h"

namespace tfprof::ctf {
class TraceReader;  // loaders/ctf/trace_reader.h
}  // namespace tfprof::ctf

namespace tfprof::loaders {
struct Loaded {
  struct Source {
    std::string path;
    std::string format;  // Format::name
    int64_t step = -1;   // -1: the file is not a step
    // Its bytes, if somebody still reads them.
    std::weak_ptr<const InputFile> file = {};
    const Format* row = nullptr;
    bool text = false;  // the binary form of a text was loaded
    // Nothing of the file was read; this is what its bytes are then.
    std::optional<ByteNotes::Part> left_out = {};
  };

  profile::Profile profile;
  std::shared_ptr<profile::TensorSource>
      tensors;  // nullptr without a checkpoint
  ImportLog log;
  // The files that commands may still read from.
  KeptFiles kept;
  // Files whose skipped parts were not checked, because a check takes long.
  std::vector<UncheckedFile> unchecked;
  std::vector<Source> sources;
  // The "run graph coverage" of each run metadata file.
  std::vector<double> coverage;
  // Reads the parts of a CTF trace that are not in the profile; nullptr without
  // a CTF trace.
  std::shared_ptr<const ctf::TraceReader> ctf_trace;
};

// Loads the inputs of `request`, each as one of `formats`.
absl::StatusOr<Loaded> Load(const LoadRequest& request,
                            FormatRegistry formats = Formats());

// Returns `to` with further run files (RunMetadata), as if they had been loaded
// after its own; `to` is not changed. The log entries of the new files are also
// added to `added`. An error if `to` is a trace, because its times are counted
// by other rules.
absl::StatusOr<Loaded> AddRuns(const Loaded& to, const LoadRequest& request,
                               ImportLog& added,
                               FormatRegistry formats = Formats());

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_LOAD_H_

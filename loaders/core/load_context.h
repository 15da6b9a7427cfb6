// LoadContext: the state that the loaders of one profile share.
//
// A loader is a function (files, context) → Status: it adds what it reads to
// the builder and reports problems to the log. An error means that nothing in a
// file was usable. Damage inside a file is in the log; the records before it
// (and after it, if the length of the damaged record was right) are in the
// builder. Data that only one format shares between its files is a local
// variable of its loader. The context owns its members, except that `progress`
// points to the Progress of the request.

#ifndef TFPROF_LOADERS_CORE_LOAD_CONTEXT_H_
#define TFPROF_LOADERS_CORE_LOAD_CONTEXT_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "accounting/tfprof_rules.h"
#include "loaders/core/byte_notes.h"
#include "loaders/core/counter_file.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "loaders/nodes/same_step.h"
#include "profile/profile.h"
#include "profile/profile_builder.h"
#include "profile/tensor_source.h"
#include "util/files/wire.h"
#include "util/run/progress.h"
#include "util/run/task_options.h"

namespace tfprof::ctf {
class TraceReader;  // loaders/ctf/trace_reader.h
}  // namespace tfprof::ctf

namespace tfprof::loaders {
// Another recording of the run that is loaded.
struct JoinedRecording {
  std::string path;
  profile::Profile profile;
};

struct LoadContext {
  LoadContext() = default;
  explicit LoadContext(const util::TaskOptions& how) : work(how) {
    builder.SetWork(how);
  }

  // From the request.
  util::TaskOptions work;
  // From the request, or one that nobody shows.
  util::Progress no_progress;
  util::Progress* progress = &no_progress;
  // From the request.
  SameStep same_step = SameStep::kRenumber;
  // From the request.
  bool keep_times = false;
  // This load has a file that is a whole profile (Role::kProfile).
  bool has_profile = false;

  // The result. Load() sets the accounting rules that its formats need.
  profile::ProfileBuilder builder =
      profile::ProfileBuilder(accounting::TfprofRules());
  ImportLog log;
  // nullptr without a checkpoint.
  std::unique_ptr<profile::TensorSource> tensors;
  // The tensors of a graph by name, ascending, and the nodes that make them.
  // Only graphs that name tensors have them.
  std::vector<std::pair<profile::StringId, profile::NodeId>> tensor_producers;
  // For each run file, the share (0 to 1) of the nodes that ran in it or in an
  // earlier one.
  std::vector<double> run_coverage;
  // Reads the CTF trace of this load again; nullptr without one.
  std::shared_ptr<const ctf::TraceReader> ctf_trace;
  // Other recordings of the run (LoadRequest::joined), until the loader of its
  // operations takes them.
  std::vector<JoinedRecording> joined;
  // The first file of this load that could take them; empty: none.
  std::string operations_file;
  // Files that a loader left out as a whole, and what their bytes are then.
  absl::flat_hash_map<std::string, ByteNotes::Part> left_out;
  // The counters of kernels, until the loader of a trace takes them.
  std::vector<CounterFile> counter_files;
};

// Logs that a file is empty. An empty file is a valid protobuf message, but
// nearly always an accident. `format` is what the file should be.
void LogIfEmpty(const InputFile& file, std::string_view format, ImportLog& log);

// Logs that `r` found damage in `what`, a message that begins at `message` in
// `file`, and how much was lost. `kept`: the fields before the damage are in
// the profile; otherwise the whole message is dropped.
void LogDamage(const InputFile& file, const util::WireReader& r,
               std::string_view message, std::string_view what, bool kept,
               ImportLog& log);

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_LOAD_CONTEXT_H_

// LoadContext: what the loaders of one profile share.
//
// A loader is a function (files, context) → Status: it adds what it reads to
// the builder and reports what it met to the log. An error means that nothing
// of a file was usable; damage inside it is in the log, and what came before
// (and after, where a record's length was right) is in the builder. What only
// one format needs between its files is a local variable of its loader.

#ifndef TFPROF_LOADERS_LOAD_CONTEXT_H_
#define TFPROF_LOADERS_LOAD_CONTEXT_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "loaders/counter_file.h"
#include "loaders/import_log.h"
#include "loaders/input_file.h"
#include "loaders/same_step.h"
#include "profile/profile_builder.h"
#include "profile/tensor_source.h"
#include "util/progress.h"
#include "util/wire.h"
#include "util/work.h"

namespace tfprof {
namespace ctf {
class TraceReader;  // loaders/ctf/trace_reader.h
}

struct LoadContext {
  LoadContext() = default;
  explicit LoadContext(const Work& how) : work(how) { builder.SetWork(how); }

  // Of the request.
  Work work;
  // Of the request, or one that is never shown.
  Progress no_progress;
  Progress* progress = &no_progress;
  // Of the request.
  SameStep same_step = SameStep::kRenumber;
  // A file that is a whole profile (Role::kProfile) is in this load.
  bool has_profile = false;

  // What the loaders make. Load() sets the rules that its formats need.
  ProfileBuilder builder = ProfileBuilder(TfprofRules());
  ImportLog log;
  // nullptr without a checkpoint.
  std::unique_ptr<TensorSource> tensors;
  // Tensors of a graph by their names, ascending, and the nodes that make them.
  // Only graphs that name tensors have them.
  std::vector<std::pair<StringId, NodeId>> tensor_producers;
  // Of each file of a run, the share of the nodes that ran in it or in a file
  // before it, from 0 to 1.
  std::vector<double> run_coverage;
  // Reads the CTF trace of this load again; nullptr without one.
  std::shared_ptr<const ctf::TraceReader> ctf_trace;
  // Counters of kernels, until the loader of a trace takes them.
  std::vector<CounterFile> counter_files;
};

// Logs that a file is empty. An empty file is a valid protobuf message, but
// nearly always an accident. `format` is what the file should be.
void LogIfEmpty(const InputFile& file, std::string_view format, ImportLog& log);

// Logs that `r` met damage in `what`, a message that begins at `message` in
// `file`, and how much of it was lost. `kept`: the fields before the damage
// are in the profile; otherwise the whole message is dropped.
void LogDamage(const InputFile& file, const WireReader& r,
               std::string_view message, std::string_view what, bool kept,
               ImportLog& log);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_LOAD_CONTEXT_H_

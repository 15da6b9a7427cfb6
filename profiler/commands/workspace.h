// Workspace: the state that the commands of one session share. It belongs to
// one thread.

#ifndef TFPROF_PROFILER_COMMANDS_WORKSPACE_H_
#define TFPROF_PROFILER_COMMANDS_WORKSPACE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "inspect/nodes/place.h"
#include "loaders/core/load.h"
#include "profiler/options/options.h"
#include "util/run/task_options.h"
#include "views/views.h"

namespace tfprof::advisor {
struct Advice;
}  // namespace tfprof::advisor

namespace tfprof::commands {

// A loaded profile and what its views have computed so far.
struct OpenProfile {
  // `work` says how the views compute.
  explicit OpenProfile(loaders::Loaded files,
                       const util::TaskOptions& work = {})
      : loaded(std::move(files)), views(loaded.profile, work) {}
  // The views refer to the profile.
  OpenProfile(const OpenProfile&) = delete;
  OpenProfile& operator=(const OpenProfile&) = delete;

  const profile::Profile& profile() const { return loaded.profile; }

  const loaders::Loaded loaded;
  loaders::KeptFiles kept = loaded.kept;
  views::Views views;
  // See AllAdvice(); nullptr before it is asked for.
  std::shared_ptr<const advisor::Advice> advice;
};

// The profile that another one is compared with.
struct Base {
  std::string name;  // the files, as they were named
  std::shared_ptr<OpenProfile> opened;
};

using Loader = std::function<absl::StatusOr<loaders::Loaded>(
    loaders::LoadRequest request)>;

struct Workspace {
  Workspace() = default;
  Workspace(loaders::Loaded loaded, options::Options defaults)
      : opened(std::make_shared<OpenProfile>(std::move(loaded))),
        defaults(std::move(defaults)) {}

  const profile::Profile& profile() const { return opened->profile(); }
  views::Views& views() const { return opened->views; }

  // `load` replaces it. Code that keeps a reference into it keeps the pointer.
  std::shared_ptr<OpenProfile> opened;
  std::shared_ptr<const Base> base;  // nullptr: there is none
  inspect::Place here;               // of `cd`
  options::Options defaults;         // of `set`
  loaders::LoadRequest inputs;       // of `reload`
  // How files are loaded: with a progress bar, where there is a terminal.
  Loader load = [](const loaders::LoadRequest& request) {
    return loaders::Load(request);
  };
  // How commands run. Its cancellation must outlive the workspace.
  util::TaskOptions work;
  // Notes that are given once for a profile.
  bool gradients_noted = false;
  bool outside_noted = false;
  flops::FlopsSource flops_noted = flops::FlopsSource::kOpLog;
  // A person types the lines, or reads the answers.
  bool for_person = false;
  // Source files below the current folder may be shown. Not where another
  // program asks, such as an agent: a profile from a stranger names the files,
  // and the folder is often the home folder or "/".
  bool sources_here = true;
  // `exit` was given, or a script cannot go on.
  bool done = false;
};

// "/conv1", "code:/train.py:12:main"; "/" is the root.
std::string WorkingPlace(const Workspace& workspace);

// "run graph coverage: 0.50".
std::string CoverageNote(double coverage);

// The notes of the loader, a line each: first how much of the graph each run
// metadata covers, if there is a graph or the answer is for readers of the
// `reference`, then the import log.
std::vector<std::string> LoadNotes(const loaders::Loaded& loaded,
                                   bool reference);

// What is wrong with a profile that was loaded, so that the program fails even
// if its command does not: an input is damaged, or no input has a graph or a
// node. `text`, if not nullptr, is a line about nodes that are missing, also
// where an empty graph is all there is, which is no error.
absl::Status CheckLoaded(const loaders::LoadRequest& inputs,
                         const loaders::Loaded& loaded,
                         std::string* text = nullptr);

// Loads what `request` names, with the loader and the work of `workspace`.
absl::StatusOr<std::shared_ptr<OpenProfile>> OpenInputs(
    loaders::LoadRequest request, const Workspace& workspace);

// Loads the files of a base, with the memory limit of the workspace's inputs,
// and adds the notes of the loader to `notes`. An error if nothing of a file
// was usable, or if no file has nodes.
absl::StatusOr<Base> LoadBase(std::vector<std::string> files,
                              const Workspace& workspace,
                              std::vector<std::string>& notes);

// An error if there is no step of that number; the message lists the steps.
// Negative numbers are the average, which always exists.
absl::Status CheckStep(const profile::Profile& profile, int64_t step);

// The step that `word` names: its number, "step13", first, last, slowest, or
// average and all. InvalidArgument: it is none of these; or the error of
// CheckStep(). FailedPrecondition: slowest, and no step has a wall time.
absl::StatusOr<int64_t> StepNamed(std::string_view word, Workspace& workspace);
// Makes a number of `options.step_word`. The errors are those of StepNamed().
absl::Status ResolveStep(Workspace& workspace, options::Options& options);

// An error if single executions of that step, or of any if it is negative, are
// not there: --max_memory dropped them.
absl::Status CheckExecutions(const profile::Profile& profile, int64_t step);

// Lines about the options of a view: invalid regular expressions, and where
// computed float operations come from, once for each source.
std::vector<std::string> ViewNotes(Workspace& workspace,
                                   const views::ViewOptions& options);
std::vector<std::string> RegexNotes(const views::ViewOptions& options);
// The records that the average over the steps of a trace leaves out; the note
// appears once for a profile.
std::vector<std::string> OutsideNotes(Workspace& workspace, int64_t step);
// How many gradients the code view does not count; once for a profile.
std::vector<std::string> GradientNotes(Workspace& workspace);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_WORKSPACE_H_

// The commands `convert` and `save`: they write the loaded profile in another
// form.
//
//   profile   one ProfileProto; of a trace, a saved trace
//   messages  a folder with the RunMetadata of pickles, unchanged
//   session   a folder or an archive of these, as a session of traces
//   files     a folder with graph.pb, op_log.pb (if there is anything for it)
//             and a run_meta_STEP.pb for each listed step
//
// Notes after writing say what the form cannot store, and what was written.

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/formats/graph_def.h"
#include "exporters/formats/op_log.h"
#include "exporters/formats/profile_proto.h"
#include "exporters/formats/run_metadata.h"
#include "exporters/formats/saved_trace.h"
#include "fmt/format.h"
#include "loaders/core/input_file.h"
#include "loaders/tensorflow/pickle/format.h"
#include "loaders/tensorflow/pickle/pickle.h"
#include "profile/steps/step_list.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/files/convert_session.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"

namespace tfprof::commands {
namespace {

using Steps = std::vector<std::shared_ptr<const profile::Step>>;

// "1 node", "3 nodes".
std::string Count(int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string ListedSteps(const profile::Profile& profile) {
  std::vector<int64_t> ids;
  for (const auto& step : profile.steps()) {
    if (step->listed) ids.push_back(step->id);
  }
  return ids.empty() ? "none" : profile::FormatSteps(ids);
}

// The steps that `wanted` names; all steps if it is empty. An error if a number
// or a range names no step.
absl::StatusOr<Steps> ChooseSteps(const profile::Profile& profile,
                                  const profile::StepList& wanted) {
  if (wanted.empty()) return profile.steps();
  Steps steps;
  std::vector<bool> found(wanted.size(), false);
  for (const auto& step : profile.steps()) {
    if (!step->listed || !profile::Contains(wanted, step->id)) continue;
    steps.push_back(step);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (profile::Contains({wanted[i]}, step->id)) found[i] = true;
    }
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (found[i]) continue;
    return absl::FailedPreconditionError(fmt::format(
        "The loaded profile has no step {}. Available steps: {}",
        profile::FormatStepList({wanted[i]}), ListedSteps(profile)));
  }
  return steps;
}

// The profile with the steps to write; an error says why nothing is written.
absl::StatusOr<profile::Profile> Choose(const options::ConvertSpec& spec,
                                        const profile::Profile& profile) {
  if (profile.nodes().size() == 0) {
    return absl::FailedPreconditionError(
        fmt::format("Nothing is written to {}: the loaded profile has no node.",
                    spec.path));
  }
  absl::StatusOr<Steps> steps = ChooseSteps(profile, spec.steps);
  if (!steps.ok()) return steps.status();
  for (const auto& step : *steps) {
    if (!step->aggregated) continue;
    return absl::FailedPreconditionError(
        fmt::format("Step {} cannot be saved: --max_memory dropped its "
                    "single executions.",
                    step->id));
  }
  return profile.WithSteps(*std::move(steps));
}

// The tables of records other than executions, which no form stores.
constexpr std::string_view kNeverStored[] = {
    "allocator_events", "allocator_segments", "collective_records",
    "compilations"};

// A note about the tables of the profile that a form cannot store; empty if it
// has none of them. Nodes are written with the names that reports show, so that
// nodes of different modules stay apart.
std::vector<std::string> OptionalTableNotes(
    const profile::Profile& profile, std::string_view what_has,
    bool (*is_stored)(std::string_view table)) {
  std::string tables;
  for (const profile::Profile::TableSize& table : profile.OptionalTables()) {
    if (is_stored(table.name)) continue;
    tables += fmt::format("{}{}", tables.empty() ? "" : ", ",
                          Count(table.rows, table.one));
  }
  if (tables.empty()) return {};
  return {fmt::format("{} no place for {}.", what_has, tables)};
}

// Notes about a folder of files: the files that were written, and what they
// cannot store.
struct FolderOutcome {
  exporters::GraphDefLosses graph;
  exporters::RunMetadataLosses steps;
  int64_t ran_elsewhere = 0;
  int64_t unlisted = 0;  // steps
  std::string files;
};

// The nodes that ran only in steps that are not written. Files cannot say that
// such a node ran, so that reports show its float operations of one run.
int64_t CountRanElsewhere(const profile::Profile& profile) {
  const profile::NodeTable& nodes = profile.nodes();
  int64_t count = 0;
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    if (!profile.RanElsewhere(n) || nodes.FloatOps(n) == 0) continue;
    count += std::none_of(
        profile.steps().begin(), profile.steps().end(),
        [&](const auto& step) { return step->FindGroup(n) != profile::kNone; });
  }
  return count;
}

std::vector<std::string> FolderNotes(const FolderOutcome& outcome,
                                     const std::string& folder) {
  std::vector<std::string> notes = {
      "Not in graph.pb: functions and versions, which a profile does not "
      "hold."};
  const auto count = [&](int64_t number, std::string_view what,
                         std::string_view text) {
    if (number > 0)
      notes.push_back(fmt::format("{} {}", Count(number, what), text));
  };
  count(
      outcome.graph.rebuilt, "node",
      "did not come from a GraphDef: placement is missing, and control inputs "
      "are plain inputs.");
  count(outcome.graph.input_places + outcome.graph.output_places, "node",
        "had gaps between the numbers of inputs or outputs: they are closed.");
  count(outcome.ran_elsewhere, "node",
        "ran only in steps that are not here: in the files they never ran, and "
        "have the float operations of one run.");
  count(outcome.steps.rebuilt, "execution",
        "did not come from a RunMetadata: labels, threads and nanoseconds are "
        "missing.");
  count(outcome.steps.no_device, "node",
        "had a step without an execution on a device: not written.");
  count(outcome.steps.other_devices, "execution",
        "ran on another device than the node's first, and will not count when "
        "the files are loaded; a profile keeps several workers (-to profile).");
  count(outcome.steps.unmatched_sums, "node",
        "had memory that belongs to no execution: not written.");
  count(outcome.unlisted, "step",
        "that the profile does not list: not written.");
  notes.push_back(
      fmt::format("The files are written to {}: {}.", folder, outcome.files));
  return notes;
}

// The time of executions that a ProfileProto, which has whole microseconds,
// cuts off, and all of it; in ticks.
struct CutTime {
  int64_t cut = 0;
  int64_t all = 0;
};

CutTime CutTimeOf(const profile::Profile& profile) {
  CutTime time;
  for (const auto& step : profile.steps()) {
    for (size_t e = 0; e < step->num_records(); ++e) {
      const int64_t of_micro = step->exec_duration.ticks_per_micro();
      const int64_t factor = profile.ticks_per_micro() / of_micro;
      const int64_t ticks = step->exec_duration.Ticks(e);
      time.all = util::SaturatingAdd(time.all, ticks * factor);
      time.cut = util::SaturatingAdd(time.cut, ticks % of_micro * factor);
    }
  }
  return time;
}

std::string CutText(const CutTime& time, const profile::Profile& profile) {
  return fmt::format("{} of {}",
                     tables::FormatTime(time.cut, profile.ticks_per_micro()),
                     tables::FormatTime(time.all, profile.ticks_per_micro()));
}

// An error if a ProfileProto would lose times of the profile.
absl::Status CheckTimes(const profile::Profile& profile) {
  const CutTime time = CutTimeOf(profile);
  if (profile.graph().self_times || time.cut == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "the times are finer than the whole microseconds of a ProfileProto, "
      "which would lose {} of executions; keep the trace itself, or convert "
      "-to profile:outfile=FILE, which cuts them off",
      CutText(time, profile)));
}

tables::Answer ProfileAnswer(const options::ConvertSpec& spec,
                             const profile::Profile& profile) {
  absl::StatusOr<profile::Profile> chosen = Choose(spec, profile);
  if (!chosen.ok()) return tables::ErrorAnswer(chosen.status());
  tables::Answer answer;
  const profile::Profile& kept = answer.Keep(*std::move(chosen));
  answer.files.push_back(
      {.path = spec.path, .write = [&kept](util::Sink& sink) {
         return kept.graph().self_times
                    ? exporters::WriteSavedTrace(kept, sink)
                    : exporters::WriteProfileProto(kept, sink);
       }});
  // A ProfileProto cannot hold a trace; the saved trace holds all of it.
  if (kept.graph().self_times) {
    answer.met = [&kept, path = spec.path] {
      std::vector<std::string> notes = OptionalTableNotes(
          kept, "A saved trace has", [](std::string_view table) {
            return std::find(std::begin(kNeverStored), std::end(kNeverStored),
                             table) == std::end(kNeverStored);
          });
      notes.push_back(fmt::format("The trace is written to {}.", path));
      return notes;
    };
    return answer;
  }
  int64_t unaccounted = 0;
  for (const auto& step : kept.steps()) {
    unaccounted += static_cast<int64_t>(step->num_outside());
  }
  answer.met = [&kept, unaccounted, path = spec.path] {
    std::vector<std::string> notes = OptionalTableNotes(
        kept, "A ProfileProto has",
        [](std::string_view table) { return table == "counted_kernels"; });
    if (const CutTime time = CutTimeOf(kept); time.cut > 0) {
      notes.push_back(
          fmt::format("A ProfileProto has whole microseconds: {} of executions "
                      "are cut off.",
                      CutText(time, kept)));
    }
    if (unaccounted > 0) {
      notes.push_back(
          fmt::format("A ProfileProto has no place for {} outside the "
                      "accounting; -to files has.",
                      Count(unaccounted, "execution")));
    }
    notes.push_back(fmt::format("The profile is written to {}.", path));
    return notes;
  };
  return answer;
}

tables::Answer FolderAnswer(const options::ConvertSpec& spec,
                            const profile::Profile& profile) {
  if (profile.graph().self_times) {
    return tables::ErrorAnswer(absl::FailedPreconditionError(
        "A trace cannot be written as a graph and its run metadata; save it as "
        "one file (-to profile:outfile=FILE)."));
  }
  absl::StatusOr<profile::Profile> chosen = Choose(spec, profile);
  if (!chosen.ok()) return tables::ErrorAnswer(chosen.status());
  for (const auto& step : chosen->steps()) {
    if (!step->listed || step->id >= 0) continue;
    return tables::ErrorAnswer(absl::FailedPreconditionError(fmt::format(
        "Step {} has a negative number, which no file can be given; choose "
        "others with -steps.",
        step->id)));
  }
  tables::Answer answer;
  answer.folder = spec.path;
  const profile::Profile& kept = answer.Keep(*std::move(chosen));
  const size_t nodes = kept.nodes().size();
  const auto outcome = std::make_shared<FolderOutcome>();
  answer.files.push_back({.path = "graph.pb",
                          .write =
                              [&kept, outcome](util::Sink& sink) {
                                const auto losses =
                                    exporters::WriteGraphDef(kept, sink);
                                if (losses.ok()) outcome->graph = *losses;
                                return losses.status();
                              },
                          .work = nodes});
  outcome->files = "graph.pb";
  if (exporters::NeedsOpLog(kept)) {
    answer.files.push_back({.path = "op_log.pb",
                            .write =
                                [&kept](util::Sink& sink) {
                                  exporters::WriteOpLog(kept, sink);
                                  return absl::OkStatus();
                                },
                            .work = nodes});
    outcome->files += ", op_log.pb";
  }
  std::vector<int64_t> written;
  for (const auto& step : kept.steps()) {
    if (!step->listed) {
      ++outcome->unlisted;
      continue;
    }
    answer.files.push_back({.path = fmt::format("run_meta_{}.pb", step->id),
                            .write =
                                [&kept, step, outcome](util::Sink& sink) {
                                  outcome->steps += exporters::WriteRunMetadata(
                                      kept, *step, sink);
                                  return absl::OkStatus();
                                },
                            .work = step->num_executions()});
    written.push_back(step->id);
  }
  if (!written.empty()) {
    outcome->files +=
        fmt::format(", run_meta_{}.pb",
                    written.size() == 1
                        ? fmt::format("{}", written[0])
                        : fmt::format("{{{}}}", profile::FormatSteps(written)));
  }
  answer.met = [&kept, outcome, folder = spec.path] {
    outcome->ran_elsewhere = CountRanElsewhere(kept);
    std::vector<std::string> notes = OptionalTableNotes(
        kept, "The files have", [](std::string_view) { return false; });
    for (std::string& note : FolderNotes(*outcome, folder)) {
      notes.push_back(std::move(note));
    }
    return notes;
  };
  return answer;
}

// "run_01_trace_00.pb", as tftracer numbered them; "run_meta_0.pb" of a message
// that is alone.
std::string MessageName(const tensorflow::PicklePlace& place, size_t number) {
  return place.run < 0
             ? fmt::format("run_meta_{}.pb", number)
             : fmt::format("run_{:02}_trace_{:02}.pb", place.run, place.trace);
}

// The messages of the pickles that were loaded, unchanged.
tables::Answer MessagesAnswer(const options::ConvertSpec& spec,
                              const loaders::Loaded& loaded) {
  tables::Answer answer;
  answer.folder = spec.path;
  std::set<std::string> names;
  for (const loaders::Loaded::Source& source : loaded.sources) {
    if (source.format != tensorflow::kPickleFormat.name) continue;
    const auto file = loaders::InputFile::Open(source.path);
    if (!file.ok()) return tables::ErrorAnswer(file.status());
    const tensorflow::PickledMessages pickle =
        tensorflow::ReadPickle((*file)->bytes());
    for (size_t m = 0; m < pickle.messages.size(); ++m) {
      const std::string name = MessageName(pickle.places[m], m);
      if (!names.insert(name).second) {
        return tables::ErrorAnswer(absl::FailedPreconditionError(fmt::format(
            "Two messages would be {}: unpack one pickle at a time.", name)));
      }
      answer.files.push_back(
          {.path = name,
           .write =
               [file = *file, message = pickle.messages[m]](util::Sink& sink) {
                 sink.Write(message);
                 return absl::OkStatus();
               },
           .work = pickle.messages[m].size()});
    }
  }
  if (answer.files.empty()) {
    return tables::ErrorAnswer(absl::FailedPreconditionError(
        "No file that is loaded is a pickle with RunMetadata: -to messages "
        "unpacks those of tfvis and tftracer."));
  }
  answer.met = [count = answer.files.size(), folder = spec.path] {
    return std::vector<std::string>{
        fmt::format("{} written to {}.",
                    count == 1 ? "1 RunMetadata is"
                               : fmt::format("{} RunMetadata are", count),
                    folder)};
  };
  return answer;
}

// Whether writing to `path` would lose something.
bool HoldsData(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         info.st_size > 0;
}

// The ProfileProto as the answer itself, instead of a file.
tables::Answer SavedProto(const profile::Profile& profile) {
  if (profile.graph().self_times) {
    return tables::ErrorAnswer(absl::FailedPreconditionError(
        "A trace has no ProfileProto; save FILE writes a saved trace."));
  }
  const absl::Status times = CheckTimes(profile);
  if (!times.ok()) return tables::ErrorAnswer(times);
  tables::Answer answer;
  const profile::Profile& kept =
      answer.Keep(profile.WithSteps(profile.steps()));
  const auto failed = std::make_shared<absl::Status>();
  answer.forms.push_back(
      {"proto", [&kept, failed](const tables::TextLook&, util::Sink& sink) {
         *failed = exporters::WriteProfileProto(kept, sink);
       }});
  answer.met = [failed] {
    return failed->ok()
               ? std::vector<std::string>()
               : std::vector<std::string>{std::string(failed->message())};
  };
  return answer;
}

tables::Answer RunSave(const Command& command, Workspace& workspace) {
  if (command.arguments.empty()) return SavedProto(workspace.profile());
  const std::string& path = command.arguments[0];
  if (!command.options.force && HoldsData(path)) {
    return tables::ErrorAnswer(absl::AlreadyExistsError(
        fmt::format("{} exists; to replace it: save -force {}", path, path)));
  }
  const absl::Status times = CheckTimes(workspace.profile());
  if (!times.ok()) return tables::ErrorAnswer(times);
  return ProfileAnswer(
      {.type = options::ConvertSpec::Type::kProfile, .path = path, .steps = {}},
      workspace.profile());
}

tables::Answer RunConvert(const Command& command, Workspace& workspace) {
  const options::ConvertSpec& spec = command.options.convert;
  const loaders::Loaded& loaded = workspace.opened->loaded;
  switch (spec.type) {
    case options::ConvertSpec::Type::kMessages:
      return MessagesAnswer(spec, loaded);
    case options::ConvertSpec::Type::kSession:
    case options::ConvertSpec::Type::kSessionZip:
      return SessionAnswer(spec, loaded);
    default:
      break;
  }
  return spec.type == options::ConvertSpec::Type::kFiles
             ? FolderAnswer(spec, workspace.profile())
             : ProfileAnswer(spec, workspace.profile());
}

}  // namespace

extern constinit const CommandInfo kSaveCommand = {
    .name = "save",
    .arguments = "FILE",
    .min_arguments = 1,
    .max_arguments = 1,
    .help = "Write the loaded profile as a ProfileProto.",
    .answers =
        "Keeps the content of several files in one, which loads without them. "
        "Refuses times that are finer than microseconds, as of CTF traces. "
        "A request of pipe with \"output\": \"proto\" has it as its answer.",
    .examples = {"save profile.pb", "save -force 'my profile.pb'"},
    .completes = options::Completes::kOutputFile,
    .options = options::kSaveOptions | options::kShareOptions,
    .outputs = options::kAnswerOutput | options::kProtoOutput,
    .needs_files = true,
    .run = RunSave};

extern constinit const CommandInfo kConvertCommand = {
    .name = "convert",
    .arguments = "-to TYPE:KEY=PATH [-steps N,N-M,…]",
    .help =
        "Write the loaded profile, or some of its steps, as one ProfileProto "
        "or as a folder of graph, op log and run metadata; unpack the "
        "RunMetadata of a pickle; or make a session of traces.",
    .answers =
        "Writes the loaded profile, or some of its steps, in another form: one "
        "file, or a folder of graph, op log and run metadata.",
    .examples = {"convert -steps 0 -to profile:outfile=step0.pb",
                 "convert -to files:outdir=sources"},
    .options = options::kConvertOptions | options::kShareOptions,
    .needs_option = "to",
    .needs_files = true,
    .run = RunConvert};

}  // namespace tfprof::commands

// The commands `timeline`, what ran when as a file for programs that show time,
// and `critical_path`, what of it made the step long.

#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "exporters/formats/chrome_trace.h"
#include "exporters/formats/perfetto_trace.h"
#include "exporters/formats/run_metadata.h"
#include "exporters/reference/client_timeline.h"
#include "exporters/reference/tfvis_charts.h"
#include "fmt/format.h"
#include "inspect/steps/critical_path.h"
#include "inspect/steps/timeline_table.h"
#include "profile/steps/step_list.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/show/timeline_page.h"
#include "tables/data_table.h"
#include "tables/numbers.h"
#include "timeline/ranks/clock_offsets.h"
#include "timeline/ranks/communication.h"
#include "timeline/tracks.h"
#include "util/files/gzip.h"
#include "util/files/sink.h"
#include "util/files/wire.h"
#include "util/run/task_options.h"
#include "util/text/safe_text.h"
#include "util/text/unit.h"

namespace tfprof::commands {
namespace {

constexpr uint32_t kStepStats = util::LengthTag(1);  // of RunMetadata

// A step as serialized StepStats messages.
struct StepStatsOfStep {
  std::vector<std::string_view> messages;
  util::StringSink made;  // holds the bytes that are not in a file
};

std::shared_ptr<const StepStatsOfStep> MakeStepStats(
    const profile::Profile& profile, const profile::Step& step) {
  auto stats = std::make_shared<StepStatsOfStep>();
  stats->messages = profile.StepStats(step);
  if (!stats->messages.empty()) return stats;
  exporters::WriteRunMetadata(profile, step, stats->made);
  util::WireReader r(stats->made.text());
  while (r.Next()) {
    if (r.tag() == kStepStats) stats->messages.push_back(r.view());
  }
  return stats;
}

// The step that a trace of a single one is of.
absl::StatusOr<const profile::Step*> OnlyStep(const profile::Profile& profile,
                                              int64_t wanted) {
  std::vector<int64_t> ids;
  for (const auto& step : profile.steps()) {
    if (!step->listed) continue;
    if (step->id == wanted || wanted < 0) ids.push_back(step->id);
  }
  if (ids.size() == 1) return profile.FindStep(ids[0]);
  return absl::FailedPreconditionError(
      ids.empty() ? std::string("the profile has no step")
                  : fmt::format("-compatible and -charts write one step; "
                                "choose it with -step: {}",
                                profile::FormatSteps(ids)));
}

bool IsGzip(std::string_view path) { return path.ends_with(".gz"); }

// A file that is compressed if its name says so.
tables::Answer::File MakeFile(std::string path,
                              std::function<void(util::Sink&)> write) {
  tables::Answer::File file;
  file.write = [write = std::move(write),
                gzip = IsGzip(path)](util::Sink& sink) -> absl::Status {
    if (!gzip) {
      write(sink);
      return absl::OkStatus();
    }
    util::GzipSink compressed(sink);
    write(compressed);
    return compressed.Finish();
  };
  file.done = [path] {
    return fmt::format(
        "The timeline is written to {}. Open it in https://ui.perfetto.dev or "
        "chrome://tracing.\n",
        path);
  };
  file.path = std::move(path);
  return file;
}

// The most that each allocator held, a line each.
std::vector<std::string> MaximumNotes(
    const std::vector<exporters::AllocatorMaximum>& maxima) {
  std::vector<std::string> notes;
  for (const exporters::AllocatorMaximum& maximum : maxima) {
    notes.push_back(fmt::format("{}: at most {} in {} outputs, at {} us",
                                maximum.allocator,
                                tables::BytesText(maximum.bytes),
                                maximum.tensors.size(), maximum.micros));
  }
  return notes;
}

// The same as tables: the maxima, and the outputs that each is the sum of.
tables::DataDocument MaximumDocument(
    std::vector<exporters::AllocatorMaximum> maxima) {
  const auto kept =
      std::make_shared<const std::vector<exporters::AllocatorMaximum>>(
          std::move(maxima));
  tables::DataTable peaks;
  peaks.kind = "maximums";
  peaks.columns = {{"allocator", "allocator"},
                   {"bytes", "at most", util::Unit::kBytes},
                   {"at_micros", "at", util::Unit::kMicros}};
  peaks.num_rows = peaks.total_rows = kept->size();
  peaks.cells = [kept](size_t row, std::vector<tables::DataCell>& cells) {
    const exporters::AllocatorMaximum& maximum = (*kept)[row];
    cells = {maximum.allocator, maximum.bytes, maximum.micros};
  };
  std::vector<std::pair<size_t, size_t>> outputs;
  for (size_t i = 0; i < kept->size(); ++i) {
    for (size_t k = 0; k < (*kept)[i].tensors.size(); ++k) {
      outputs.emplace_back(i, k);
    }
  }
  tables::DataTable tensors;
  tensors.kind = "tensors";
  tensors.columns = {{"allocator", "allocator"}, {"tensor", "tensor"}};
  tensors.num_rows = tensors.total_rows = outputs.size();
  tensors.cells = [kept, outputs = std::move(outputs)](
                      size_t row, std::vector<tables::DataCell>& cells) {
    const exporters::AllocatorMaximum& maximum = (*kept)[outputs[row].first];
    cells = {maximum.allocator, maximum.tensors[outputs[row].second]};
  };
  tables::DataDocument document;
  document.kind = "timeline_memory";
  document.parts.push_back({"Maxima", std::move(peaks)});
  document.parts.push_back({"Outputs", std::move(tensors)});
  return document;
}

bool IsOfTables(options::OutputSpec::Type type) {
  switch (type) {
    case options::OutputSpec::Type::kJson:
    case options::OutputSpec::Type::kNdjson:
    case options::OutputSpec::Type::kCsv:
    case options::OutputSpec::Type::kMarkdown:
    case options::OutputSpec::Type::kTable:
      return true;
    default:
      return false;
  }
}

// With -output chrome, the trace as a file; with a format of tables, the most
// that each allocator held; else the trace.
tables::Answer CompatibleAnswer(const options::Options& options,
                                Workspace& workspace) {
  const profile::Profile& profile = workspace.profile();
  const absl::StatusOr<const profile::Step*> step =
      OnlyStep(profile, options.view.step);
  if (!step.ok()) return tables::ErrorAnswer(step.status());
  const absl::Status whole = CheckExecutions(profile, (*step)->id);
  if (!whole.ok()) return tables::ErrorAnswer(whole);
  tables::Answer answer;
  const auto maxima =
      std::make_shared<std::vector<exporters::AllocatorMaximum>>();
  const auto write = [&profile, step = *step, maxima,
                      events = options.timeline.events](util::Sink& sink) {
    const auto stats = MakeStepStats(profile, *step);
    *maxima = exporters::WriteClientTimeline(stats->messages, events, sink);
  };
  answer.met = [maxima] { return MaximumNotes(*maxima); };
  if (options.output.type == options::OutputSpec::Type::kChrome) {
    answer.files.push_back(MakeFile(options.output.outfile(), write));
    return answer;
  }
  if (IsOfTables(options.output.type)) {
    util::StringSink unwanted;
    write(unwanted);
    return tables::DocumentAnswer(MaximumDocument(*maxima));
  }
  answer.forms.push_back({"text", [write](const tables::TextLook&,
                                          util::Sink& sink) { write(sink); }});
  answer.reference_form = answer.own_form = answer.agent_form = "text";
  return answer;
}

// The charts of tfvis: JSON of one form, on stdout or in a file.
tables::Answer ChartsAnswer(const options::Options& options,
                            Workspace& workspace) {
  const profile::Profile& profile = workspace.profile();
  const absl::StatusOr<const profile::Step*> step =
      OnlyStep(profile, options.view.step);
  if (!step.ok()) return tables::ErrorAnswer(step.status());
  const absl::Status whole = CheckExecutions(profile, (*step)->id);
  if (!whole.ok()) return tables::ErrorAnswer(whole);
  tables::Answer answer;
  answer.forms.push_back(
      {.name = "json",
       .write =
           [&profile, step = *step](const tables::TextLook&, util::Sink& sink) {
             const auto stats = MakeStepStats(profile, *step);
             exporters::WriteTfvisCharts(stats->messages, sink);
           },
       .safe = true});
  answer.reference_form = answer.own_form = answer.agent_form = "json";
  return answer;
}

// The offsets of the chosen steps; none if times stay as they were recorded.
std::shared_ptr<const timeline::ClockOffsets> ClocksOf(
    const options::Options& options, const profile::Profile& profile,
    const util::TaskOptions& work) {
  auto clocks = std::make_shared<timeline::ClockOffsets>();
  if (options.timeline.moves_clocks) {
    *clocks = timeline::EstimateClockOffsets(
        profile, timeline::PlacesOfSteps(profile, options.view.step), work);
  }
  return clocks;
}

// The parts that a trace lacks, a line each.
std::vector<std::string> ContentNotes(const exporters::TraceCounts& contents) {
  std::vector<std::string> notes = {fmt::format(
      "{} executions and {} arrows.", tables::FormatCount(contents.events),
      tables::FormatCount(contents.arrows))};
  if (contents.without_start > 0) {
    notes.push_back(
        fmt::format("{} executions have no start in the file and are not in "
                    "the trace.",
                    tables::FormatCount(contents.without_start)));
  }
  if (contents.counters > 0) {
    notes.push_back(fmt::format("{} counter{}.",
                                tables::FormatCount(contents.counters),
                                contents.counters == 1 ? "" : "s"));
  }
  if (contents.repeated > 0) {
    notes.push_back(fmt::format(
        "{} records that repeat the kernels and copies of the streams (as "
        "stream:all) are not in the trace.",
        tables::FormatCount(contents.repeated)));
  }
  return notes;
}

tables::Answer TraceAnswer(const options::Options& options,
                           Workspace& workspace) {
  const profile::Profile& profile = workspace.profile();
  const absl::Status whole = CheckExecutions(profile, options.view.step);
  if (!whole.ok()) return tables::ErrorAnswer(whole);
  const auto write = options.output.type == options::OutputSpec::Type::kChrome
                         ? exporters::WriteChromeTrace
                         : exporters::WritePerfettoTrace;
  tables::Answer answer;
  const auto clocks = ClocksOf(options, profile, workspace.work);
  exporters::TraceOptions trace = {
      .step = options.view.step,
      .arrows = options.timeline.events.show_dataflow,
      .memory = options.timeline.events.show_memory,
      .clocks = clocks.get(),
      .is_communication = timeline::CommunicationIn(workspace.views())};
  const auto contents = std::make_shared<exporters::TraceCounts>();
  answer.files.push_back(
      MakeFile(options.output.outfile(),
               [&profile, write, contents, trace](util::Sink& sink) {
                 *contents = write(profile, trace, sink);
               }));
  answer.met = [contents, clocks, &profile] {
    std::vector<std::string> notes = ContentNotes(*contents);
    for (std::string& note : timeline::ClockNotes(profile, *clocks)) {
      notes.push_back(std::move(note));
    }
    return notes;
  };
  return answer;
}

// The most rows of each table that a person gets.
constexpr size_t kRowsToRead = 15;

tables::Answer FiguresAnswer(const Command& command, Workspace& workspace) {
  const options::Options& options = command.options;
  const auto clocks = ClocksOf(options, workspace.profile(), workspace.work);
  absl::StatusOr<tables::DataDocument> document = inspect::TimelineDocument(
      workspace.views(), options.view.step, *clocks,
      IsForReading(options) ? kRowsToRead : 0, WholeAsData(command));
  if (!document.ok()) return tables::ErrorAnswer(document.status());
  tables::Answer answer = tables::DocumentAnswer(*std::move(document));
  answer.notes = timeline::ClockNotes(workspace.profile(), *clocks);
  return answer;
}

tables::Answer RunTimeline(const Command& command, Workspace& workspace) {
  const options::Options& options = command.options;
  // A file named without -o may be one that should be read.
  if (!command.arguments.empty() &&
      access(command.arguments[0].c_str(), F_OK) == 0) {
    return tables::ErrorAnswer(absl::AlreadyExistsError(
        fmt::format("{0} exists; timeline -o {0} replaces it",
                    util::SafeText(command.arguments[0]))));
  }
  const exporters::ClientTimelineOptions& events = options.timeline.events;
  if (!options.compatible && events.op_time != exporters::OpTime::kSchedule) {
    return tables::ErrorAnswer(
        absl::InvalidArgumentError("-op_time needs -compatible"));
  }
  if (options.timeline.charts) return ChartsAnswer(options, workspace);
  switch (options.output.type) {
    case options::OutputSpec::Type::kChrome:
      return options.compatible ? CompatibleAnswer(options, workspace)
                                : TraceAnswer(options, workspace);
    case options::OutputSpec::Type::kPerfetto:
      if (options.compatible) {
        return tables::ErrorAnswer(absl::InvalidArgumentError(
            "-compatible needs -output chrome:outfile=FILE, stdout or json"));
      }
      return TraceAnswer(options, workspace);
    case options::OutputSpec::Type::kHtml:
      return TimelinePageAnswer(
          options, *ClocksOf(options, workspace.profile(), workspace.work),
          workspace);
    default:
      return options.compatible ? CompatibleAnswer(options, workspace)
                                : FiguresAnswer(command, workspace);
  }
}

tables::Answer RunCriticalPath(const Command& command, Workspace& workspace) {
  const options::Options& options = command.options;
  absl::StatusOr<tables::DataDocument> document = inspect::CriticalPathDocument(
      workspace.views(), options.view.step, options.what_if,
      IsForReading(options) ? kRowsToRead : 0, WholeAsData(command));
  if (!document.ok()) return tables::ErrorAnswer(document.status());
  return tables::DocumentAnswer(*std::move(document));
}

}  // namespace

extern constinit const CommandInfo kCriticalPathCommand = {
    .name = "critical_path",
    .help =
        "The chain of operations, transfers, launches and waits that made a "
        "step as long as it was. Without -step, a typical step is shown. "
        "-what_if "
        "says what the step would take if operations were faster.",
    .answers = "Which operations must be faster to make the step faster?",
    .examples = {"critical_path", "critical_path -what_if 'MatMul=2x'"},
    .options = kTableOptions | options::kStepOption | options::kWhatIfOption,
    .ignores_base = true,
    .run = RunCriticalPath};

extern constinit const CommandInfo kTimelineCommand = {
    .name = "timeline",
    .arguments = "[FILE]",
    .max_arguments = 1,
    .help =
        "What ran when: with a file (.json, .pftrace, .html), all executions "
        "as a trace, with lanes, "
        "arrows and counters, or as a page for a browser; else how long each "
        "device computed, "
        "communicated, copied and was idle in each step, and its gaps. "
        "-compatible writes what TensorFlow's class Timeline writes.",
    .answers = "Which operation ran when, on what, and what waited for it?",
    .examples = {"timeline", "timeline -output chrome:outfile=trace.json.gz"},
    .options = kTableOptions | options::kStepOption |
               options::kThresholdOptions | options::kTimelineOptions |
               options::kCommunicationOption | options::kShareOptions,
    .outputs = options::kAnswerOutput | options::kPageOutput,
    .ignores_base = true,
    .needs_files = true,
    .run = RunTimeline};

}  // namespace tfprof::commands

// The command `timeline`: what ran when, as a file for programs that show time.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "exporters/formats/chrome_trace.h"
#include "exporters/formats/run_metadata.h"
#include "exporters/reference/client_timeline.h"
#include "fmt/format.h"
#include "profile/step_list.h"
#include "profiler/commands/rows.h"
#include "tables/numbers.h"
#include "util/gzip.h"
#include "util/wire.h"

namespace tfprof {
namespace {

constexpr uint32_t kStepStats = LengthTag(1);  // of RunMetadata

// A step as serialized StepStats messages.
struct StepStatsOfStep {
  std::vector<std::string_view> messages;
  StringSink made;  // holds the bytes that are not in a file
};

std::shared_ptr<const StepStatsOfStep> MakeStepStats(const Profile& profile,
                                                     const Step& step) {
  auto stats = std::make_shared<StepStatsOfStep>();
  stats->messages = profile.StepStats(step);
  if (!stats->messages.empty()) return stats;
  WriteRunMetadata(profile, step, stats->made);
  WireReader r(stats->made.text());
  while (r.Next()) {
    if (r.tag() == kStepStats) stats->messages.push_back(r.view());
  }
  return stats;
}

// The step that a trace of a single one is of.
absl::StatusOr<const Step*> OnlyStep(const Profile& profile, int64_t wanted) {
  std::vector<int64_t> ids;
  for (const auto& step : profile.steps()) {
    if (!step->listed) continue;
    if (step->id == wanted || wanted < 0) ids.push_back(step->id);
  }
  if (ids.size() == 1) return profile.FindStep(ids[0]);
  return absl::FailedPreconditionError(
      ids.empty() ? std::string("the profile has no step")
                  : fmt::format("-compatible writes one step, as the class "
                                "Timeline does; choose it with -step: {}",
                                FormatSteps(ids)));
}

bool IsGzip(std::string_view path) { return path.ends_with(".gz"); }

// A file that is compressed if its name says so.
Answer::File MakeFile(std::string path, std::function<void(Sink&)> write) {
  Answer::File file;
  file.write = [write = std::move(write),
                gzip = IsGzip(path)](Sink& sink) -> absl::Status {
    if (!gzip) {
      write(sink);
      return absl::OkStatus();
    }
    GzipSink compressed(sink);
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

// What the allocators held at most, a line each.
std::vector<std::string> MaximumNotes(
    const std::vector<AllocatorMaximum>& maxima) {
  std::vector<std::string> notes;
  for (const AllocatorMaximum& maximum : maxima) {
    notes.push_back(fmt::format("{}: at most {} in {} outputs, at {} us",
                                maximum.allocator, FormatBytes(maximum.bytes),
                                maximum.tensors.size(), maximum.micros));
  }
  return notes;
}

Answer CompatibleAnswer(const Options& options, Workspace& workspace) {
  const Profile& profile = workspace.profile();
  const absl::StatusOr<const Step*> step = OnlyStep(profile, options.view.step);
  if (!step.ok()) return ErrorAnswer(step.status());
  if ((*step)->aggregated) {
    return ErrorAnswer(absl::FailedPreconditionError(
        fmt::format("Step {} has no single executions: --max_memory dropped "
                    "them.",
                    (*step)->id)));
  }
  Answer answer;
  const auto maxima = std::make_shared<std::vector<AllocatorMaximum>>();
  answer.files.push_back(MakeFile(
      options.output.outfile(), [&profile, step = *step, maxima,
                                 events = options.timeline.events](Sink& sink) {
        const auto stats = MakeStepStats(profile, *step);
        *maxima = WriteClientTimeline(stats->messages, events, sink);
      }));
  answer.met = [maxima] { return MaximumNotes(*maxima); };
  return answer;
}

Answer ChromeAnswer(const Options& options, Workspace& workspace) {
  if (options.timeline.compatible) return CompatibleAnswer(options, workspace);
  Answer answer;
  answer.files.push_back(MakeFile(
      options.output.outfile(),
      [&profile = workspace.profile(), step = options.view.step](Sink& sink) {
        WriteChromeTrace(profile, step, sink);
      }));
  return answer;
}

Answer RunTimeline(const Command& command, Workspace& workspace) {
  const Options& options = command.options;
  const absl::Status found = CheckStep(workspace.profile(), options.view.step);
  if (!found.ok()) return ErrorAnswer(found);
  if (options.output.type == OutputSpec::Type::kChrome) {
    return ChromeAnswer(options, workspace);
  }
  return ErrorAnswer(absl::InvalidArgumentError(
      "timeline writes a file: -output chrome:outfile=FILE"));
}

}  // namespace

constinit const CommandInfo kTimelineCommand = {
    .name = "timeline",
    .help =
        "Write what ran when as a trace: all executions, their lanes, arrows "
        "and counters. -compatible writes what TensorFlow's class Timeline "
        "writes.",
    .answers = "Which operation ran when, on what, and what waited for it?",
    .examples = {"timeline -output chrome:outfile=trace.json.gz",
                 "timeline -step 0 -compatible -output chrome:outfile=t.json"},
    .options = kOutputOptions | kColorOption | kStepOption | kTimelineOptions,
    .outputs = kAnswerOutput | kTimelineOutput,
    .needs_files = true,
    .run = RunTimeline};

}  // namespace tfprof

#include "profiler/commands/show/view_files.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exporters/formats/chrome_trace.h"
#include "exporters/formats/pprof_full.h"
#include "exporters/reference/pprof.h"
#include "exporters/reference/timeline.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/files/gzip.h"
#include "util/text/percent.h"

namespace tfprof::commands {
namespace {

tables::Answer Refused(std::string_view text) {
  return tables::ErrorAnswer(absl::FailedPreconditionError(std::string(text)));
}

constexpr std::string_view kStars =
    "\n******************************************************\n";

// The graph view of a trace shows all records of a step, or of the file,
// unchanged.
bool IsRecording(views::View view, const profile::Profile& profile) {
  return view == views::View::kGraph && profile.graph().self_times;
}

// The result of writing timelines.
struct TimelineOutcome {
  exporters::TimelineResult result;
  bool over_200mb = false;  // any of several files
  std::vector<std::string> coverage;
};

// "step 0: the timeline has 215 of 1.86k executions, 522us of 50.88ms (1.0%);
// -max_depth 100000 takes all that the filters show"; "": it has all.
std::string CoverageText(int64_t step, int32_t max_depth,
                         const exporters::TimelineResult& result) {
  if (result.executions >= result.all_executions) return "";
  return fmt::format(
      "step {}: the timeline has {} of {} executions, {} of {} ({}); {}", step,
      tables::FormatCount(result.executions),
      tables::FormatCount(result.all_executions),
      tables::FormatMicros(result.micros),
      tables::FormatMicros(result.all_micros),
      util::Percent(result.micros, result.all_micros),
      max_depth == std::numeric_limits<int32_t>::max()
          ? "the others are of nodes that the graph does not have, or that "
            "filters hide"
          : "-max_depth 100000 takes all that the filters show");
}

// `exact`: the file has the name that was asked for, without the step.
tables::Answer::File TimelineFile(
    views::View view, const options::Options& options, int64_t step, bool exact,
    OpenProfile& opened, const std::shared_ptr<TimelineOutcome>& outcome) {
  tables::Answer::File file;
  const bool recording = IsRecording(view, opened.views.profile());
  file.path = exact || (recording && step < 0)
                  ? std::string(options.output.outfile())
                  : fmt::format("{}_{}", options.output.outfile(), step);
  file.write = [view, step, recording, &opened, outcome,
                of_step = options.Rows()](util::Sink& sink) mutable {
    if (recording) {
      exporters::WriteChromeTrace(opened.views.profile(), {.step = step}, sink);
      return absl::OkStatus();
    }
    of_step.step = step;
    const views::Report report = opened.views.Show(view, of_step);
    outcome->result = view == views::View::kGraph
                          ? exporters::WriteGraphTimeline(report, step, sink)
                          : exporters::WriteNestedTimeline(report, sink);
    outcome->over_200mb |= outcome->result.over_200mb;
    if (std::string text =
            CoverageText(step, of_step.max_depth, outcome->result);
        !text.empty()) {
      outcome->coverage.push_back(std::move(text));
    }
    return absl::OkStatus();
  };
  if (view == views::View::kGraph) file.begins = "generating trace file.\n";
  file.done = [outcome, path = file.path] {
    std::string text;
    for (const std::string& line : outcome->result.peak_lines) text += line;
    return text +
           fmt::format(
               "{}Timeline file is written to {}.\nOpen a Chrome browser, "
               "enter URL chrome://tracing and load the timeline file.{}",
               kStars, path, kStars);
  };
  file.failed = [path = file.path](const absl::Status& reason) {
    return absl::FailedPreconditionError(
        fmt::format("Failed to write timeline file: {}\nError: {}: {}", path,
                    absl::StatusCodeToString(reason.code()),
                    std::string(reason.message())));
  };
  return file;
}

// Adds the note that all reports of the code view may need.
void NoteDisplayedOnly(views::View view, const options::Options& options,
                       tables::Answer& answer) {
  if (view == views::View::kCode && options.view.account_displayed_only) {
    answer.notes.emplace_back(kCodeIgnoresDisplayedOnly);
  }
}

// A compressed file of pprof; `encode` gives the message and the index of the
// sample to look at.
struct Encoded {
  std::string message;
  std::string sample_index;
};
tables::Answer::File PprofFile(
    const std::string& path, std::function<absl::StatusOr<Encoded>()> encode) {
  const auto index = std::make_shared<std::string>();
  tables::Answer::File file;
  file.path = path;
  file.write = [encode = std::move(encode),
                index](util::Sink& sink) -> absl::Status {
    absl::StatusOr<Encoded> encoded = encode();
    if (!encoded.ok()) return encoded.status();
    *index = std::move(encoded->sample_index);
    return util::GzipCompress(encoded->message, sink);
  };
  file.done = [path, index] {
    return fmt::format(
        "\nRun pprof -png --nodecount=100 --sample_index={} "
        "<{}>\n",
        *index, path);
  };
  return file;
}

absl::Status CheckFields(views::FieldSet select,
                         bool (*supports)(views::Field)) {
  for (const views::Field field : views::kFieldsByWord) {
    if (select.Has(field) && !supports(field)) {
      return absl::FailedPreconditionError(fmt::format(
          "pprof doesn't support -select={}", views::FieldWord(field)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

tables::Answer TimelineAnswer(views::View view, const options::Options& given,
                              Workspace& workspace) {
  // The reference has a limit, we have all executions.
  options::Options options = given;
  if (!given.InReferenceForm() && !given.max_depth.has_value()) {
    options.max_depth = std::numeric_limits<int32_t>::max();
  }
  if (view == views::View::kOp) {
    return Refused(
        "op view doesn't support timeline yet. Consider graph/scope/code "
        "view.");
  }
  std::vector<int64_t> steps;
  if (view != views::View::kGraph || options.view.step >= 0 ||
      IsRecording(view, workspace.profile())) {
    steps.push_back(options.view.step);
  } else {
    for (const auto& step : workspace.profile().steps()) {
      if (step->listed) steps.push_back(step->id);
    }
  }
  for (const int64_t id : steps) {
    if (view != views::View::kGraph || id < 0) continue;
    const absl::Status whole = CheckExecutions(workspace.profile(), id);
    if (!whole.ok()) return tables::ErrorAnswer(whole);
  }
  tables::Answer answer;
  NoteDisplayedOnly(view, options, answer);
  const auto outcome = std::make_shared<TimelineOutcome>();
  // The reference's names end in the step.
  const bool exact = !given.InReferenceForm() && steps.size() == 1;
  for (const int64_t step : steps) {
    answer.files.push_back(
        TimelineFile(view, options, step, exact, *workspace.opened, outcome));
  }
  answer.met = [outcome]() -> std::vector<std::string> {
    std::vector<std::string> notes = std::move(outcome->coverage);
    if (!outcome->over_200mb) return notes;
    notes.emplace_back(
        "Trace file is over 200MB. Chrome might not be able to display it. "
        "Consider to use filters (e.g. -min_micros > 1000 or -op_type "
        ".*gpu:0.* to reduce the size.");
    return notes;
  };
  return answer;
}

tables::Answer PprofAnswer(views::View view, const options::Options& options,
                           Workspace& workspace) {
  const views::FieldSet select = options.view.select;
  const bool full = options.output.full_pprof();
  if (!full && view != views::View::kCode) {
    return Refused("Only 'code' view supports pprof output now.");
  }
  if (!full && select.size() != 1) {
    return Refused("Can only select 1 attribute for pprof output.");
  }
  const absl::Status known = CheckFields(
      select, full ? exporters::FullPprofSupports : exporters::PprofSupports);
  if (!known.ok()) return tables::ErrorAnswer(known);
  if (select.size() == 0) {
    return Refused("Select at least 1 attribute for pprof output.");
  }
  tables::Answer answer;
  NoteDisplayedOnly(view, options, answer);
  const auto encode = [view, full, select, view_options = options.Rows(),
                       opened = workspace.opened]() -> absl::StatusOr<Encoded> {
    const views::Report report = opened->views.Show(view, view_options);
    if (full) {
      auto encoded = exporters::EncodeFullPprof(
          report, select, opened->views.work().cancellation);
      if (!encoded.ok()) return encoded.status();
      return Encoded{std::move(encoded->message),
                     std::move(encoded->default_type)};
    }
    const views::Field field =
        *std::find_if(views::kFieldsByWord.begin(), views::kFieldsByWord.end(),
                      [&](views::Field f) { return select.Has(f); });
    auto encoded = exporters::EncodePprof(report, field, *report.node_stats);
    if (!encoded.ok()) return encoded.status();
    return Encoded{*std::move(encoded), "1"};
  };
  answer.files.push_back(PprofFile(options.output.outfile(), encode));
  return answer;
}

}  // namespace tfprof::commands

// The command `timeline`: when each op ran, on what, for other programs.

#include "profiler/commands/rows.h"
#include "profiler/commands/timeline_page.h"

namespace tfprof {
namespace {

Answer RunTimeline(const Command& command, Workspace& workspace) {
  if (command.options.output.type != OutputSpec::Type::kHtml) {
    return ErrorAnswer(absl::FailedPreconditionError(
        "A timeline is a file: timeline -output html:outfile=FILE"));
  }
  return TimelinePageAnswer(command.options, workspace);
}

}  // namespace

constinit const CommandInfo kTimelineCommand = {
    .name = "timeline",
    .help =
        "Write a page for a browser that shows when each operation ran, on "
        "what, and what it waited for.",
    .answers =
        "When did each operation run, on which device, and what was there "
        "between them?",
    .examples = {"timeline -output html:outfile=timeline.html",
                 "timeline -step 0 -output html:outfile=step0.html"},
    .options = kOutputOptions | kStepOption | kThresholdOptions,
    .outputs = kAnswerOutput | kPageOutput,
    .needs_files = true,
    .run = RunTimeline};

}  // namespace tfprof

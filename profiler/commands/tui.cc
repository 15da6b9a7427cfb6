// The row of `tui`. A front with a terminal shows the browser (tui/screen.h): a
// command answers once, and the browser as long as keys are pressed.

#include "profiler/commands/rows.h"
#include "tables/answer.h"

namespace tfprof {
namespace {

Answer RunTui(const Command&, Workspace&) {
  return ErrorAnswer(absl::FailedPreconditionError("tui needs a terminal"));
}

}  // namespace

constinit const CommandInfo kTuiCommand = {
    .name = "tui",
    .help =
        "Browse the profile on the full screen: steps, tree and details side "
        "by side. The key ? lists the keys, q leaves.",
    .answers =
        "Where is the time? Go down to it with the arrow keys, search, sort "
        "and compare, without typing commands.",
    .examples = {"tui", "tui -step 0 -order_by peak_bytes"},
    .options =
        kStepOption | kOrderOption | kTypesOption | kFlopsOption | kColorOption,
    .run = RunTui};

}  // namespace tfprof

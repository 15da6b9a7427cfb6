// The row of `pipe`. The program itself answers the requests (shell/pipe.h): a
// command answers once, and the pipe as long as requests come.

#include "profiler/commands/rows.h"
#include "tables/answer.h"

namespace tfprof {
namespace {

Answer RunPipe(const Command&, Workspace&) {
  return ErrorAnswer(absl::FailedPreconditionError(
      "pipe is a command of the program only: tfprof pipe FILE"));
}

}  // namespace

constinit const CommandInfo kPipeCommand = {
    .name = "pipe",
    .inputs = CommandInfo::Inputs::kOptional,
    .help =
        "Answer requests of another program: a line of JSON on stdin for each, "
        "and on stdout a line of JSON and the answer's bytes.",
    .answers =
        "How does a program ask many questions about a profile that is loaded "
        "once?",
    .examples = {"pipe profile.pb", "pipe -step 1 profile.pb"},
    .run = RunPipe};

}  // namespace tfprof

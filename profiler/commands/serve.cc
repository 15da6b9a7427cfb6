// The row of `serve`. The program itself serves (server/serve.h): a command
// answers once, and the server as long as it is asked.

#include "profiler/commands/rows.h"
#include "tables/answer.h"

namespace tfprof {
namespace {

Answer RunServe(const Command&, Workspace&) {
  return ErrorAnswer(absl::FailedPreconditionError(
      "serve is a command of the program only: tfprof serve FILE"));
}

}  // namespace

constinit const CommandInfo kServeCommand = {
    .name = "serve",
    .inputs = CommandInfo::Inputs::kProfile,
    .help =
        "Show the profile in a browser, by a small web server on this machine. "
        "A folder alone shows the profiles in it; --base names one to compare "
        "with. With -session, training programs register with the server: it "
        "shows their runs, and traces them when you ask.",
    .answers =
        "Where is the time? Look at tables, steps, advice, the graph and the "
        "timeline in a browser, with links that reopen what is seen.",
    .examples = {"serve -port 9000 profiles/", "serve -session traces/"},
    .options = kServeOptions,
    .run = RunServe};

}  // namespace tfprof

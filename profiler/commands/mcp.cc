// The row of `mcp`. The program itself serves (mcp/server.h): a command answers
// once, and the server as long as its client asks.

#include "profiler/commands/rows.h"
#include "tables/answer.h"

namespace tfprof {
namespace {

Answer RunMcp(const Command&, Workspace&) {
  return ErrorAnswer(absl::FailedPreconditionError(
      "mcp is a command of the program only: tfprof mcp FOLDER"));
}

}  // namespace

constinit const CommandInfo kMcpCommand = {
    .name = "mcp",
    .arguments = "FILE|FOLDER",
    .min_arguments = 1,
    .max_arguments = 1,
    .inputs = CommandInfo::Inputs::kNone,
    .help =
        "Serve the commands to an AI agent, on stdin and stdout, by the Model "
        "Context Protocol. Reads profiles of the folder and writes nothing.",
    .answers = "What can an agent find out about these profiles?",
    .examples = {"mcp profiles/", "mcp profile.pb"},
    .completes = Completes::kFile,
    .run = RunMcp};

}  // namespace tfprof

// The row of `record`. The program itself records (profiler/record/): a command
// answers once, and this one runs another program.

#include <limits>

#include "profiler/commands/rows.h"
#include "tables/answer.h"

namespace tfprof {
namespace {

Answer RunRecord(const Command&, Workspace&) {
  return ErrorAnswer(absl::FailedPreconditionError(
      "record is a command of the program only: tfprof record -- PROGRAM"));
}

}  // namespace

constinit const CommandInfo kRecordCommand = {
    .name = "record",
    .arguments = "-- PROGRAM [ARGUMENT…]",
    .min_arguments = 1,
    .max_arguments = std::numeric_limits<size_t>::max(),
    .inputs = CommandInfo::Inputs::kNone,
    .help =
        "Run a program and record what it and its child processes do: ops of "
        "TensorFlow, commands of OpenCL devices, and what a program reports "
        "through tfprof_record.h. Writes a folder with a CTF trace, which "
        "this program, Babeltrace and Trace Compass read. The exit status is "
        "that of the program.",
    .answers = "What does this program do, and which op launches what?",
    .examples = {"record -- python3 train.py",
                 "record -o trace -max_mib 100 -- ./program"},
    .takes_program = true,
    .options = kRecordOptions,
    .run = RunRecord};

}  // namespace tfprof

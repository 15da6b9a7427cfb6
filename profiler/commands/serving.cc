// The rows of the commands that do not answer once. `tui` shows the browser as
// long as keys are pressed (tui/screen.h); the others serve as long as they are
// asked, or run another program (program/serving.h).

#include <limits>

#include "profiler/commands/commands.h"

namespace tfprof::commands {

extern constinit const CommandInfo kTuiCommand = {
    .name = "tui",
    .help =
        "Browse the profile on the full screen: steps, tree and details side "
        "by side. The key ? lists the keys, q leaves.",
    .answers =
        "Where is the time? Go down to it with the arrow keys, search, sort "
        "and compare, without typing commands.",
    .examples = {"tui", "tui -step 0 -order_by peak_bytes"},
    .options = options::kStepOption | options::kOrderOption |
               options::kTypesOption | options::kFlopsOption |
               options::kColorOption,
    .browses = true};

extern constinit const CommandInfo kMcpCommand = {
    .name = "mcp",
    .arguments = "FILE|FOLDER",
    .min_arguments = 1,
    .max_arguments = 1,
    .inputs = CommandInfo::Inputs::kNone,
    .help =
        "Serve the commands to an AI agent, on stdin and stdout, by the Model "
        "Context Protocol. Reads profiles of the folder and writes nothing.",
    .answers = "What can an agent find out about these profiles?",
    .examples = {"mcp profiles/", "mcp -source_path src profile.pb"},
    .completes = options::Completes::kFile,
    .options = options::kSourceOption};

extern constinit const CommandInfo kPipeCommand = {
    .name = "pipe",
    .inputs = CommandInfo::Inputs::kOptional,
    .help =
        "Answer requests of another program: a line of JSON on stdin for each, "
        "and on stdout a line of JSON and the answer's bytes.",
    .answers =
        "How does a program ask many questions about a profile that is loaded "
        "once?",
    .examples = {"pipe profile.pb", "pipe -step 1 profile.pb"}};

extern constinit const CommandInfo kServeCommand = {
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
    .options = options::kServeOptions | options::kSourceOption |
               options::kShareOptions,
    .option_for_inputs = "session"};

extern constinit const CommandInfo kRecordCommand = {
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
        "that of the program. What it does not see, others record into files "
        "that this program opens: torch.profiler, jax.profiler, nsys, "
        "rocprofv3, torch.cuda.memory._dump_snapshot (memory), TORCH_TRACE=DIR "
        "(compilations), and the flight recorder of PyTorch (collectives).",
    .answers = "What does this program do, and which op launches what?",
    .examples = {"record -- python3 train.py",
                 "record -o trace -max_mib 100 -- ./program"},
    .takes_program = true,
    .options = options::kRecordOptions};

}  // namespace tfprof::commands

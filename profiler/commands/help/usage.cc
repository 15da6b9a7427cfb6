#include "profiler/commands/help/usage.h"

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/options/flags.h"
#include "profiler/options/options.h"
#include "util/text/text_layout.h"

namespace tfprof::commands {
namespace {

constexpr Meaning kExitStatuses[] = {
    {"0", "Success."},
    {"1", "An input could not be read completely, or a command failed."},
    {"2", "The command line is invalid; nothing was read."},
};

constexpr Meaning kEnvironment[] = {
    {"XDG_STATE_HOME",
     "The shell's history is tfprof/history in it; else in "
     "$HOME/.local/state."},
    {"TMPDIR", "Where compressed inputs are unpacked; else /tmp."},
    {"LC_ALL, LC_CTYPE, LANG", "The encoding of what you type."},
    {"TERM", "What the terminal can do; dumb: no colours, no pager."},
    {"NO_COLOR", "Set: no colours."},
    {"PAGER", "Shows reports longer than the screen; else less. Empty: none."},
    {"TFPROF_AGENT", "1: as -agent, for programs that read text."},
};

constexpr Meaning kExamples[] = {
    {"tfprof profile.pb", "Look around in a shell."},
    {"tfprof profile.pb advise", "What should I look at first?"},
    {"tfprof profile.pb op -order_by micros",
     "Which kinds of operations take the time?"},
    {"tfprof graph.pb run_meta_1 scope -max_depth 3",
     "A graph and a run of it, by layers."},
    {"tfprof logdir/ graph -step 1 -output timeline:outfile=trace",
     "A trace for chrome://tracing."},
};

}  // namespace

std::span<const Meaning> ExitStatuses() { return kExitStatuses; }
std::span<const Meaning> Environment() { return kEnvironment; }
std::span<const Meaning> UsageExamples() { return kExamples; }

std::string StartText() {
  std::string text = "usage: tfprof [INPUT…] [COMMAND] [-option value…]\n\n";
  util::AppendWrapped(kPurpose, 0, &text);
  return text + R"(
  tfprof trace.json.gz                  the overview, and a prompt for commands
  tfprof trace.json.gz advise           all problems, the worst first
  tfprof trace.json.gz op               the time by type of operation
  tfprof trace.json.gz kernels softmax  the kernels with this in their name
  tfprof trace.json.gz op -o ops.csv    data for other programs
  tfprof trace.json.gz timeline t.html  a page for a browser
  tfprof diff before.pb after.pb        what changed
  tfprof check before.pb after.pb       whether it became slower, for CI
  tfprof record -- python3 train.py     record a program
  tfprof serve profiles/                pages for a browser
  tfprof mcp profiles/                  for an AI agent

INPUT is a file or a folder, whose content says what it is.
tfprof help lists the commands, tfprof help COMMAND explains one, and
tfprof --help lists everything.
)";
}

std::string UsageText() {
  constexpr size_t kColumn = 26;
  std::string text = "usage: tfprof [INPUT…] [COMMAND] [-option value…]\n\n";
  util::AppendWrapped(kPurpose, 0, &text);
  util::AppendWrapped(
      "Without a COMMAND it starts a shell that takes the same commands: Tab "
      "completes, help explains, Ctrl-D leaves.",
      0, &text);
  const auto add = [&](const std::string& left, std::string_view help) {
    util::AppendPadded("  " + left, kColumn, &text);
    if (util::Columns(left) + 2 >= kColumn) {
      text += '\n';
      text.append(kColumn, ' ');
    }
    util::AppendWrapped(help, kColumn, &text);
  };
  text += "\nExamples:\n";
  for (const Meaning& example : kExamples) {
    text += fmt::format("  {}\n      {}\n", example.name, example.help);
  }
  text +=
      "\nINPUT is a file or a directory, whose content says what it is, or "
      "a flag:\n";
  for (const options::FlagInfo& flag : options::FlagTable()) {
    add(flag.name.size() == 1
            ? fmt::format("-{} {}", flag.name, flag.value_name)
            : fmt::format("--{}={}", flag.name, flag.value_name),
        flag.help);
  }
  const auto add_commands = [&](std::string_view title, auto wanted) {
    text += fmt::format("\n{}:\n", title);
    for (const CommandInfo* command : CommandTable()) {
      if (!wanted(*command)) continue;
      add(fmt::format("{}{}{}", command->name,
                      command->arguments.empty() ? "" : " ",
                      command->arguments),
          command->help);
    }
  };
  const auto is_view = [](const CommandInfo& command) {
    return command.view.has_value();
  };
  add_commands("Commands that show the profile", is_view);
  add_commands("Other commands", [&](const CommandInfo& command) {
    return !is_view(command) && command.one_shot;
  });
  add_commands("Commands of the shell only",
               [](const CommandInfo& command) { return !command.one_shot; });
  text += "\nOptions (help OPTION explains one):\n";
  for (const options::Option& option : options::OptionTable()) {
    add(fmt::format("-{} {}", option.name, option.value_name), option.help);
  }
  text += "\nExit status:\n";
  for (const Meaning& status : kExitStatuses) {
    add(std::string(status.name), status.help);
  }
  text += "\nEnvironment:\n";
  for (const Meaning& variable : kEnvironment) {
    add(std::string(variable.name), variable.help);
  }
  return text;
}

}  // namespace tfprof::commands

#include "profiler/commands/command_line.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "util/edit_distance.h"
#include "profiler/options/words.h"
#include "util/text_layout.h"

namespace tfprof {
namespace {

// Of a flag of InputFlags(), at the same place. False: the value makes no
// sense.
using SetFlag = bool (*)(std::string_view value, CommandLine& line);

// The parts of a list of files.
void AddFiles(std::string_view value, std::vector<std::string>& files) {
  while (!value.empty()) {
    const size_t comma = std::min(value.find(','), value.size());
    if (comma > 0) files.emplace_back(value.substr(0, comma));
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
}

bool SetRunMeta(std::string_view value, CommandLine& line) {
  AddFiles(value, line.inputs.run_meta_paths);
  return true;
}

bool SetBase(std::string_view value, CommandLine& line) {
  AddFiles(value, line.base);
  return !line.base.empty();
}

// "3", "2.5", "3%".
bool SetNoise(std::string_view value, CommandLine& line) {
  if (value.ends_with('%')) value.remove_suffix(1);
  double percent = 0;
  const char* end = value.data() + value.size();
  const auto [at, error] =
      std::from_chars(value.data(), end, percent, std::chars_format::fixed);
  // Not for what is no number either.
  if (error != std::errc() || at != end || !(percent >= 0 && percent <= 1000)) {
    return false;
  }
  line.check.noise = percent / 100;
  return true;
}

// "512M", "2G", "1000000".
bool SetMaxMemory(std::string_view value, CommandLine& line) {
  size_t bytes = 0;
  const char* end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, bytes);
  if (error != std::errc() || end - at > 1) return false;
  constexpr std::string_view kUnits = "KMGT";
  const size_t unit = at == end ? 0 : kUnits.find(*at) + 1;  // npos + 1 == 0
  if (at != end && unit == 0) return false;
  if (bytes > SIZE_MAX >> (10 * unit)) return false;
  line.inputs.max_memory = bytes << (10 * unit);
  return true;
}

bool SetThreads(std::string_view value, CommandLine& line) {
  const char* end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, line.threads);
  return error == std::errc() && at == end && line.threads > 0 &&
         line.threads <= 1024;
}

bool SetSameStep(std::string_view value, CommandLine& line) {
  constexpr std::pair<std::string_view, SameStep> kChoices[] = {
      {"renumber", SameStep::kRenumber},
      {"merge", SameStep::kMerge},
      {"error", SameStep::kError}};
  for (const auto& [name, choice] : kChoices) {
    if (name != value) continue;
    line.inputs.same_step = choice;
    return true;
  }
  return false;
}

template <std::string LoadRequest::*path>
bool SetInput(std::string_view value, CommandLine& line) {
  line.inputs.*path = value;
  return true;
}

template <std::string CommandLine::*path>
bool SetPath(std::string_view value, CommandLine& line) {
  line.*path = value;
  return true;
}

constexpr FlagInfo kInputFlags[] = {
    {"profile_path", "FILE", "A ProfileProto.", true},
    {"graph_path", "FILE", "A GraphDef, binary or text.", true},
    {"run_meta_path", "FILE,…",
     "RunMetadata files, binary or text: steps 0, 1, 2 …, or STEP:FILE.", true},
    {"op_log_path", "FILE", "An OpLogProto.", true},
    {"checkpoint_path", "PREFIX", "A checkpoint, for tensor_value.", true},
    {"base", "FILE,…",
     "Compare with this profile: views show what changed since.", true},
    {"fail-if", "RULE",
     "For check: a rule, as 'op:MatMul.micros > +5%'. May be repeated.", false},
    {"rules", "FILE", "For check: a file with a rule a line.", true},
    {"noise", "PERCENT",
     "For check: changes up to this are noise, whatever the steps say.", false},
    {"f", "FILE", "Run the shell lines of FILE.", true},
    {"max_memory", "BYTES",
     "Keep only sums of a profile larger than this (512M, 2G).", false},
    {"same_step", "renumber|merge|error",
     "What to do with a step that two profiles have on one device.", false},
    {"threads", "N", "Load on N cores instead of all.", false},
    {"self_profile", "FILE", "Write a Chrome trace of what tfprof itself did.",
     true},
};
constexpr SetFlag kSetFlags[] = {
    SetInput<&LoadRequest::profile_path>,
    SetInput<&LoadRequest::graph_path>,
    SetRunMeta,
    SetInput<&LoadRequest::op_log_path>,
    SetInput<&LoadRequest::checkpoint_path>,
    SetBase,
    [](std::string_view value, CommandLine& line) {
      line.check.rules.emplace_back(value);
      return true;
    },
    [](std::string_view value, CommandLine& line) {
      line.check.rules_file = value;
      return true;
    },
    SetNoise,
    SetPath<&CommandLine::script>,
    SetMaxMemory,
    SetSameStep,
    SetThreads,
    SetPath<&CommandLine::self_profile>,
};
static_assert(std::size(kInputFlags) == std::size(kSetFlags));

constexpr Meaning kExitStatuses[] = {
    {"0", "Fine."},
    {"1", "An input could not be read, or not wholly; or a command failed."},
    {"2", "The command line makes no sense; nothing was read."},
};

constexpr Meaning kEnvironment[] = {
    {"XDG_STATE_HOME",
     "The shell's history is tfprof/history in it; else in "
     "$HOME/.local/state."},
    {"TMPDIR", "Where compressed inputs are unpacked; else /tmp."},
    {"LC_ALL, LC_CTYPE, LANG", "The encoding of what you type."},
    {"TERM", "What the terminal can do; dumb: no colours, no pager."},
    {"NO_COLOR", "Set: no colours."},
    {"PAGER", "Shows what is longer than the screen; else less. Empty: none."},
    {"TFPROF_AGENT", "1: as -agent, for programs that read text."},
};

constexpr Meaning kExamples[] = {
    {"tfprof profile.pb", "Look around in a shell."},
    {"tfprof profile.pb advise all", "What should I look at first?"},
    {"tfprof profile.pb op -order_by micros",
     "Which kinds of operations take the time?"},
    {"tfprof graph.pb run_meta_1 scope -max_depth 3",
     "A graph and a run of it, by layers."},
    {"tfprof logdir/ graph -step 1 -output timeline:outfile=trace",
     "A trace for chrome://tracing."},
};

std::string_view LastElement(std::string_view list) {
  return list.substr(list.rfind(',') + 1);  // npos + 1 == 0
}

const FlagInfo* FindInputFlag(std::string_view name) {
  for (const FlagInfo& flag : kInputFlags) {
    if (flag.name == name) return &flag;
  }
  if (name == "fail_if") return FindInputFlag("fail-if");
  return nullptr;
}

// A hint behind a message about a flag that there is not.
std::string DidYouMeanFlag(std::string_view name) {
  std::vector<std::string> names;
  for (const FlagInfo& flag : kInputFlags) names.emplace_back(flag.name);
  for (const Option& option : OptionTable()) names.emplace_back(option.name);
  const std::string near = DidYouMean(Nearest(name, names), "--");
  return near.empty() ? "" : "; " + near;
}

class Parser {
 public:
  Parser(std::span<const std::string> words, const Options& defaults)
      : words_(words) {
    line_.command.options = defaults;
  }

  absl::StatusOr<CommandLine> Parse() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "--") {
        for (++at_; at_ < words_.size(); ++at_) Plain(words_[at_]);
        break;
      }
      if (word.size() < 2 || word[0] != '-' ||
          WantsTopic(line_.command, at_ + 1 == words_.size())) {
        Plain(word);
        continue;
      }
      const absl::Status status = Flag(word);
      if (!status.ok()) return status;
      if (line_.help || line_.version) return line_;
    }
    const CommandInfo* info = line_.command.info;
    // `ls FILE`: what a command can do without is the profile, if none is
    // there.
    std::vector<std::string>& words = line_.command.arguments;
    if (info != nullptr && info->id != CommandId::kHelp &&
        info->only_argument.empty() && line_.inputs.empty() &&
        words.size() > info->min_arguments) {
      line_.inputs.files.push_back(std::move(words.back()));
      words.pop_back();
    }
    const absl::Status status = CheckCommand(line_.command);
    if (!status.ok()) return status;
    const bool checks = info != nullptr && info->id == CommandId::kCheck;
    if (!checks && line_.check.given()) {
      return absl::InvalidArgumentError(
          "--fail-if, --rules and --noise are for check: tfprof check BASE NEW "
          "--fail-if RULE");
    }
    if (checks && (!line_.inputs.empty() || !line_.base.empty())) {
      return absl::InvalidArgumentError(
          "check takes two profiles and nothing else: tfprof check BASE NEW; "
          "one of several files is written FILE,FILE");
    }
    if (info != nullptr && !line_.script.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("give either a command ({}) or a script (-f {})",
                      info->name, line_.script));
    }
    return line_;
  }

 private:
  void Plain(const std::string& word) {
    Command& command = line_.command;
    if (command.info == nullptr) {
      command.info = FindCommand(word);
      if (command.info != nullptr) return;
    } else if (TakesArgument(command, word)) {
      command.arguments.push_back(word);
      return;
    }
    line_.inputs.files.push_back(word);
  }

  absl::Status Flag(const std::string& word) {
    std::string_view name = word;
    name.remove_prefix(word[1] == '-' ? 2 : 1);
    const size_t equals = name.find('=');
    const bool has_value = equals != name.npos;
    std::string value(has_value ? name.substr(equals + 1) : std::string_view());
    name = name.substr(0, equals);
    if (name == "help" || name == "h") {
      line_.help = true;
      return absl::OkStatus();
    }
    if (name == "version") {
      line_.version = true;
      return absl::OkStatus();
    }
    const FlagInfo* input = FindInputFlag(name);
    const Option* option = FindOption(name);
    if (input == nullptr && option == nullptr) {
      return absl::InvalidArgumentError(
          fmt::format("there is no flag {}; --help lists them{}", word,
                      DidYouMeanFlag(name)));
    }
    if (!has_value) {
      const bool next = at_ + 1 < words_.size();
      if (option != nullptr && option->kind == OptionKind::kBool) {
        value = next && IsBoolWord(words_[at_ + 1]) ? words_[++at_] : "true";
      } else if (next) {
        value = words_[++at_];
      } else {
        return absl::InvalidArgumentError(fmt::format(
            "{} wants a value: {}={}", word, word,
            input != nullptr ? input->value_name : option->value_name));
      }
    }
    if (input != nullptr) {
      if (kSetFlags[input - kInputFlags](value, line_)) return absl::OkStatus();
      return absl::InvalidArgumentError(
          fmt::format("Couldn't interpret value {} for flag {}.", value, name));
    }
    // `--output=` is what the flag's default is.
    if (option->kind == OptionKind::kOutput && value.empty()) value = "stdout";
    const absl::Status status = option->parse(value, line_.command.options);
    if (status.ok()) return status;
    // Of -output the choices say more than the reference's words.
    if (!status.message().empty() && option->kind != OptionKind::kOutput) {
      return status;
    }
    const std::vector<std::string> choices = OptionChoices(*option);
    const std::string near = DidYouMean(Nearest(LastElement(value), choices));
    return absl::InvalidArgumentError(fmt::format(
        "Couldn't interpret value {} for flag {}.{}{}", value, name,
        choices.empty() ? fmt::format(" It wants {}.", option->value_name)
                        : fmt::format(" One of: {}.", fmt::join(choices, ", ")),
        near.empty() ? "" : "\n" + near));
  }

  std::span<const std::string> words_;
  size_t at_ = 0;
  CommandLine line_;
};

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(
    std::span<const std::string> arguments, const Options& defaults) {
  return Parser(arguments, defaults).Parse();
}

std::span<const FlagInfo> InputFlags() { return kInputFlags; }
std::span<const Meaning> ExitStatuses() { return kExitStatuses; }
std::span<const Meaning> Environment() { return kEnvironment; }
std::span<const Meaning> UsageExamples() { return kExamples; }

std::string UsageText() {
  constexpr size_t kColumn = 26;
  std::string text = "usage: tfprof [INPUT…] [COMMAND] [-option value…]\n\n";
  AppendWrapped(kPurpose, 0, &text);
  AppendWrapped(
      "Without a COMMAND it is a shell that takes the same: Tab completes, "
      "help explains, Ctrl-D leaves.",
      0, &text);
  const auto add = [&](const std::string& left, std::string_view help) {
    AppendPadded("  " + left, kColumn, &text);
    if (Columns(left) + 2 >= kColumn) {
      text += '\n';
      text.append(kColumn, ' ');
    }
    AppendWrapped(help, kColumn, &text);
  };
  text += "\nExamples:\n";
  for (const Meaning& example : kExamples) {
    text += fmt::format("  {}\n      {}\n", example.name, example.help);
  }
  text +=
      "\nINPUT is a file or a directory, whose content says what it is, or "
      "a flag:\n";
  for (const FlagInfo& flag : kInputFlags) {
    add(flag.name.size() == 1
            ? fmt::format("-{} {}", flag.name, flag.value_name)
            : fmt::format("--{}={}", flag.name, flag.value_name),
        flag.help);
  }
  const auto add_commands = [&](std::string_view title, auto wanted) {
    text += fmt::format("\n{}:\n", title);
    for (const CommandInfo& command : CommandTable()) {
      if (!wanted(command)) continue;
      add(fmt::format("{}{}{}", command.name,
                      command.arguments.empty() ? "" : " ", command.arguments),
          command.help);
    }
  };
  const auto is_view = [](const CommandInfo& command) {
    return command.id <= CommandId::kOp;
  };
  add_commands("Commands that show the profile", is_view);
  add_commands("Other commands", [&](const CommandInfo& command) {
    return !is_view(command) && command.one_shot;
  });
  add_commands("Commands of the shell only",
               [](const CommandInfo& command) { return !command.one_shot; });
  text += "\nOptions, of which help OPTION says more:\n";
  for (const Option& option : OptionTable()) {
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

}  // namespace tfprof

#include "profiler/command_line.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "profiler/words.h"

namespace tfprof {
namespace {

struct InputFlag {
  std::string_view name;
  std::string_view value_name;
  std::string_view help;
  // False: the value makes no sense.
  bool (*set)(std::string_view value, CommandLine& line);
};

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

constexpr InputFlag kInputFlags[] = {
    {"profile_path", "FILE", "A ProfileProto.",
     [](std::string_view value, CommandLine& line) {
       line.inputs.profile_path = value;
       return true;
     }},
    {"graph_path", "FILE", "A GraphDef, binary or text.",
     [](std::string_view value, CommandLine& line) {
       line.inputs.graph_path = value;
       return true;
     }},
    {"run_meta_path", "FILE,…",
     "RunMetadata files, binary or text: steps 0, 1, 2 …, or STEP:FILE.",
     SetRunMeta},
    {"op_log_path", "FILE", "An OpLogProto.",
     [](std::string_view value, CommandLine& line) {
       line.inputs.op_log_path = value;
       return true;
     }},
    {"checkpoint_path", "PREFIX", "A checkpoint, for tensor_value.",
     [](std::string_view value, CommandLine& line) {
       line.inputs.checkpoint_path = value;
       return true;
     }},
    {"base", "FILE,…",
     "Compare with this profile: views show what changed since.", SetBase},
    {"fail-if", "RULE",
     "For check: a rule, as 'op:MatMul.micros > +5%'. May be repeated.",
     [](std::string_view value, CommandLine& line) {
       line.check.rules.emplace_back(value);
       return true;
     }},
    {"rules", "FILE", "For check: a file with a rule a line.",
     [](std::string_view value, CommandLine& line) {
       line.check.rules_file = value;
       return true;
     }},
    {"noise", "PERCENT",
     "For check: changes up to this are noise, whatever the steps say.",
     SetNoise},
    {"f", "FILE", "Run the shell lines of FILE.",
     [](std::string_view value, CommandLine& line) {
       line.script = value;
       return true;
     }},
    {"max_memory", "BYTES",
     "Keep only sums of a profile larger than this (512M, 2G).", SetMaxMemory},
    {"same_step", "renumber|merge|error",
     "What to do with a step that two profiles have on one device.",
     SetSameStep},
    {"threads", "N", "Load on N cores instead of all.", SetThreads},
    {"self_profile", "FILE", "Write a Chrome trace of what tfprof itself did.",
     [](std::string_view value, CommandLine& line) {
       line.self_profile = value;
       return true;
     }},
};

const InputFlag* FindInputFlag(std::string_view name) {
  for (const InputFlag& flag : kInputFlags) {
    if (flag.name == name) return &flag;
  }
  if (name == "fail_if") return FindInputFlag("fail-if");
  return nullptr;
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
      if (word.size() < 2 || word[0] != '-') {
        Plain(word);
        continue;
      }
      const absl::Status status = Flag(word);
      if (!status.ok()) return status;
      if (line_.help || line_.version) return line_;
    }
    const CommandInfo* info = line_.command.info;
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
    const InputFlag* input = FindInputFlag(name);
    const Option* option = FindOption(name);
    if (input == nullptr && option == nullptr) {
      return absl::InvalidArgumentError(
          fmt::format("there is no flag {}; --help lists them", word));
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
      if (input->set(value, line_)) return absl::OkStatus();
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
    return absl::InvalidArgumentError(fmt::format(
        "Couldn't interpret value {} for flag {}.{}", value, name,
        choices.empty()
            ? fmt::format(" It wants {}.", option->value_name)
            : fmt::format(" One of: {}.", fmt::join(choices, ", "))));
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

std::string UsageText() {
  std::string text =
      "usage: tfprof [INPUT…] [COMMAND] [-option value…]\n\n"
      "INPUT is a file or a directory of any kind below, or a flag:\n";
  const auto add = [&](const std::string& left, std::string_view help) {
    text += fmt::format("  {:<38} {}\n", left, help);
  };
  for (const InputFlag& flag : kInputFlags) {
    add(flag.name.size() == 1
            ? fmt::format("-{} {}", flag.name, flag.value_name)
            : fmt::format("--{}={}", flag.name, flag.value_name),
        flag.help);
  }
  text += "\nCOMMAND (without one: a shell that takes the same):\n";
  for (const CommandInfo& command : CommandTable()) {
    add(fmt::format("{}{}{}", command.name,
                    command.arguments.empty() ? "" : " ", command.arguments),
        command.help);
  }
  text += "\nOptions:\n";
  for (const Option& option : OptionTable()) {
    add(fmt::format("-{} {}", option.name, option.value_name), option.help);
  }
  return text;
}

}  // namespace tfprof

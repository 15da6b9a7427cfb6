#include "profiler/options/option_values.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/checkers/registry.h"
#include "compare/rule.h"
#include "fmt/format.h"

namespace tfprof {
namespace {

struct NamedFlopsSource {
  std::string_view name;
  FlopsSource source;
};
constexpr NamedFlopsSource kFlopsSources[] = {
    {"op_log", FlopsSource::kOpLog},
    {"auto", FlopsSource::kAuto},
    {"graph", FlopsSource::kGraph},
    {"off", FlopsSource::kOff},
};

struct NamedOpTime {
  std::string_view name;
  OpTime time;
};
constexpr NamedOpTime kOpTimes[] = {
    {"schedule", OpTime::kSchedule},
    {"gpu", OpTime::kGpu},
    {"all", OpTime::kAll},
};

// Whether times are moved by the estimated offsets of clocks.
struct NamedClocks {
  std::string_view name;
  bool moves;
};
constexpr NamedClocks kClocks[] = {{"estimate", true}, {"recorded", false}};

struct NamedColor {
  std::string_view name;
  ColorMode mode;
};
constexpr NamedColor kColors[] = {
    {"auto", ColorMode::kAuto},
    {"always", ColorMode::kAlways},
    {"never", ColorMode::kNever},
};

struct NamedFrames {
  std::string_view name;
  bool all;
};
constexpr NamedFrames kFrameChoices[] = {
    {"own", false},
    {"all", true},
};

constexpr std::string_view kTrueWords[] = {"true", "t", "yes", "y", "1"};
constexpr std::string_view kFalseWords[] = {"false", "f", "no", "n", "0"};

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) {
    return w.size() == word.size() &&
           strncasecmp(w.data(), word.data(), w.size()) == 0;
  });
}

struct NamedTarget {
  std::string_view name;
  ConvertSpec::Type type;
  std::string_view key;
};
constexpr NamedTarget kTargets[] = {
    {"files", ConvertSpec::Type::kFiles, "outdir"},
    {"messages", ConvertSpec::Type::kMessages, "outdir"},
    {"profile", ConvertSpec::Type::kProfile, "outfile"},
    {"session", ConvertSpec::Type::kSession, "outdir"},
    {"session", ConvertSpec::Type::kSessionZip, "outfile"},
};

constexpr std::string_view kByName = "name";

// A word of -select, or the name of a statistic.
std::optional<Field> FindField(std::string_view word) {
  if (const Statistic* statistic = FindStatistic(word)) return statistic->stat;
  for (const TextField& text : kTextFields) {
    if (text.word == word) return text.field;
  }
  return std::nullopt;
}

}  // namespace

absl::Status BadValue() { return absl::InvalidArgumentError(""); }

bool ParseBool(std::string_view word, bool& value) {
  if (!IsBoolWord(word)) return false;
  value = IsOneOf(word, kTrueWords);
  return true;
}

absl::Status ParseOrder(const OptionText& word, Options& options) {
  if (word == kByName) {
    options.view.order = ViewOptions::Order::kName;
  } else if (const Statistic* statistic = FindStatistic(word)) {
    options.view.order = ViewOptions::Order::kStat;
    options.view.order_stat = statistic->stat;
  } else {
    return BadValue();
  }
  options.order_given = true;
  return absl::OkStatus();
}

std::string FormatOrder(const Options& options) {
  switch (options.view.order) {
    case ViewOptions::Order::kName:
      return std::string(kByName);
    case ViewOptions::Order::kStat:
      return std::string(StatisticOf(options.view.order_stat).word);
    case ViewOptions::Order::kNone:
      break;
  }
  return "";
}

absl::Status ParseSelect(const OptionText& word, Options& options) {
  FieldSet select;
  for (const std::string& name : word.Elements()) {
    const std::optional<Field> field = FindField(name);
    if (!field) return BadValue();
    select.Add(*field);
  }
  options.view.select = select;
  return absl::OkStatus();
}

std::string FormatSelect(const Options& options) {
  std::vector<std::string_view> names;
  for (const Field field : kFieldsByWord) {
    if (options.view.select.Has(field)) names.push_back(FieldWord(field));
  }
  return fmt::format("{}", fmt::join(names, ","));
}

absl::Status ParseFlops(const OptionText& word, Options& options) {
  for (const NamedFlopsSource& s : kFlopsSources) {
    if (s.name != word) continue;
    options.view.flops = s.source;
    return absl::OkStatus();
  }
  return BadValue();
}

std::string FormatFlops(const Options& options) {
  for (const NamedFlopsSource& s : kFlopsSources) {
    if (s.source == options.view.flops) return std::string(s.name);
  }
  return "";
}

absl::Status ParseWhatIfs(const OptionText& text, Options& options) {
  std::vector<WhatIf> parsed;
  for (const std::string& word : text.Elements()) {
    absl::StatusOr<WhatIf> one = ParseWhatIf(word);
    if (!one.ok()) return one.status();
    parsed.push_back(*std::move(one));
  }
  options.what_if = std::move(parsed);
  return absl::OkStatus();
}

std::string FormatWhatIfs(const Options& options) {
  std::vector<std::string> words;
  for (const WhatIf& one : options.what_if) words.push_back(FormatWhatIf(one));
  return fmt::format("{}", fmt::join(words, ","));
}

absl::Status ParseOpTime(const OptionText& word, Options& options) {
  for (const NamedOpTime& named : kOpTimes) {
    if (named.name != word) continue;
    options.timeline.events.op_time = named.time;
    return absl::OkStatus();
  }
  return BadValue();
}

std::string FormatOpTime(const Options& options) {
  for (const NamedOpTime& named : kOpTimes) {
    if (named.time == options.timeline.events.op_time) {
      return std::string(named.name);
    }
  }
  return "";
}

absl::Status ParseClocks(const OptionText& word, Options& options) {
  for (const NamedClocks& clocks : kClocks) {
    if (clocks.name != word) continue;
    options.timeline.moves_clocks = clocks.moves;
    return absl::OkStatus();
  }
  return BadValue();
}

std::string FormatClocks(const Options& options) {
  for (const NamedClocks& clocks : kClocks) {
    if (clocks.moves == options.timeline.moves_clocks) {
      return std::string(clocks.name);
    }
  }
  return "";
}

absl::Status ParseColor(const OptionText& word, Options& options) {
  for (const NamedColor& color : kColors) {
    if (color.name != word) continue;
    options.color = color.mode;
    return absl::OkStatus();
  }
  return BadValue();
}

std::string FormatColor(const Options& options) {
  for (const NamedColor& color : kColors) {
    if (color.mode == options.color) return std::string(color.name);
  }
  return "";
}

absl::Status ParseFrames(const OptionText& word, Options& options) {
  for (const NamedFrames& choice : kFrameChoices) {
    if (choice.name != word) continue;
    options.all_frames = choice.all;
    return absl::OkStatus();
  }
  return BadValue();
}

std::string FormatFrames(const Options& options) {
  return options.all_frames ? "all" : "own";
}

absl::Status ParseTo(const OptionText& text, Options& options) {
  const std::string word = text.Unquoted();
  if (word.empty()) {
    options.convert.type = ConvertSpec::Type::kNone;
    options.convert.path.clear();
    return absl::OkStatus();
  }
  for (const NamedTarget& target : kTargets) {
    const std::string prefix = fmt::format("{}:{}=", target.name, target.key);
    if (word.size() <= prefix.size() ||
        word.compare(0, prefix.size(), prefix) != 0) {
      continue;
    }
    options.convert.type = target.type;
    options.convert.path = word.substr(prefix.size());
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("-to takes profile:outfile=FILE, files:outdir=FOLDER, "
                  "messages:outdir=FOLDER, session:outdir=FOLDER or "
                  "session:outfile=FILE, not '{}'",
                  word));
}

std::string FormatTo(const Options& options) {
  for (const NamedTarget& target : kTargets) {
    if (target.type == options.convert.type) {
      return fmt::format("{}:{}={}", target.name, target.key,
                         options.convert.path);
    }
  }
  return "";
}

absl::Status ParseSteps(const OptionText& text, Options& options) {
  const std::string word = text.Unquoted();
  const auto steps = word.empty() ? StepList() : ParseStepList(word);
  if (!steps) return BadValue();
  options.convert.steps = *steps;
  return absl::OkStatus();
}

absl::Status ParseRule(const OptionText& text, Options& options) {
  std::string word = text.Unquoted();
  if (word.empty()) {
    options.check.rules.clear();
    return absl::OkStatus();
  }
  const absl::StatusOr<CheckRule> rule = ParseCheckRule(word);
  if (!rule.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("--fail-if: {}", std::string(rule.status().message())));
  }
  options.check.rules.push_back(std::move(word));
  return absl::OkStatus();
}

absl::Status ParseNoise(const OptionText& text, Options& options) {
  std::string_view word = text.word();
  if (word.ends_with('%')) word.remove_suffix(1);
  double percent = 0;
  const char* end = word.data() + word.size();
  const auto [at, error] =
      std::from_chars(word.data(), end, percent, std::chars_format::fixed);
  // `!(…)`, because a NaN is refused too.
  if (error != std::errc() || at != end || !(percent >= 0 && percent <= 1000)) {
    return BadValue();
  }
  options.check.noise = percent / 100;
  return absl::OkStatus();
}

std::vector<std::string> OptionChoices(const Option& option) {
  std::vector<std::string> choices;
  const auto add = [&](const auto& table) {
    for (const auto& entry : table) choices.emplace_back(entry.name);
  };
  switch (option.kind) {
    case OptionKind::kOrder:
      choices.emplace_back(kByName);
      for (const Stat stat : kReferenceOrder) {
        choices.emplace_back(StatisticOf(stat).word);
      }
      break;
    case OptionKind::kSelect:
      for (const Field field : kFieldsByPlace) {
        choices.emplace_back(FieldWord(field));
      }
      break;
    case OptionKind::kOutput:
      for (const OutputInfo& output : OutputTable()) {
        choices.emplace_back(output.name);
      }
      break;
    case OptionKind::kFlops:
      add(kFlopsSources);
      break;
    case OptionKind::kColor:
      add(kColors);
      break;
    case OptionKind::kOpTime:
      add(kOpTimes);
      break;
    case OptionKind::kClocks:
      add(kClocks);
      break;
    case OptionKind::kFrames:
      add(kFrameChoices);
      break;
    case OptionKind::kBool:
      return {"true", "false"};
    case OptionKind::kCheckers:
      for (const Checker* checker : Checkers()) {
        choices.emplace_back(checker->name);
      }
      break;
    case OptionKind::kCheckerValues: {
      CheckerValues defaults;
      for (const Checker* checker : Checkers()) {
        for (const CheckerOption& o : checker->options) {
          defaults[checker->name][std::string(o.name)] = o.value;
        }
      }
      return FormatCheckerValues(defaults);
    }
    case OptionKind::kInt32:
    case OptionKind::kInt64:
    case OptionKind::kRegexes:
    case OptionKind::kFolders:
    case OptionKind::kTo:
    case OptionKind::kSteps:
    case OptionKind::kRule:
    case OptionKind::kPath:
    case OptionKind::kWord:
    case OptionKind::kPercent:
    case OptionKind::kPeaks:
    case OptionKind::kWhatIf:
      break;
  }
  return choices;
}

std::string_view ChoiceHelp(const Option& option, std::string_view choice) {
  if (option.kind == OptionKind::kOutput) {
    for (const OutputInfo& output : OutputTable()) {
      if (output.name == choice) return output.help;
    }
  } else if (option.kind == OptionKind::kSelect ||
             option.kind == OptionKind::kOrder) {
    if (choice == kByName) return "Ascending by name.";
    const std::optional<Field> field = FindField(choice);
    if (field) return FieldHelp(*field);
  }
  return "";
}

bool IsList(const Option& option) {
  return option.kind == OptionKind::kSelect ||
         option.kind == OptionKind::kCheckers ||
         option.kind == OptionKind::kCheckerValues;
}

bool TakesList(const Option& option) {
  switch (option.kind) {
    case OptionKind::kRegexes:
    case OptionKind::kFolders:
    case OptionKind::kSteps:
    case OptionKind::kRule:
    case OptionKind::kPeaks:
    case OptionKind::kWhatIf:
      return true;
    default:
      return IsList(option);
  }
}

bool HoldsSigns(const Option& option) {
  return option.kind == OptionKind::kRegexes ||
         option.kind == OptionKind::kRule;
}

bool IsBoolWord(std::string_view word) {
  return IsOneOf(word, kTrueWords) || IsOneOf(word, kFalseWords);
}

}  // namespace tfprof

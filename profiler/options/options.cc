#include "profiler/options/options.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "profiler/options/option_values.h"
#include "profiler/options/words.h"

namespace tfprof {
namespace {

template <typename Int>
absl::Status ParseInt(std::string_view word, Int& value) {
  Int parsed;
  if (!absl::SimpleAtoi(absl::string_view(word.data(), word.size()), &parsed)) {
    return BadValue();
  }
  value = parsed;
  return absl::OkStatus();
}

template <Stat stat>
constexpr Option MinOption() {
  return {StatisticOf(stat).min_option,
          OptionKind::kInt64,
          "N",
          StatisticOf(stat).min_help,
          /*in_dump=*/true,
          [](const OptionText& word, Options& options) {
            return ParseInt(word, options.view.min[stat]);
          },
          [](const Options& options) {
            return fmt::format("{}", options.view.min[stat]);
          }};
}

// One for each statistic.
template <size_t... i>
constexpr auto MinOptions(std::index_sequence<i...>) {
  return std::array{MinOption<kReferenceOrder[i]>()...};
}

template <RegexPatterns ViewOptions::*list>
constexpr Option RegexOption(std::string_view name, std::string_view help,
                             OptionGroup group = kRowOptions,
                             Completes completes = Completes::kRow) {
  return {name,
          OptionKind::kRegexes,
          "REGEX,…",
          help,
          /*in_dump=*/true,
          [](const OptionText& word, Options& options) {
            options.view.*list = word.Elements();
            return absl::OkStatus();
          },
          [](const Options& options) {
            return fmt::format("{}", fmt::join(options.view.*list, ","));
          },
          group,
          completes};
}

template <bool ViewOptions::*flag>
absl::Status ParseBoolOption(const OptionText& word, Options& options) {
  return ParseBool(word, options.view.*flag) ? absl::OkStatus() : BadValue();
}
template <bool ViewOptions::*flag>
std::string FormatBoolOption(const Options& options) {
  return options.view.*flag ? "true" : "false";
}

// A boolean of `timeline`; `flag` gives a reference to it.
template <auto flag>
constexpr Option TimelineBool(std::string_view name, std::string_view help) {
  return {name,
          OptionKind::kBool,
          "BOOL",
          help,
          /*in_dump=*/false,
          [](const OptionText& word, Options& options) {
            return ParseBool(word, flag(options.timeline)) ? absl::OkStatus()
                                                           : BadValue();
          },
          [](const Options& options) {
            TimelineOptions timeline = options.timeline;
            return std::string(flag(timeline) ? "true" : "false");
          },
          kTimelineOptions};
}

// `parsed` for the option `name`, or what is wrong with its value.
template <typename Value>
absl::Status Assign(std::string_view name, absl::StatusOr<Value> parsed,
                    Value& value) {
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("-{}: {}", name, std::string(parsed.status().message())));
  }
  value = *std::move(parsed);
  return absl::OkStatus();
}

constexpr Option kBeforeMins[] = {
    {"max_depth", OptionKind::kInt32, "N",
     "Show rows up to this depth: 1 is the root, 2 its children. In the op "
     "view, show at most N + 1 rows.",
     true,
     [](const OptionText& word, Options& options) {
       options.depth_given = true;
       return ParseInt(word, options.view.max_depth);
     },
     [](const Options& options) {
       return fmt::format("{}", options.view.max_depth);
     }},
};

constexpr Option kAfterMins[] = {
    {"step", OptionKind::kInt64, "N",
     "Show this step. -1 is the average over the steps in which a node ran; "
     "in a trace, over all steps. 'all' is the sum of everything in the file.",
     true,
     [](const OptionText& word, Options& options) {
       if (word.word() != "all") return ParseInt(word, options.view.step);
       options.view.step = kAllSteps;
       return absl::OkStatus();
     },
     [](const Options& options) {
       return options.view.step == kAllSteps
                  ? std::string("all")
                  : fmt::format("{}", options.view.step);
     },
     kStepOption, Completes::kStep},
    {"order_by", OptionKind::kOrder, "ORDER",
     "Sort by name, or descending by a statistic.", true, ParseOrder,
     FormatOrder, kOrderOption},
    RegexOption<&ViewOptions::account_types>(
        "account_type_regexes",
        "Account only nodes with a type (op, device, custom type) that "
        "matches.",
        kTypesOption, Completes::kType),
    RegexOption<&ViewOptions::start_names>(
        "start_name_regexes", "Begin at the rows whose name matches."),
    RegexOption<&ViewOptions::trim_names>(
        "trim_name_regexes",
        "Show nothing below rows whose name matches. In code, hide these rows "
        "too; in op, end the list there."),
    RegexOption<&ViewOptions::show_names>("show_name_regexes",
                                          "Show rows whose name matches."),
    RegexOption<&ViewOptions::hide_names>("hide_name_regexes",
                                          "Hide rows whose name matches."),
    {"account_displayed_op_only", OptionKind::kBool, "BOOL",
     "Totals of shown rows only (not in code).", true,
     ParseBoolOption<&ViewOptions::account_displayed_only>,
     FormatBoolOption<&ViewOptions::account_displayed_only>, kDisplayedOnly},
    {"select", OptionKind::kSelect, "FIELD,…", "The columns of the report.",
     true, ParseSelect, FormatSelect},
    {"output", OptionKind::kOutput, "TYPE[:outfile=FILE]",
     "Where the report goes. `pprof:mode=full,outfile=FILE` writes every view "
     "and several fields.",
     true,
     [](const OptionText& word, Options& options) {
       return ParseOutput(word.Unquoted(), options.output);
     },
     [](const Options& options) { return FormatOutput(options.output); },
     kOutputOptions},
    {"color", OptionKind::kColor, "WHEN",
     "Colour tables; auto is on a terminal, unless NO_COLOR is set or TERM is "
     "dumb.",
     false, ParseColor, FormatColor, kColorOption},
    {"frames", OptionKind::kFrames, "WHICH",
     "In code, for people and agents: `own` makes frames of libraries part of "
     "the line of the program that called them; `all` shows them. Data and the "
     "reference's text always have all.",
     false, ParseFrames, FormatFrames, kFramesOption},
    {"agent", OptionKind::kBool, "BOOL",
     "For a program that reads text: short Markdown instead of a report, and "
     "errors as JSON. TFPROF_AGENT=1 does the same.",
     false,
     [](const OptionText& word, Options& options) {
       return ParseBool(word, options.agent) ? absl::OkStatus() : BadValue();
     },
     [](const Options& options) {
       return std::string(options.agent ? "true" : "false");
     },
     kOutputOptions},
    {"budget", OptionKind::kInt64, "TOKENS",
     "With -agent, the most tokens of an answer, at least 200. The rows with "
     "the largest cost stay; a line says what is left out, and how to get it.",
     false,
     [](const OptionText& word, Options& options) {
       int64_t budget = 0;
       const absl::Status parsed = ParseInt(word, budget);
       if (!parsed.ok() || budget < kLeastBudget) return BadValue();
       options.budget = budget;
       return parsed;
     },
     [](const Options& options) { return fmt::format("{}", options.budget); },
     kBudgetOption},
    {"real_output_index", OptionKind::kBool, "BOOL",
     "In input_shapes, the shape of the output that the graph names instead "
     "of output 0, which the reference shows.",
     false, ParseBoolOption<&ViewOptions::real_output_index>,
     FormatBoolOption<&ViewOptions::real_output_index>},
    {"checkers", OptionKind::kCheckers, "CHECKER,…",
     "In advise, run these checkers, named in full or without the word "
     "Checker. The name of a rule selects this rule alone.",
     false,
     [](const OptionText& word, Options& options) {
       return Assign("checkers", ParseCheckers(word.Elements(), Checkers()),
                     options.advice.checkers);
     },
     [](const Options& options) {
       return fmt::format(
           "{}", fmt::join(FormatCheckers(options.advice.checkers), ","));
     },
     kAdviceOptions},
    {"checker_options", OptionKind::kCheckerValues, "CHECKER.NAME=VALUE,…",
     "In advise and doctor, set options of checkers, such as thresholds; help "
     "advise lists them.",
     false,
     [](const OptionText& word, Options& options) {
       return Assign("checker_options",
                     ParseCheckerValues(word.Elements(), Checkers()),
                     options.advice.values);
     },
     [](const Options& options) {
       return fmt::format(
           "{}", fmt::join(FormatCheckerValues(options.advice.values), ","));
     },
     kThresholdOptions},
    {"flops", OptionKind::kFlops, "SOURCE",
     "The source of float_ops: the op_log (or what a ProfileProto saved of "
     "one), as in the reference; the graph, by formulas over its shapes; auto, "
     "the graph for nodes that the op log has no figure of; off, none. help "
     "flops lists the formulas.",
     false, ParseFlops, FormatFlops, kFlopsOption},
    {"device_peaks", OptionKind::kPeaks, "FLOPS,BYTES",
     "In roofline, the operations and the bytes that a device can do in a "
     "second, as 989e12,3.35e12; without it, those of the file or of data "
     "sheets.",
     false,
     [](const OptionText& word, Options& options) {
       if (word.word().empty()) {
         options.device_peaks.reset();
         return absl::OkStatus();
       }
       const std::optional<DevicePeaks> peaks = ParseDevicePeaks(word);
       if (!peaks) return BadValue();
       options.device_peaks = peaks;
       return absl::OkStatus();
     },
     [](const Options& options) {
       const auto& peaks = options.device_peaks;
       return peaks ? fmt::format("{},{}", peaks->flops_per_second,
                                  peaks->bytes_per_second)
                    : std::string();
     },
     kPeaksOption},
    {"source_path", OptionKind::kFolders, "DIR,…",
     "In list, read source files below these folders too. Without it, only "
     "those below the current folder are read, whatever the profile names.",
     false,
     [](const OptionText& word, Options& options) {
       options.source_paths = word.Elements();
       return absl::OkStatus();
     },
     [](const Options& options) {
       return fmt::format("{}", fmt::join(options.source_paths, ","));
     },
     kSourceOption, Completes::kFile},
    {"to", OptionKind::kTo, "TYPE:KEY=PATH",
     "What convert writes: profile:outfile=FILE (one ProfileProto), or "
     "files:outdir=FOLDER (graph.pb, op_log.pb, run_meta_STEP.pb), or "
     "messages:outdir=FOLDER (each RunMetadata of a pickle of tfvis or "
     "tftracer, as it is there), or session:outdir=FOLDER and "
     "session:outfile=FILE.zip (a session of RunMetadata, of such pickles, or "
     "of another session).",
     false, ParseTo, FormatTo, kConvertOptions, Completes::kOutputFile},
    {"steps", OptionKind::kSteps, "N,N-M,…",
     "The steps that convert takes; all without it.", false, ParseSteps,
     [](const Options& options) {
       return FormatStepList(options.convert.steps);
     },
     kConvertOptions},
    {"fail-if", OptionKind::kRule, "RULE",
     "For check: a rule, as 'op:MatMul.micros > +5%'. May be repeated.", false,
     ParseRule,
     [](const Options& options) {
       return fmt::format("{}", fmt::join(options.check.rules, "; "));
     },
     kCheckOptions},
    {"rules", OptionKind::kPath, "FILE",
     "For check: a file with a rule a line.", false,
     [](const OptionText& word, Options& options) {
       options.check.rules_file = word.Unquoted();
       return absl::OkStatus();
     },
     [](const Options& options) { return options.check.rules_file; },
     kCheckOptions, Completes::kFile},
    {"force", OptionKind::kBool, "BOOL",
     "For save: replace a file that exists.", false,
     [](const OptionText& word, Options& options) {
       return ParseBool(word, options.force) ? absl::OkStatus() : BadValue();
     },
     [](const Options& options) {
       return std::string(options.force ? "true" : "false");
     },
     kSaveOptions},
    TimelineBool<[](TimelineOptions& o) -> bool& { return o.compatible; }>(
        "compatible",
        "For timeline: the events, lanes, arrows and counters that "
        "TensorFlow's class Timeline writes for this step, byte for byte."),
    TimelineBool<[](TimelineOptions& o) -> bool& { return o.charts; }>(
        "charts",
        "For timeline: the charts that tfvis and tensorflow-tracer draw of "
        "this step, as JSON."),
    TimelineBool<[](TimelineOptions& o) -> bool& {
      return o.events.show_dataflow;
    }>("show_dataflow",
       "For timeline: arrows from the operation that made a tensor to those "
       "that read it, and from launches to kernels."),
    TimelineBool<[](TimelineOptions& o) -> bool& {
      return o.events.show_memory;
    }>("show_memory",
       "For timeline: counters of what the allocators of each device had in "
       "use, and of what operations allocated; with -compatible, outputs as "
       "objects, and counters of the memory of each allocator."),
    {"op_time", OptionKind::kOpTime, "TIME",
     "For timeline -compatible: an operation that started kernels has its "
     "recorded time (schedule), ends with its last kernel (all), or is as long "
     "as its kernels (gpu).",
     false, ParseOpTime, FormatOpTime, kTimelineOptions},
    {"clock_offsets", OptionKind::kClocks, "CLOCKS",
     "For timeline: times of processes whose clocks cannot agree are moved by "
     "offsets that are estimated from collectives, transfers and launches "
     "(estimate), or stay as they are in the file (recorded).",
     false, ParseClocks, FormatClocks, kTimelineOptions},
    {"communication_regexes", OptionKind::kRegexes, "REGEX,…",
     "Operations whose type matches, and kernels whose name does, are "
     "communication, besides those that are known as such.",
     false,
     [](const OptionText& word, Options& options) {
       options.communication = word.Elements();
       return absl::OkStatus();
     },
     [](const Options& options) {
       return fmt::format("{}", fmt::join(options.communication, ","));
     },
     kCommunicationOption, Completes::kType},
    {"what_if", OptionKind::kWhatIf, "REGEX=Nx,…",
     "For critical_path: what the step would take if the operations whose type "
     "or name matches were N times faster, as 'MatMul=2x'.",
     false, ParseWhatIfs, FormatWhatIfs, kWhatIfOption, Completes::kType},
    {"listen", OptionKind::kWord, "ADDRESS",
     "For serve: the address, in numbers, on which it listens. With another "
     "one "
     "than 127.0.0.1 other machines reach it. Without -tls_certificate others "
     "can read on the way what is sent: use TLS, or a tunnel of ssh.",
     false,
     [](const OptionText& word, Options& options) {
       if (word.word().empty()) return BadValue();
       options.serve.address = word.word();
       return absl::OkStatus();
     },
     [](const Options& options) { return options.serve.address; },
     kServeOptions},
    {"port", OptionKind::kInt32, "N",
     "For serve: the port. Without it 8008, or a free one if that is taken.",
     false,
     [](const OptionText& word, Options& options) {
       int32_t port = 0;
       const absl::Status parsed = ParseInt(word, port);
       if (!parsed.ok() || port < 0 || port > 65535) return BadValue();
       options.serve.port = port;
       return parsed;
     },
     [](const Options& options) {
       return fmt::format("{}", options.serve.port);
     },
     kServeOptions},
    {"read_only", OptionKind::kBool, "BOOL",
     "For serve: a page can ask, and change nothing: it cannot end the server "
     "or load a profile again.",
     false,
     [](const OptionText& word, Options& options) {
       return ParseBool(word, options.serve.read_only) ? absl::OkStatus()
                                                       : BadValue();
     },
     [](const Options& options) {
       return std::string(options.serve.read_only ? "true" : "false");
     },
     kServeOptions},
    {"session", OptionKind::kPath, "DIR",
     "For serve: the folder for the traces of programs that run and register "
     "with this server. It is made, or was made by an earlier server.",
     false,
     [](const OptionText& word, Options& options) {
       options.serve.session = word.Unquoted();
       return absl::OkStatus();
     },
     [](const Options& options) { return options.serve.session; },
     kServeOptions},
    {"token_file", OptionKind::kPath, "FILE",
     "For serve: the token is the word in this file, at least 32 characters, "
     "instead of a new one. Programs on other machines need it.",
     false,
     [](const OptionText& word, Options& options) {
       options.serve.token_file = word.Unquoted();
       return absl::OkStatus();
     },
     [](const Options& options) { return options.serve.token_file; },
     kServeOptions},
    {"tls_certificate", OptionKind::kPath, "FILE",
     "For serve: use TLS with this certificate (PEM or DER, with its chain). "
     "Needs -tls_key.",
     false,
     [](const OptionText& word, Options& options) {
       options.serve.tls_certificate = word.Unquoted();
       return absl::OkStatus();
     },
     [](const Options& options) { return options.serve.tls_certificate; },
     kServeOptions},
    {"tls_key", OptionKind::kPath, "FILE",
     "For serve: the private key of -tls_certificate, without a password.",
     false,
     [](const OptionText& word, Options& options) {
       options.serve.tls_key = word.Unquoted();
       return absl::OkStatus();
     },
     [](const Options& options) { return options.serve.tls_key; },
     kServeOptions},
    {"keep_traces", OptionKind::kInt32, "N",
     "For serve -session: how many traces of a run are kept, without the "
     "pinned ones; the oldest is deleted.",
     false,
     [](const OptionText& word, Options& options) {
       int32_t count = 0;
       const absl::Status parsed = ParseInt(word, count);
       if (!parsed.ok() || count < 1) return BadValue();
       options.serve.keep_traces = count;
       return parsed;
     },
     [](const Options& options) {
       return fmt::format("{}", options.serve.keep_traces);
     },
     kServeOptions},
    {"session_bytes", OptionKind::kWord, "BYTES",
     "For serve -session: how large all traces together may be (512M, 2G); the "
     "oldest that are not pinned are deleted.",
     false,
     [](const OptionText& word, Options& options) {
       size_t bytes = 0;
       if (!ParseByteCount(word.word(), bytes) || bytes == 0 ||
           bytes > SIZE_MAX / 4) {
         return BadValue();
       }
       options.serve.session_bytes = word.word();
       return absl::OkStatus();
     },
     [](const Options& options) { return options.serve.session_bytes; },
     kServeOptions},
    {"o", OptionKind::kPath, "FOLDER",
     "For record: where the trace is put. It must not exist, or be empty. "
     "Without it: tfprof- and the time.",
     false,
     [](const OptionText& word, Options& options) {
       options.record.folder = word.Unquoted();
       return absl::OkStatus();
     },
     [](const Options& options) { return options.record.folder; },
     kRecordOptions, Completes::kOutputFile},
    {"max_mib", OptionKind::kInt64, "N",
     "For record: the most that a process may write, in MiB. What comes later "
     "is dropped and counted.",
     false,
     [](const OptionText& word, Options& options) {
       int64_t mib = 0;
       const absl::Status parsed = ParseInt(word, mib);
       if (!parsed.ok() || mib < 1 || mib > 1 << 30) return BadValue();
       options.record.max_mib = mib;
       return parsed;
     },
     [](const Options& options) {
       return fmt::format("{}", options.record.max_mib);
     },
     kRecordOptions},
    {"lttng", OptionKind::kBool, "BOOL",
     "For record: events go into the sessions of LTTng that run, as "
     "tracepoints tfprof:*, and not into a folder.",
     false,
     [](const OptionText& word, Options& options) {
       return ParseBool(word, options.record.lttng) ? absl::OkStatus()
                                                    : BadValue();
     },
     [](const Options& options) {
       return std::string(options.record.lttng ? "true" : "false");
     },
     kRecordOptions},
    {"noise", OptionKind::kPercent, "PERCENT",
     "For check: changes up to this are noise, whatever the steps say.", false,
     ParseNoise,
     [](const Options& options) {
       return fmt::format("{}", 100 * options.check.noise);
     },
     kCheckOptions},
};

// In the order of the reference's dump.
constexpr auto kOptions = [] {
  constexpr auto kMins = MinOptions(std::make_index_sequence<kNumStats>());
  std::array<Option,
             std::size(kBeforeMins) + kMins.size() + std::size(kAfterMins)>
      options = {};
  auto* end = std::copy(std::begin(kBeforeMins), std::end(kBeforeMins),
                        options.begin());
  end = std::copy(kMins.begin(), kMins.end(), end);
  std::copy(std::begin(kAfterMins), std::end(kAfterMins), end);
  return options;
}();

}  // namespace

OptionText::OptionText(std::vector<std::string> values)
    : word_(fmt::format("{}", fmt::join(values, ","))),
      values_(std::move(values)) {}

std::string OptionText::Unquoted() const {
  return values_ ? word_ : Unquote(word_);
}

std::vector<std::string> OptionText::Elements() const {
  return values_ ? *values_ : SplitList(word_);
}

std::span<const Option> OptionTable() { return kOptions; }

absl::Status InvalidOption(std::string_view word, std::string_view value) {
  return absl::InvalidArgumentError(
      fmt::format("Invalid option '{}' value: '{}'", word, value));
}

absl::Status ParseOption(const Option& option, const OptionText& value,
                         Options& options) {
  absl::Status status = option.parse(value, options);
  if (status.ok() || !status.message().empty()) return status;
  return InvalidOption(fmt::format("-{}", option.name), value.word());
}

absl::Status SetOption(const Option& option, std::vector<std::string> values,
                       Options& options) {
  if (option.kind == OptionKind::kRule) {
    // Each one is added; the list is all of them.
    absl::Status status = ParseOption(option, "", options);
    for (std::string& value : values) {
      if (status.ok()) {
        status = ParseOption(option, OptionText({std::move(value)}), options);
      }
    }
    return status;
  }
  if (values.size() != 1 && !TakesList(option)) {
    return absl::InvalidArgumentError(fmt::format(
        "-{} takes one value, found {}", option.name, values.size()));
  }
  return ParseOption(option, OptionText(std::move(values)), options);
}

const Option* FindOption(std::string_view name) {
  for (const Option& option : kOptions) {
    if (option.name == name) return &option;
  }
  return name == "fail_if" ? FindOption("fail-if") : nullptr;
}

std::string FormatOptions(const Options& options) {
  std::string dump;
  for (const Option& option : kOptions) {
    if (!option.in_dump) continue;
    dump += fmt::format("-{:<27}{}\n", option.name, option.format(options));
  }
  return dump;
}

std::string OptionsMarkdown() {
  std::string page =
      "# Options\n\n"
      "Made from the option table (`profiler/options/options.cc`) by `tfprof "
      "help "
      "options.md`.\nEach is a flag (`--order_by=micros`) and a word of a "
      "shell line\n(`-order_by micros`).\n\n"
      "| option | value | default | meaning |\n|---|---|---|---|\n";
  const Options defaults;
  for (const Option& option : kOptions) {
    const std::vector<std::string> choices = OptionChoices(option);
    // Checkers have a page of their own.
    const bool listed = !choices.empty() && option.kind != OptionKind::kBool &&
                        option.kind != OptionKind::kCheckers &&
                        option.kind != OptionKind::kCheckerValues;
    page += fmt::format(
        "| `{}` | `{}` | `{}` | {}{} |\n", option.name, option.value_name,
        option.format(defaults), option.help,
        listed ? fmt::format(" One of: `{}`.", fmt::join(choices, "`, `"))
               : "");
  }
  page +=
      "\n## Statistics\n\n"
      "Made from the table of statistics (`accounting/statistics.h`). "
      "`-select` and\n`-order_by` take the word or the name; data and rules of "
      "`check` have the name.\n\n"
      "| word | name | unit | meaning |\n|---|---|---|---|\n";
  for (const Statistic& s : kStatistics) {
    page += fmt::format("| `{}` | `{}` | {} | {} {} |\n", s.word, s.name,
                        UnitName(s.unit), s.help, SummingText(s.summing));
  }
  return page;
}

}  // namespace tfprof

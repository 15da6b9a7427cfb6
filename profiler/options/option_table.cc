#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/status/statusor.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "profiler/options/option_rows.h"
#include "profiler/options/option_values.h"
#include "profiler/options/options.h"
#include "profiler/options/other_words.h"
#include "profiler/options/words.h"

namespace tfprof::options {
namespace {

// A row of the reference's dump.
constexpr Option Dumped(Option row) {
  row.in_dump = true;
  return row;
}

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// Assigns `parsed`, or returns an error that names the option.
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

constexpr Named<ColorMode> kColors[] = {
    {"auto", ColorMode::kAuto},
    {"always", ColorMode::kAlways},
    {"never", ColorMode::kNever},
};
// Whether -frames shows all.
constexpr Named<bool> kFrames[] = {{"own", false}, {"all", true}};
constexpr Named<flops::FlopsSource> kFlopsSources[] = {
    {"op_log", flops::FlopsSource::kOpLog},
    {"auto", flops::FlopsSource::kAuto},
    {"graph", flops::FlopsSource::kGraph},
    {"off", flops::FlopsSource::kOff},
};
constexpr Named<exporters::OpTime> kOpTimes[] = {
    {"schedule", exporters::OpTime::kSchedule},
    {"gpu", exporters::OpTime::kGpu},
    {"all", exporters::OpTime::kAll},
};
constexpr Named<MemoryOptions::Part> kMemoryParts[] = {
    {"levels", MemoryOptions::Part::kLevels},
    {"map", MemoryOptions::Part::kMap},
    {"blocks", MemoryOptions::Part::kBlocks},
};
// Whether times are moved by the estimated offsets of clocks.
constexpr Named<bool> kClocks[] = {{"estimate", true}, {"recorded", false}};

constexpr Option kBeforeMins[] = {
    {.name = "max_depth",
     .kind = OptionKind::kInt32,
     .value_name = "N",
     .help = "Show rows up to this depth: 1 is the root, 2 its children. In "
             "the op view, show at most N + 1 rows.",
     .in_dump = true,
     .parse =
         [](const OptionText& word, Options& options) {
           int32_t depth = 0;
           absl::Status parsed = ParseInt(word, depth);
           if (parsed.ok()) options.max_depth = depth;
           return parsed;
         },
     .format =
         [](const Options& options) {
           return fmt::format("{}", options.Rows().max_depth);
         }},
};

// One for each statistic.
template <accounting::Stat stat>
constexpr Option MinOption() {
  return {.name = accounting::StatisticOf(stat).min_option,
          .kind = OptionKind::kInt64,
          .value_name = "N",
          .help = accounting::StatisticOf(stat).min_help,
          .in_dump = true,
          .parse =
              [](const OptionText& word, Options& options) {
                int64_t& least = options.view.min[stat];
                return ParseAmount(word.word(),
                                   accounting::StatisticOf(stat).unit, least)
                           ? absl::OkStatus()
                           : BadValue();
              },
          .format =
              [](const Options& options) {
                return fmt::format("{}", options.view.min[stat]);
              }};
}
template <size_t... i>
constexpr auto MinOptions(std::index_sequence<i...>) {
  return std::array{MinOption<accounting::kReferenceOrder[i]>()...};
}

constexpr Option kAfterMins[] = {
    {.name = "step",
     .kind = OptionKind::kInt64,
     .value_name = "N",
     .help = "Show this step. Words for steps are first, last and slowest. -1 "
             "is the average over the steps in which a node ran; in a trace, "
             "over all steps. 'all' is the sum of everything in the file.",
     .group = kStepOption,
     .in_dump = true,
     .parse = ParseStep,
     .format = FormatStep,
     .completes = Completes::kStep},
    {.name = "order_by",
     .kind = OptionKind::kChoice,
     .value_name = "ORDER",
     .help = "Sort by name, or descending by a statistic.",
     .group = kOrderOption,
     .in_dump = true,
     .parse = ParseOrder,
     .format = FormatOrder,
     .choices = OrderChoices,
     .choice_help = FieldChoiceHelp},
    Dumped(Regexes<&Options::view, &views::ViewOptions::account_types>(
        "account_type_regexes", kTypesOption,
        "Account only nodes with a type (op, device, custom type) that "
        "matches.",
        Completes::kType)),
    Dumped(Regexes<&Options::view, &views::ViewOptions::start_names>(
        "start_name_regexes", kRowOptions,
        "Begin at the rows whose name matches.", Completes::kRow)),
    Dumped(Regexes<&Options::view, &views::ViewOptions::trim_names>(
        "trim_name_regexes", kRowOptions,
        "Show nothing below rows whose name matches. In code, hide these rows "
        "too; in op, end the list there.",
        Completes::kRow)),
    Dumped(Regexes<&Options::view, &views::ViewOptions::show_names>(
        "show_name_regexes", kNameOptions, "Show rows whose name matches.",
        Completes::kRow)),
    Dumped(Regexes<&Options::view, &views::ViewOptions::hide_names>(
        "hide_name_regexes", kNameOptions, "Hide rows whose name matches.",
        Completes::kRow)),
    Dumped(Flag<&Options::view, &views::ViewOptions::account_displayed_only>(
        "account_displayed_op_only", kDisplayedOnly,
        "Totals of shown rows only (not in code).")),
    {.name = "select",
     .kind = OptionKind::kChoices,
     .value_name = "FIELD,…",
     .help = "The columns of the report.",
     .in_dump = true,
     .parse = ParseSelect,
     .format = FormatSelect,
     .choices = SelectChoices,
     .choice_help = FieldChoiceHelp},
    {.name = "output",
     .kind = OptionKind::kChoice,
     .value_name = "TYPE[:outfile=FILE]",
     .help = "Where the report goes. `pprof:mode=full,outfile=FILE` writes "
             "every view and several fields.",
     .group = kOutputOptions,
     .in_dump = true,
     .parse =
         [](const OptionText& word, Options& options) {
           return ParseOutput(word.Unquoted(), options.output);
         },
     .format =
         [](const Options& options) { return FormatOutput(options.output); },
     .choices = OutputChoices,
     .choice_help = OutputChoiceHelp,
     .completes = Completes::kOutput,
     .explains_errors = true},
    Choice<kColors, &Options::color>(
        "color", "WHEN", kColorOption,
        "Colour tables; auto colours them on a terminal, unless NO_COLOR is "
        "set or TERM is dumb."),
    Choice<kFrames, &Options::all_frames>(
        "frames", "WHICH", kFramesOption,
        "In code, for people and agents: `own` makes frames of libraries part "
        "of the line of the program that called them; `all` shows them. Data "
        "and the reference's text always have all."),
    Flag<&Options::agent>(
        "agent", kOutputOptions,
        "For a program that reads text: short Markdown instead of a report, "
        "and errors as JSON. TFPROF_AGENT=1 does the same."),
    Number<kLeastBudget, kMost, &Options::budget>(
        "budget", "TOKENS", kBudgetOption,
        "With -agent, the most tokens of an answer, at least 200. The rows "
        "with the largest cost stay; a line says what is left out, and how to "
        "get it."),
    Flag<&Options::compatible>(
        "compatible", kFormOptions,
        "What TensorFlow's tfprof writes, byte for byte: its order and limits "
        "of rows, and its messages. For timeline: the events, lanes, arrows "
        "and counters that TensorFlow's class Timeline writes for this step."),
    {.name = "limit",
     .kind = OptionKind::kInt64,
     .value_name = "N",
     .help = "Show at most N rows of each table. A number after a command "
             "means the same: op 5.",
     .group = kFormOptions,
     .parse =
         [](const OptionText& word, Options& options) {
           if (word.word().empty()) {
             options.limit.reset();
             return absl::OkStatus();
           }
           int64_t rows = 0;
           const absl::Status parsed = ParseInt(word, rows);
           if (!parsed.ok() || rows < 1) return BadValue();
           options.limit = rows;
           return absl::OkStatus();
         },
     .format =
         [](const Options& options) {
           return options.limit ? fmt::format("{}", *options.limit)
                                : std::string();
         }},
    Flag<&Options::view, &views::ViewOptions::real_output_index>(
        "real_output_index", kRowOptions,
        "In input_shapes, the shape of the output that the graph names instead "
        "of output 0, which the reference shows."),
    {.name = "checkers",
     .kind = OptionKind::kChoices,
     .value_name = "CHECKER,…",
     .help = "In advise, run these checkers, named in full or without the word "
             "Checker. The name of a rule selects this rule alone.",
     .group = kAdviceOptions,
     .parse =
         [](const OptionText& word, Options& options) {
           return Assign(
               "checkers",
               advisor::ParseCheckers(word.Elements(), advisor::Checkers()),
               options.advice.checkers);
         },
     .format =
         [](const Options& options) {
           return fmt::format(
               "{}", fmt::join(advisor::FormatCheckers(options.advice.checkers),
                               ","));
         },
     .choices = CheckerChoices,
     .explains_errors = true},
    {.name = "checker_options",
     .kind = OptionKind::kChoices,
     .value_name = "CHECKER.NAME=VALUE,…",
     .help = "In advise and doctor, set options of checkers, such as "
             "thresholds; help advise lists them.",
     .group = kThresholdOptions,
     .parse =
         [](const OptionText& word, Options& options) {
           return Assign("checker_options",
                         advisor::ParseCheckerValues(word.Elements(),
                                                     advisor::Checkers()),
                         options.advice.values);
         },
     .format =
         [](const Options& options) {
           return fmt::format(
               "{}",
               fmt::join(advisor::FormatCheckerValues(options.advice.values),
                         ","));
         },
     .choices = CheckerValueChoices,
     .explains_errors = true},
    Choice<kFlopsSources, &Options::view, &views::ViewOptions::flops>(
        "flops", "SOURCE", kFlopsOption,
        "The source of float_ops: the op_log (or what a ProfileProto saved of "
        "one), as in the reference; the graph, by formulas over its shapes; "
        "auto, the op log, or the graph for nodes without a figure there; off, "
        "none. help flops lists the formulas."),
    {.name = "device_peaks",
     .kind = OptionKind::kList,
     .value_name = "FLOPS,BYTES",
     .help = "In roofline, the operations and the bytes that a device can do "
             "in a second, as 989e12,3.35e12; without it, those of the file or "
             "of data sheets.",
     .group = kPeaksOption,
     .parse =
         [](const OptionText& word, Options& options) {
           if (word.word().empty()) {
             options.device_peaks.reset();
             return absl::OkStatus();
           }
           const std::optional<flops::DevicePeaks> peaks =
               flops::ParseDevicePeaks(word);
           if (!peaks) return BadValue();
           options.device_peaks = peaks;
           return absl::OkStatus();
         },
     .format =
         [](const Options& options) {
           const auto& peaks = options.device_peaks;
           return peaks ? fmt::format("{},{}", peaks->flops_per_second,
                                      peaks->bytes_per_second)
                        : std::string();
         }},
    List<&Options::source_paths>(
        "source_path", "DIR,…", kSourceOption,
        "In list, read source files below these folders too. Without it, only "
        "those below the current folder are read, whatever the profile names; "
        "mcp, pipe and serve read only those that are named here.",
        Completes::kFile),
    {.name = "to",
     .value_name = "TYPE:KEY=PATH",
     .help = "What convert writes: profile:outfile=FILE (one ProfileProto), or "
             "files:outdir=FOLDER (graph.pb, op_log.pb, run_meta_STEP.pb), or "
             "messages:outdir=FOLDER (each RunMetadata of a pickle of tfvis or "
             "tftracer, as it is there), or session:outdir=FOLDER and "
             "session:outfile=FILE.zip (a session of RunMetadata, of such "
             "pickles, or of another session).",
     .group = kConvertOptions,
     .parse = ParseTo,
     .format = FormatTo,
     .completes = Completes::kOutputFile},
    {.name = "steps",
     .kind = OptionKind::kList,
     .value_name = "N,N-M,…",
     .help = "The steps that convert takes; all without it.",
     .group = kConvertOptions,
     .parse = ParseSteps,
     .format =
         [](const Options& options) {
           return profile::FormatStepList(options.convert.steps);
         }},
    {.name = "fail-if",
     .kind = OptionKind::kList,
     .value_name = "RULE",
     .help = "For check: a rule, as 'op:MatMul.micros > +5%'. May be repeated.",
     .group = kCheckOptions,
     .parse = ParseRule,
     .format =
         [](const Options& options) {
           return fmt::format("{}", fmt::join(options.check.rules, "; "));
         },
     .holds_signs = true,
     .explains_errors = true},
    Path<&Options::check, &CheckOptions::rules_file>(
        "rules", "FILE", kCheckOptions, "For check: a file with a rule a line.",
        Completes::kFile),
    Flag<&Options::force>("force", kSaveOptions,
                          "For save and redact: replace a file that exists."),
    Flag<&Options::keep_environment>(
        "keep_environment", kShareOptions,
        "In files and pages for others (save, convert, timeline, serve, pprof "
        "of code), keep the homes of users in paths, which are ~ without it, "
        "and the names of hosts."),
    Flag<&Options::names>(
        "names", kRedactOptions,
        "For redact: replace the names that the author of the program chose, "
        "too: ranges, modules, functions of Python and their files. For traces "
        "of Kineto."),
    Flag<&Options::timeline, &TimelineOptions::charts>(
        "charts", kTimelineOptions,
        "For timeline: the charts that tfvis and tensorflow-tracer draw of "
        "this step, as JSON."),
    Flag<&Options::timeline, &TimelineOptions::events,
         &exporters::ClientTimelineOptions::show_dataflow>(
        "show_dataflow", kTimelineOptions,
        "For timeline: arrows from the operation that made a tensor to those "
        "that read it, and from launches to kernels."),
    Flag<&Options::timeline, &TimelineOptions::events,
         &exporters::ClientTimelineOptions::show_memory>(
        "show_memory", kTimelineOptions,
        "For timeline: counters of what the allocators of each device had in "
        "use, and of what operations allocated; with -compatible, outputs as "
        "objects, and counters of the memory of each allocator."),
    Choice<kOpTimes, &Options::timeline, &TimelineOptions::events,
           &exporters::ClientTimelineOptions::op_time>(
        "op_time", "TIME", kTimelineOptions,
        "For timeline -compatible: an operation that started kernels has its "
        "recorded time (schedule), ends with its last kernel (all), or is as "
        "long as its kernels (gpu)."),
    Choice<kClocks, &Options::timeline, &TimelineOptions::moves_clocks>(
        "clock_offsets", "CLOCKS", kTimelineOptions,
        "For timeline: times of processes whose clocks cannot agree are moved "
        "by offsets that are estimated from collectives, transfers and "
        "launches (estimate), or stay as they are in the file (recorded)."),
    Choice<kMemoryParts, &Options::memory, &MemoryOptions::part>(
        "part", "PART", kMemoryOptions,
        "For memory: the levels and the owners at the peak (levels), the "
        "owners over time (map), or the segments of a memory snapshot with "
        "their blocks (blocks)."),
    {.name = "window",
     .value_name = "FROM:TO",
     .help = "For memory -part map: the events, as 100:2000, or the time since "
             "the first event, as 1.5ms:2s. Without it, all events.",
     .group = kMemoryOptions,
     .parse =
         [](const OptionText& word, Options& options) {
           inspect::MapWindow window;
           const std::string text = word.Unquoted();
           if (!text.empty()) {
             absl::StatusOr<inspect::MapWindow> parsed =
                 inspect::ParseMapWindow(text);
             if (!parsed.ok()) return BadValue();
             window = *parsed;
           }
           options.memory.map.window = window;
           options.memory.window = text;
           return absl::OkStatus();
         },
     .format = [](const Options& options) { return options.memory.window; }},
    Number<1, 10000, &Options::memory, &MemoryOptions::map,
           &inspect::MapRequest::columns>(
        "points", "N", kMemoryOptions,
        "For memory -part map: at most so many points of time. A point is the "
        "moment with the most allocated memory in its part of the window."),
    Number<0, 10000, &Options::memory, &MemoryOptions::map,
           &inspect::MapRequest::owners>(
        "owners", "N", kMemoryOptions,
        "For memory -part map: the number of owners, the largest in the "
        "window. The rest is one sum."),
    Regexes<&Options::communication>(
        "communication_regexes", kCommunicationOption,
        "Operations whose type matches, and kernels whose name does, are "
        "communication, besides those that are known as such.",
        Completes::kType),
    {.name = "what_if",
     .kind = OptionKind::kList,
     .value_name = "REGEX=Nx,…",
     .help = "For critical_path: what the step would take if the operations "
             "whose type or name matches were N times faster, as 'MatMul=2x'.",
     .group = kWhatIfOption,
     .parse = ParseWhatIfs,
     .format = FormatWhatIfs,
     .completes = Completes::kType},
    {.name = "listen",
     .value_name = "ADDRESS",
     .help = "For serve: the address, in numbers, on which it listens. With an "
             "address other than 127.0.0.1, other machines can reach it. "
             "Without -tls_certificate, others on the network can read the "
             "traffic: use TLS, or a tunnel of ssh.",
     .group = kServeOptions,
     .parse =
         [](const OptionText& word, Options& options) {
           if (word.word().empty()) return BadValue();
           options.serve.address = word.word();
           return absl::OkStatus();
         },
     .format = [](const Options& options) { return options.serve.address; }},
    Number<0, 65535, &Options::serve, &ServeOptions::port>(
        "port", "N", kServeOptions,
        "For serve: the port. Without it 8008, or a free one if that is "
        "taken."),
    Flag<&Options::serve, &ServeOptions::read_only>(
        "read_only", kServeOptions,
        "For serve: pages can ask questions, but change nothing: they cannot "
        "end the server or load a profile again."),
    Path<&Options::serve, &ServeOptions::session>(
        "session", "DIR", kServeOptions,
        "For serve: the folder for the traces of programs that run and "
        "register with this server. It is made, or was made by an earlier "
        "server."),
    Path<&Options::serve, &ServeOptions::token_file>(
        "token_file", "FILE", kServeOptions,
        "For serve: the token is the word in this file, at least 32 "
        "characters, instead of a new one. Programs on other machines need "
        "it."),
    Path<&Options::serve, &ServeOptions::tls_certificate>(
        "tls_certificate", "FILE", kServeOptions,
        "For serve: use TLS with this certificate (PEM or DER, with its "
        "chain). Needs -tls_key."),
    Path<&Options::serve, &ServeOptions::tls_key>(
        "tls_key", "FILE", kServeOptions,
        "For serve: the private key of -tls_certificate, without a password."),
    Number<1, kMost, &Options::serve, &ServeOptions::keep_traces>(
        "keep_traces", "N", kServeOptions,
        "For serve -session: how many traces of a run are kept, without the "
        "pinned ones; the oldest is deleted."),
    {.name = "session_bytes",
     .value_name = "BYTES",
     .help =
         "For serve -session: how large all traces and their graphs may "
         "be together (512M, 2G); the oldest that are not pinned are deleted.",
     .group = kServeOptions,
     .parse =
         [](const OptionText& word, Options& options) {
           size_t bytes = 0;
           if (!ParseByteCount(word.word(), bytes) || bytes == 0 ||
               bytes > SIZE_MAX / 4) {
             return BadValue();
           }
           options.serve.session_bytes = word.word();
           return absl::OkStatus();
         },
     .format =
         [](const Options& options) { return options.serve.session_bytes; }},
    Path<&Options::record, &RecordOptions::folder>(
        "o", "PATH", kRecordOptions,
        "For record: the folder of the trace. It must not exist, or be empty. "
        "Without it: tfprof- and the time. For other commands: the file of the "
        "answer, as -output with the type that its name ends in (json, csv, "
        "md, html …).",
        Completes::kOutputFile),
    Number<1, 1 << 30, &Options::record, &RecordOptions::max_mib>(
        "max_mib", "N", kRecordOptions,
        "For record: the most that a process may write, in MiB. What comes "
        "later is dropped and counted."),
    Flag<&Options::record, &RecordOptions::lttng>(
        "lttng", kRecordOptions,
        "For record: events go into the sessions of LTTng that run, as "
        "tracepoints tfprof:*, and not into a folder."),
    {.name = "noise",
     .value_name = "PERCENT",
     .help = "For check: changes up to this are noise, whatever the steps say.",
     .group = kCheckOptions,
     .parse = ParseNoise,
     .format =
         [](const Options& options) {
           return fmt::format("{}", 100 * options.check.noise);
         }},
};

// The order is that of the reference's dump.
constexpr auto kOptions = [] {
  constexpr auto kMins =
      MinOptions(std::make_index_sequence<accounting::kNumStats>());
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

std::span<const Option> OptionTable() { return kOptions; }

}  // namespace tfprof::options

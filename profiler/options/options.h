// Options: the one table of them, and the values that a command runs with.
//
// A flag (`--order_by=micros`), a word of a shell line (`-order_by micros`), a
// `set`, the dump on an empty line, `help`, completion and g3doc/options.md
// are all made from OptionTable(). There is no other list of option names.
//
// Errors of values are InvalidArgument. ParseOption() gives them the messages
// of the reference.

#ifndef TFPROF_PROFILER_OPTIONS_OPTIONS_H_
#define TFPROF_PROFILER_OPTIONS_OPTIONS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "advisor/choice.h"
#include "exporters/reference/client_timeline.h"
#include "flops/device_peaks.h"
#include "inspect/devices/allocator_map.h"
#include "inspect/steps/critical_path.h"
#include "profile/steps/step_list.h"
#include "profiler/options/outputs.h"
#include "views/options.h"

namespace tfprof::options {

// Whether tables are coloured; kAuto: on a terminal that can.
enum class ColorMode { kAuto, kAlways, kNever };

// The files that `convert` writes (`-to TYPE:key=value`), and their steps.
struct ConvertSpec {
  enum class Type { kNone, kProfile, kFiles, kMessages, kSession, kSessionZip };
  Type type = Type::kNone;
  std::string path;         // a file; a folder
  profile::StepList steps;  // empty: all

  friend bool operator==(const ConvertSpec&, const ConvertSpec&) = default;
};

// The options of `check`.
struct CheckOptions {
  std::vector<std::string> rules;  // -fail-if, as written
  std::string rules_file;          // ""; more of them, one a line
  double noise = 0;                // 0.02: changes up to 2 % are noise
};

// The options of `timeline`.
struct TimelineOptions {
  bool charts = false;  // as tfvis and tensorflow-tracer draw it
  // Times of processes are moved by the estimated offsets of their clocks.
  bool moves_clocks = true;
  exporters::ClientTimelineOptions events;
};

// The options of `memory`.
struct MemoryOptions {
  // What it answers: levels and owners at the peak, owners over time, or the
  // blocks of the segments at the end.
  enum class Part { kLevels, kMap, kBlocks };
  Part part = Part::kLevels;
  inspect::MapRequest map;
  std::string window;  // of `map`, as written; "": all
};

// The options of `serve`.
struct ServeOptions {
  std::string address = "127.0.0.1";
  int32_t port = 0;  // 0: the usual one, or a free one
  bool read_only = false;
  // Programs that run register here; "": none do.
  std::string session;
  std::string token_file;  // "": the program makes a token
  // Files of the certificate and its key; "": no TLS.
  std::string tls_certificate, tls_key;
  int32_t keep_traces = 5;
  std::string session_bytes = "256M";
};

// The options of `record`. The folder is -o, which names the file of any other
// command (commands/meaning.h).
struct RecordOptions {
  std::string folder;      // "": a new one here, named after the time
  int64_t max_mib = 8192;  // of each process
  bool lttng = false;      // into sessions of LTTng that run, not a folder
};

// The most tokens of an answer for an agent.
inline constexpr int64_t kDefaultBudget = 4000;
// Less would not hold the frame of an answer.
inline constexpr int64_t kLeastBudget = 200;

// A value of -step that depends on the profile.
enum class StepWord { kNone, kFirst, kLast, kSlowest };

// A value of -order_by.
struct RowOrder {
  views::ViewOptions::Order order = views::ViewOptions::Order::kName;
  accounting::Stat stat = accounting::kMicros;  // when order is kStat
};

struct Options {
  // The options of views but the depth and the order of their rows, whose
  // defaults differ from command to command.
  views::ViewOptions view;
  std::optional<int32_t> max_depth;
  std::optional<RowOrder> order;
  // `view` with the depth and the order that were given, else the reference's.
  views::ViewOptions Rows() const;

  // The program was called as the reference is: its inputs are named by flags
  // that the reference has. Answers then have the bytes, the order and the
  // error texts of the reference, on a terminal too.
  bool reference = false;
  // -compatible asks for the same.
  bool compatible = false;
  // Whether answers have the form of the reference. An agent has a form of its
  // own.
  bool InReferenceForm() const { return (reference || compatible) && !agent; }
  // Whether rows without -order_by come largest first: in all forms but the
  // reference's, on a terminal as in a pipe, a file and data.
  bool LargestFirst() const;

  // -limit: the most rows of each table; nullopt: as many as the command has.
  std::optional<int64_t> limit;
  // -step first, last, slowest: commands::Run() makes a number of it.
  StepWord step_word = StepWord::kNone;
  OutputSpec output;
  advisor::AdviceOptions advice;
  // Folders with source files, besides the current one.
  std::vector<std::string> source_paths;
  ColorMode color = ColorMode::kAuto;
  // -frames all: code shows frames of libraries to people, too.
  bool all_frames = false;
  // The reader of stdout is a program that has room for little text.
  bool agent = false;
  // How much that is, in tokens (util/text/token_count.h).
  int64_t budget = kDefaultBudget;
  // -device_peaks; nullopt: the peaks of the file or of data sheets.
  std::optional<flops::DevicePeaks> device_peaks;
  ConvertSpec convert;
  CheckOptions check;
  TimelineOptions timeline;
  MemoryOptions memory;
  // More names of communication, besides the built-in rules
  // (timeline/ranks/communication.h).
  views::RegexPatterns communication;
  std::vector<inspect::WhatIf> what_if;  // of critical_path
  ServeOptions serve;
  RecordOptions record;
  // save and redact may replace a file.
  bool force = false;
  // Files and pages keep the homes of users and the names of hosts.
  bool keep_environment = false;
  // redact replaces names that the author of the program chose.
  bool names = false;
};

enum class OptionKind {
  kFlag,     // true or false; the value may be left out
  kInt32,    // a number
  kInt64,    // a number, or a word instead of it
  kText,     // anything
  kList,     // elements that are anything
  kChoice,   // one of the choices
  kChoices,  // elements that are choices
};

// What completes a value, or a plain word of a command.
enum class Completes {
  kChoices,  // the choices of the option, if it has any
  kStep,
  kType,   // a regular expression for types of operations and devices
  kRow,    // one for rows of the view: types, code, or names of nodes
  kNode,   // the name of a node
  kScope,  // of a scope
  kFile,   // a file to read
  kOutputFile,
  kOutput,  // a type of output, and the file that it may need
  kTopic,   // a topic of help
};

// The subject of an option. Each option is in one group, and the row of a
// command says which groups it uses.
enum OptionGroup : unsigned {
  kRowOptions = 1,       // which rows of a view, and their columns
  kDisplayedOnly = 2,    // account_displayed_op_only
  kStepOption = 4,       // which step
  kOrderOption = 8,      // in which order
  kTypesOption = 16,     // which operations are accounted
  kFlopsOption = 32,     // where float operations come from
  kOutputOptions = 64,   // where an answer goes, and for whom it is
  kColorOption = 128,    // how it looks there
  kAdviceOptions = 256,  // which checkers
  kThresholdOptions = 512,
  kSourceOption = 1024,  // where source files are
  kConvertOptions = 2048,
  kCheckOptions = 4096,
  kPeaksOption = 8192,  // what devices can do
  kSaveOptions = 16384,
  kTimelineOptions = 131072,
  kWhatIfOption = 262144,
  kNameOptions = 1 << 21,         // which rows, by their names
  kCommunicationOption = 524288,  // what counts as communication
  kServeOptions = 1048576,
  kRecordOptions = 1 << 27,
  kMemoryOptions = 1 << 29,  // which part of the memory, and when
  kFramesOption = 32768,     // which frames of call stacks
  // How long an answer for an agent may be: an option of all commands that have
  // kOutputOptions.
  kBudgetOption = 65536,
  // -compatible and -limit: options of the same commands, and unlike the others
  // of these, they change which rows an answer has.
  kFormOptions = 1 << 28,
  kShareOptions = 1 << 30,    // what others may see
  kRedactOptions = 1U << 31,  // what is replaced
};
// Which checkers run, and with which thresholds.
inline constexpr unsigned kCheckerGroups = kAdviceOptions | kThresholdOptions;
// Options of a single command, which `set` does not keep.
inline constexpr unsigned kOwnOptions =
    kConvertOptions | kCheckOptions | kPeaksOption | kSaveOptions |
    kTimelineOptions | kWhatIfOption | kServeOptions | kRecordOptions |
    kMemoryOptions | kRedactOptions;

// The value of an option: a word of a line, in which quotes keep text together,
// or exact values, as requests in JSON have them.
class OptionText {
 public:
  // NOLINTBEGIN(google-explicit-constructor): it stands for its word.
  OptionText(std::string_view word) : word_(word) {}
  OptionText(const std::string& word) : word_(word) {}
  OptionText(const char* word) : word_(word) {}
  // NOLINTEND(google-explicit-constructor)
  explicit OptionText(std::vector<std::string> values);

  // Exact values are joined by commas.
  std::string_view word() const { return word_; }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::string_view() const { return word_; }
  // Whether it is exact values, any number of them.
  bool is_exact() const { return values_.has_value(); }
  // Without the quotes around a word.
  std::string Unquoted() const;
  // The elements of a list.
  std::vector<std::string> Elements() const;

 private:
  std::string word_;
  std::optional<std::vector<std::string>> values_;
};

// A row of the table. A new option is a row here and a member above.
struct Option {
  std::string_view name;
  OptionKind kind = OptionKind::kText;
  std::string_view value_name;  // for help: "N", "FIELD,…"
  std::string_view help;
  OptionGroup group = kRowOptions;
  // Whether an empty line of the shell prints it. This dump is the reference's,
  // so it lists the reference's options only.
  bool in_dump = false;
  // Sets the option.
  absl::Status (*parse)(const OptionText& word, Options& options) = nullptr;
  std::string (*format)(const Options& options) = nullptr;
  // The choices for the value, or for an element of a list; nullptr: any value.
  std::vector<std::string> (*choices)() = nullptr;
  // What a choice means; "" if its name explains it.
  std::string_view (*choice_help)(std::string_view choice) = nullptr;
  Completes completes = Completes::kChoices;
  // Whether '|' and '>' are ordinary characters in a value on a shell line.
  bool holds_signs = false;
  // Whether its own errors say which values it takes.
  bool explains_errors = false;
};

std::span<const Option> OptionTable();

// Sets one option from its word and its value. InvalidArgument: a sentence that
// says which values it takes; in the reference's form "Invalid option '-step'
// value: 'x'", or a message of the option's own.
absl::Status ParseOption(const Option& option, const OptionText& value,
                         Options& options);
// The same for an option that was called `name`. Other programs look for a part
// of a name: "-focus mm" has the value ".*mm.*" of -show_name_regexes.
absl::Status ParseOptionNamed(std::string_view name, const Option& option,
                              const OptionText& value, Options& options);
// The same from exact values, without quotes: one, or any number for a list.
absl::Status SetOption(const Option& option, std::vector<std::string> values,
                       Options& options);
// The same message for any word and the word after it.
absl::Status InvalidOption(std::string_view word, std::string_view value);

std::vector<std::string> OptionNames();
// nullptr: no such option. FindOption() also knows other spellings of a name,
// and the words of other programs for it (other_words.h).
const Option* FindExactOption(std::string_view name);
const Option* FindOption(std::string_view name);
// The choices of its row; empty: any value.
std::vector<std::string> OptionChoices(const Option& option);

// What a choice of its row means, or "".
std::string_view ChoiceHelp(const Option& option, std::string_view choice);

// Whether the value is a list whose elements have choices.
inline bool IsList(const Option& option) {
  return option.kind == OptionKind::kChoices;
}

// Whether SetOption() takes any number of values.
inline bool TakesList(const Option& option) {
  return IsList(option) || option.kind == OptionKind::kList;
}

// Whether a boolean option takes the word as its value.
bool IsBoolWord(std::string_view word);

// The text that the reference prints for an empty line: all options and their
// values.
std::string FormatOptions(const Options& options);

// g3doc/options.md.
std::string OptionsMarkdown();

}  // namespace tfprof::options

#endif  // TFPROF_PROFILER_OPTIONS_OPTIONS_H_

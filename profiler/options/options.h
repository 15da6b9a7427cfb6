// Options: the one table of them, and the values that a command runs with.
//
// A flag (`--order_by=micros`), a word of a shell line (`-order_by micros`), a
// `set`, the dump on an empty line, `help`, completion and g3doc/options.md
// are all made from OptionTable(). There is no other list of option names.
//
// Errors of values are InvalidArgument with the reference's words.

#ifndef TFPROF_PROFILER_OPTIONS_OPTIONS_H_
#define TFPROF_PROFILER_OPTIONS_OPTIONS_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "advisor/choice.h"
#include "profile/step_list.h"
#include "views/options.h"

namespace tfprof {

// Where a report goes: `-output TYPE[:key=value,…]`.
struct OutputSpec {
  enum class Type {
    kStdout,
    kFile,
    kNone,
    kTimeline,
    kPprof,
    kJson,
    kNdjson,
    kCsv,
    kMarkdown,
    kTable,
    kText,
    kJunit,  // of check
  };
  Type type = Type::kStdout;
  // As in the reference, keys stay from one command to the next: after
  // `set -output file:outfile=x`, `-output timeline` writes to x as well. But
  // a type that may go to stdout, as `json`, goes there when its own word names
  // no file.
  std::map<std::string, std::string> keys;

  // "": there is none.
  std::string outfile() const {
    const auto key = keys.find("outfile");
    return key == keys.end() ? "" : key->second;
  }
  // pprof:mode=full, for what the reference's pprof files do not have.
  bool full_pprof() const;
};

// "stdout", "file", …
std::string_view OutputName(OutputSpec::Type type);

// Whether tables are coloured; kAuto: on a terminal that can.
enum class ColorMode { kAuto, kAlways, kNever };

// What `convert` writes, `-to TYPE:key=value`, and of which steps.
struct ConvertSpec {
  enum class Type { kNone, kProfile, kFiles };
  Type type = Type::kNone;
  std::string path;  // a file; a folder
  StepList steps;    // empty: all

  friend bool operator==(const ConvertSpec&, const ConvertSpec&) = default;
};

struct Options {
  ViewOptions view;
  // -order_by was given. A diff has another default.
  bool order_given = false;
  OutputSpec output;
  AdviceOptions advice;
  ColorMode color = ColorMode::kAuto;
  // What goes to stdout is for a program that reads text and has little room.
  bool agent = false;
  ConvertSpec convert;
};

// What `check` runs with, besides its two profiles.
struct CheckOptions {
  std::vector<std::string> rules;  // --fail-if, as written
  std::string rules_file;          // ""; more of them, one a line
  double noise = 0;                // 0.02: changes up to 2 % are none

  bool given() const {
    return !rules.empty() || !rules_file.empty() || noise > 0;
  }
};

enum class OptionKind {
  kInt32,
  kInt64,
  kOrder,
  kRegexes,
  kBool,  // the value may be left out
  kSelect,
  kOutput,
  kColor,
  kCheckers,
  kCheckerValues,
  kFlops,
  kTo,
  kSteps,
};

// What completes a value, or a plain word of a command.
enum class Completes {
  kChoices,  // the option's own words; nothing where it has none
  kStep,
  kType,   // a regular expression for types of operations and devices
  kRow,    // one for rows of the view: types, code, or names of nodes
  kNode,   // the name of a node
  kScope,  // of a scope
  kFile,   // a file to read
  kOutputFile,
  kTopic,  // of help
};

// The commands in which an option means something; set takes them all.
enum OptionUse : unsigned {
  kInScope = 1,
  kInGraph = 2,
  kInOp = 4,
  kInCode = 8,
  kInViews = kInScope | kInGraph | kInOp | kInCode,
  kInAdvise = 16,
  kInConvert = 32,  // and nowhere else: not in set
};

struct Option {
  std::string_view name;
  OptionKind kind;
  std::string_view value_name;  // for help: "N", "FIELD,…"
  std::string_view help;
  // In the dump of an empty line, which is the reference's and has no room for
  // options that it does not know.
  bool in_dump;
  // Sets the option from a word. A list keeps what is in quotes together.
  absl::Status (*parse)(std::string_view word, Options& options);
  std::string (*format)(const Options& options);
  unsigned used_in = kInViews;
  Completes completes = Completes::kChoices;
};

std::span<const Option> OptionTable();
// nullptr: no such option.
const Option* FindOption(std::string_view name);
// The words an option's value, or an element of it, is chosen from; empty when
// it is free.
std::vector<std::string> OptionChoices(const Option& option);

// What the word of an option means; "" where it says all itself.
std::string_view ChoiceHelp(const Option& option, std::string_view choice);

// What must follow a word of -output before it is a value: ":outfile=".
bool NeedsOutfile(std::string_view output);

// The value is a list whose elements have choices.
bool IsList(const Option& option);

// True for a word that a boolean option takes as its value.
bool IsBoolWord(std::string_view word);

// What the reference prints for an empty line: all options and their values.
std::string FormatOptions(const Options& options);

// The name of a column or order, as in `-select` and pprof files.
std::string_view FieldName(Field field);

// g3doc/options.md.
std::string OptionsMarkdown();

}  // namespace tfprof

#endif  // TFPROF_PROFILER_OPTIONS_OPTIONS_H_

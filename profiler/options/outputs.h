// Outputs: where an answer goes, `-output TYPE[:key=value,…]`, and the one
// table of the types.

#ifndef TFPROF_PROFILER_OPTIONS_OUTPUTS_H_
#define TFPROF_PROFILER_OPTIONS_OUTPUTS_H_

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace tfprof::options {

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
    kJunit,
    kChrome,
    kPerfetto,
    kHtml,
    kProto,
    kScript,
    kArrow,
  };
  Type type = Type::kStdout;
  // As in the reference, keys stay from one command to the next: after
  // `set -output file:outfile=x`, `-output timeline` writes to x as well. But
  // a type that may go to stdout, such as `json`, goes there unless its own
  // option names a file.
  std::map<std::string, std::string> keys;

  // "": there is none.
  std::string outfile() const {
    const auto key = keys.find("outfile");
    return key == keys.end() ? "" : key->second;
  }
  // pprof:mode=full, for what the reference's pprof files do not have.
  bool full_pprof() const;
  // script:name=trace_analysis; "": another type.
  std::string script() const;
  // The file that this type writes to; "": stdout, or nowhere.
  std::string file() const;
};

// Kinds of outputs. The row of a command has a bit for each kind that its
// answers can be written to.
enum OutputKind : unsigned {
  kAnswerOutput = 1,   // any answer
  kTraceOutput = 2,    // files of other programs, made of a view
  kVerdictOutput = 4,  // tests that passed or failed
  kPageOutput = 8,     // files that a browser or a trace viewer opens
  kProtoOutput = 16,   // messages of the reference
  kScriptOutput = 32,  // files of the scripts of a tracer
  kArrowOutput = 64,   // Arrow streams
};

struct OutputInfo {
  // Whether a word may or must name a file.
  enum class Outfile { kNone, kOptional, kRequired };

  std::string_view name;
  OutputSpec::Type type;
  OutputKind kind;
  Outfile outfile;
  // Whether the name is also the name of a form of an answer
  // (tables/writers/answer_writer.h). If not, the answer decides its form.
  bool is_format;
  std::string_view help;
};

std::span<const OutputInfo> OutputTable();
const OutputInfo& FindOutput(OutputSpec::Type type);

// An error if the command `name`, whose answers have outputs of `kinds`, has no
// such output.
absl::Status CheckOutput(const OutputSpec& output, unsigned kinds,
                         std::string_view name);

// Whether this type of -output must be followed by ":outfile=FILE".
bool NeedsOutfile(std::string_view output);

// `word` has no quotes any more. Errors have the reference's messages.
absl::Status ParseOutput(std::string_view word, OutputSpec& output);
std::string FormatOutput(const OutputSpec& output);

}  // namespace tfprof::options

#endif  // TFPROF_PROFILER_OPTIONS_OUTPUTS_H_

#include "profiler/options/outputs.h"

#include <strings.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "exporters/reference/lttng/script_names.h"
#include "fmt/format.h"

namespace tfprof::options {
namespace {

using Outfile = OutputInfo::Outfile;
using Type = OutputSpec::Type;

// The reference's by name, as its error message lists them; then ours.
constexpr OutputInfo kOutputs[] = {
    {"file", Type::kFile, kAnswerOutput, Outfile::kRequired, false,
     "The report as text, in a file."},
    {"none", Type::kNone, kAnswerOutput, Outfile::kNone, false,
     "Nowhere: only messages are shown."},
    {"pprof", Type::kPprof, kTraceOutput, Outfile::kRequired, false,
     "A file for pprof; code view, one field."},
    {"stdout", Type::kStdout, kAnswerOutput, Outfile::kNone, false,
     "Standard output: a table on a terminal, else the report as text."},
    {"timeline", Type::kTimeline, kTraceOutput, Outfile::kRequired, false,
     "A trace for chrome://tracing, in FILE_STEP; scope, graph, code."},
    {"json", Type::kJson, kAnswerOutput, Outfile::kOptional, true,
     "JSON, with a schema."},
    {"ndjson", Type::kNdjson, kAnswerOutput, Outfile::kOptional, true,
     "JSON, one row per line."},
    {"csv", Type::kCsv, kAnswerOutput, Outfile::kOptional, true,
     "Comma-separated values."},
    {"markdown", Type::kMarkdown, kAnswerOutput, Outfile::kOptional, true,
     "A Markdown table."},
    {"table", Type::kTable, kAnswerOutput, Outfile::kOptional, true,
     "An aligned table."},
    {"text", Type::kText, kAnswerOutput, Outfile::kOptional, true,
     "The report as text, as the reference writes it."},
    {"proto", Type::kProto, kProtoOutput, Outfile::kOptional, true,
     "The reference's message in binary form: GraphNodeProto of scope and "
     "graph, MultiGraphNodeProto of op and code, AdviceProto of advise, "
     "ProfileProto of save."},
    {"junit", Type::kJunit, kVerdictOutput, Outfile::kOptional, true,
     "JUnit XML; check."},
    {"arrow", Type::kArrow, kArrowOutput, Outfile::kOptional, true,
     "Apache Arrow streams, one for each table, for millions of rows; rows."},
    {"chrome", Type::kChrome, kPageOutput, Outfile::kRequired, false,
     "Trace events in JSON for chrome://tracing and Perfetto, compressed if "
     "the name ends in .gz; timeline."},
    {"perfetto", Type::kPerfetto, kPageOutput, Outfile::kRequired, false,
     "Perfetto's own format, smaller and quicker to open, compressed if the "
     "name ends in .gz; timeline."},
    {"html", Type::kHtml, kPageOutput, Outfile::kRequired, false,
     "One page for a browser; timeline."},
    {"script", Type::kScript, kScriptOutput, Outfile::kOptional, true,
     "The CSV of a script of the LTTng profiler about a CTF trace, "
     "script:name=NAME: trace_analysis (sessions, ops and CUDA kernels), "
     "operations_latency_analysis (how long ops waited after their inputs; "
     "with a graph), perfcounters_analysis (the counters of a file for each "
     "kernel; with the CSV of RCP or rocprof) or "
     "perfcounters_interception_analysis (the counters of traces for each "
     "kernel); status."},
};
constexpr size_t kReferenceOutputs = 5;

// Modes of pprof files: what the reference writes, or more.
constexpr std::string_view kFullPprof = "full";
constexpr std::string_view kPprofModes[] = {kFullPprof, "reference"};

// A key of one type beside "outfile", and the words that it takes.
struct WordKey {
  Type type;
  std::string_view key;
  std::string_view title;
  std::span<const std::string_view> words;
};
constexpr WordKey kWordKeys[] = {
    {Type::kPprof, "mode", "pprof mode", kPprofModes},
    {Type::kScript, "name", "script", exporters::kScriptNames},
};

const WordKey* FindWordKey(Type type, std::string_view key) {
  for (const WordKey& one : kWordKeys) {
    if (one.type == type && one.key == key) return &one;
  }
  return nullptr;
}

// The word of `key` that `word` is in any case of letters; "": none.
std::string_view KnownWord(const WordKey& key, std::string_view word) {
  for (const std::string_view known : key.words) {
    if (known.size() == word.size() &&
        strncasecmp(known.data(), word.data(), known.size()) == 0) {
      return known;
    }
  }
  return "";
}

std::vector<std::string_view> Pieces(std::string_view s, char separator) {
  std::vector<std::string_view> pieces;
  while (!s.empty()) {
    const size_t end = std::min(s.find(separator), s.size());
    if (end > 0) pieces.push_back(s.substr(0, end));
    s.remove_prefix(std::min(end + 1, s.size()));
  }
  return pieces;
}

}  // namespace

bool OutputSpec::full_pprof() const {
  const auto mode = keys.find("mode");
  return type == Type::kPprof && mode != keys.end() &&
         mode->second == kFullPprof;
}

std::string OutputSpec::script() const {
  const auto name = keys.find("name");
  return type != Type::kScript || name == keys.end() ? "" : name->second;
}

std::string OutputSpec::file() const {
  return type == Type::kStdout || type == Type::kNone ? "" : outfile();
}

std::span<const OutputInfo> OutputTable() { return kOutputs; }

const OutputInfo& FindOutput(OutputSpec::Type type) {
  return *std::find_if(std::begin(kOutputs), std::end(kOutputs),
                       [&](const OutputInfo& o) { return o.type == type; });
}

absl::Status CheckOutput(const OutputSpec& output, unsigned kinds,
                         std::string_view name) {
  const OutputInfo& wanted = FindOutput(output.type);
  if (wanted.kind & kinds) return absl::OkStatus();
  std::vector<std::string_view> names = {FindOutput(Type::kStdout).name};
  for (const OutputInfo& info : kOutputs) {
    if ((info.kind & kinds) && info.type != Type::kStdout) {
      names.push_back(info.name);
    }
  }
  return absl::InvalidArgumentError(fmt::format(
      "{} has no {}; -output is {} or {}", name, wanted.name,
      fmt::join(names.begin(), names.end() - 1, ", "), names.back()));
}

bool NeedsOutfile(std::string_view output) {
  return std::any_of(
      std::begin(kOutputs), std::end(kOutputs), [&](const OutputInfo& o) {
        return o.name == output && o.outfile == Outfile::kRequired;
      });
}

absl::Status ParseOutput(std::string_view word, OutputSpec& output_spec) {
  const size_t colon = std::min(word.find(':'), word.size());
  const std::string_view type = word.substr(0, colon);
  const auto output =
      std::find_if(std::begin(kOutputs), std::end(kOutputs),
                   [&](const OutputInfo& o) { return o.name == type; });
  if (output == std::end(kOutputs)) {
    std::vector<std::string_view> names;
    for (const OutputInfo& known : kOutputs) names.push_back(known.name);
    const auto ours = names.begin() + kReferenceOutputs;
    return absl::InvalidArgumentError(
        fmt::format("E.g. Unknown output type: {}, Valid types: {}\n"
                    "and, beyond the reference: {}\n",
                    type, fmt::join(names.begin(), ours, ","),
                    fmt::join(ours, names.end(), ",")));
  }
  OutputSpec spec = output_spec;
  spec.type = output->type;
  if (output->outfile == Outfile::kOptional) spec.keys.erase("outfile");
  if (output->type != Type::kScript) spec.keys.erase("name");
  const std::string_view rest =
      colon < word.size() ? word.substr(colon + 1) : std::string_view();
  for (const std::string_view pair : Pieces(rest, ',')) {
    const std::vector<std::string_view> parts = Pieces(pair, '=');
    if (parts.size() < 2) {
      return absl::InvalidArgumentError(
          "Visualize format: -output timeline:key=value,key=value,...");
    }
    const WordKey* const key = FindWordKey(output->type, parts[0]);
    if (key == nullptr &&
        (output->outfile == Outfile::kNone || parts[0] != "outfile")) {
      return absl::InvalidArgumentError(fmt::format(
          "Unrecognized options {} for output_type: {}\n", parts[0], type));
    }
    std::string value =
        fmt::format("{}", fmt::join(parts.begin() + 1, parts.end(), "="));
    if (key != nullptr) {
      const std::string_view known = KnownWord(*key, value);
      if (known.empty()) {
        return absl::InvalidArgumentError(
            fmt::format("Unknown {}: {}, Valid {}s: {}\n", key->title, value,
                        key->key, fmt::join(key->words, ",")));
      }
      value = known;
    }
    spec.keys[std::string(parts[0])] = std::move(value);
  }
  if (output->outfile == Outfile::kRequired && !spec.keys.contains("outfile")) {
    return absl::InvalidArgumentError(
        fmt::format("Missing required output_options for {}\n"
                    "E.g. -output {}:outfile=...\n",
                    type, type));
  }
  if (output->type == Type::kScript && !spec.keys.contains("name")) {
    return absl::InvalidArgumentError(fmt::format(
        "Missing required output_options for {}\nE.g. -output {}:name={}\n",
        type, type, exporters::kScriptNames[0]));
  }
  output_spec = std::move(spec);
  return absl::OkStatus();
}

std::string FormatOutput(const OutputSpec& output) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : output.keys) {
    pairs.push_back(key + "=" + value);
  }
  return fmt::format("{}:{}", FindOutput(output.type).name,
                     fmt::join(pairs, ","));
}

}  // namespace tfprof::options

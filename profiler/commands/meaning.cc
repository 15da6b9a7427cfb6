#include "profiler/commands/meaning.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "profiler/options/other_words.h"
#include "util/text/edit_distance.h"

namespace tfprof::commands {
namespace {

using Type = options::OutputSpec::Type;

struct WordMeaning {
  std::string_view word;
  std::string_view means;
};

// In lower case, with '_' for '-'. First those of people, then those of pprof,
// Nsight Systems, DuckDB and TensorBoard.
constexpr WordMeaning kCommandWords[] = {
    {"q", "exit"},
    {":q", "exit"},
    {":q!", "exit"},
    {":quit", "exit"},
    {"\\q", "exit"},
    {"bye", "exit"},
    {"exit()", "exit"},
    {"logout", "exit"},
    {"quit()", "quit"},
    {"cls", "clear"},
    {"commands", "help"},
    {"h", "help"},
    {":h", "help"},
    {":help", "help"},
    {"man", "help"},
    {"usage", "help"},
    {"dir", "ls"},
    {"open", "load"},
    {"ops", "op"},
    {"operation", "op"},
    {"operations", "op"},
    {"operators", "op"},
    {"layers", "scope"},
    {"modules", "scope"},
    {"scopes", "scope"},
    {"source", "list"},
    {"step", "steps"},
    {"step_time", "steps"},
    {"steptime", "steps"},
    {"iterations", "steps"},
    {"device", "devices"},
    {"gpus", "devices"},
    {"kernel", "kernels"},
    {"lane", "lanes"},
    {"streams", "lanes"},
    {"mem", "memory"},
    {"cp", "critical_path"},
    {"criticalpath", "critical_path"},
    {"why", "explain"},
    {"analysis", "advise"},
    {"analyse", "advise"},
    {"analyze", "advise"},
    {"advice", "advise"},
    {"bottlenecks", "advise"},
    {"problems", "advise"},
    {"recommendations", "advise"},
    {"tips", "advise"},
    {"home", "overview"},
    {"report", "overview"},
    {"stats", "overview"},
    {"summary", "overview"},
    {"info", "status"},
    {"reset", "unset"},
    {"compare", "diff"},
    {"browse", "tui"},
    {"hot", "top"},
    {"hotspots", "top"},
    {"flamegraph", "flame"},
    {"flame_graph", "flame"},
    {"icicle", "flame"},
    {"ranks", "skew"},
    {"stragglers", "skew"},
    {"trace", "timeline"},
    {"tree", "scope"},
    // pprof
    {"text", "op"},
    {"weblist", "list"},
    // Nsight Systems
    {"cuda_api_sum", "op"},
    {"cudaapisum", "op"},
    {"cuda_gpu_kern_sum", "kernels"},
    {"cuda_gpu_mem_time_sum", "kernels"},
    {"cuda_gpu_sum", "kernels"},
    {"cuda_gpu_trace", "timeline"},
    {"gpukernsum", "kernels"},
    {"gpumemtimesum", "kernels"},
    {"gputrace", "timeline"},
    {"nvtx_sum", "scope"},
    {"nvtxsum", "scope"},
    // DuckDB
    {".exit", "exit"},
    {".help", "help"},
    {".open", "load"},
    {".quit", "exit"},
    // TensorBoard
    {"framework_op_stats", "op"},
    {"graph_viewer", "graph"},
    {"hlo_op_profile", "op"},
    {"hlo_stats", "op"},
    {"input_pipeline", "advise"},
    {"input_pipeline_analyzer", "advise"},
    {"kernel_stats", "kernels"},
    {"memory_profile", "memory"},
    {"memory_viewer", "memory"},
    {"op_profile", "op"},
    {"op_stats", "op"},
    {"overview_page", "overview"},
    {"pod_viewer", "skew"},
    {"roofline_model", "roofline"},
    {"tensorflow_stats", "op"},
    {"trace_viewer", "timeline"},
};

constexpr std::string_view kNoSql =
    "there is no SQL: op -select FIELD,… -order_by FIELD -limit N, or -output "
    "csv for a database";
constexpr std::string_view kPictures =
    "timeline page.html draws a page; code -output pprof:outfile=FILE is for "
    "pprof";
constexpr std::string_view kOnCommandLine =
    "tfprof record -- PROGRAM records, on the command line";
constexpr std::string_view kEarlierLines =
    "Up brings back earlier lines, Ctrl-R searches them";
constexpr std::string_view kFilter =
    "a name after a command filters, as op NAME and kernels NAME; so does "
    "-show_name_regexes";

// Words that no command means, with what does the same here.
constexpr WordMeaning kInstead[] = {
    {"!!", kEarlierLines},
    {"back", "up goes to the scope above"},
    {"cat", "show NODE, or list FILE"},
    {"callgrind", kPictures},
    {"count", "steps, op -select occurrence"},
    {"csv", "op -output csv"},
    {"describe", kNoSql},
    {"desc", kNoSql},
    {"disasm", "list FILE shows source lines"},
    {"dot", kPictures},
    {"edit", kEarlierLines},
    {"export", "op -output json; timeline t.json; convert; save FILE"},
    {"filter", kFilter},
    {"find", kFilter},
    {"focus", kFilter},
    {"from", kNoSql},
    {"gif", kPictures},
    {"grep", kFilter},
    {"head", "op 5 shows five rows"},
    {"hide", "-hide_name_regexes hides rows"},
    {"hist", "history says where earlier lines are"},
    {"ignore", "-hide_name_regexes hides rows"},
    {"insert", kNoSql},
    {"json", "op -output json"},
    {"launch", kOnCommandLine},
    {"limit", "op 5, or -limit 5"},
    {"more", "op 20 shows more rows"},
    {"next", "explain, or -step N"},
    {"nsys", kOnCommandLine},
    {"order", "-order_by FIELD"},
    {"pdf", kPictures},
    {"plot", kPictures},
    {"png", kPictures},
    {"pprof", "code -output pprof:outfile=FILE"},
    {"pragma", kNoSql},
    {"print", "show NODE, or op"},
    {"profile", kOnCommandLine},
    {"proto", "op -output proto:outfile=FILE"},
    {"raw", "op -output json"},
    {"rm", "unset resets the options that set keeps"},
    {"run", kOnCommandLine},
    {"sample_index", "-select bytes, or -select micros"},
    {"select", kNoSql},
    {"sort", "-order_by FIELD"},
    {"sql", kNoSql},
    {"start", kOnCommandLine},
    {"stop", kOnCommandLine},
    {"svg", kPictures},
    {"tags", "status lists what was loaded"},
    {"tail", "op 1000 shows all rows"},
    {"tensorboard", "tfprof serve FOLDER, on the command line"},
    {"traces", "code shows call stacks"},
    {"undo", "unset resets the options that set keeps"},
    {"use", "load FILE"},
    {"version", "tfprof --version, on the command line"},
    {"web", "tfprof serve FILE, on the command line, shows a browser's pages"},
    {"where", kNoSql},
    {"with", kNoSql},
    {".import", "load FILE"},
    {".mode", "-output json, csv, markdown or table"},
    {".output", "-output csv:outfile=FILE, or > FILE after a command"},
    {".read", "tfprof FILE -f SCRIPT, on the command line"},
    {".schema", "help all lists commands and fields"},
    {".tables", "help lists the commands"},
};

// Outputs by the end of a file's name; the first that fits.
struct Ending {
  std::string_view end;
  Type type;
};
constexpr Ending kEndings[] = {
    {".csv", Type::kCsv},           {".html", Type::kHtml},
    {".htm", Type::kHtml},          {".jsonl", Type::kNdjson},
    {".ndjson", Type::kNdjson},     {".md", Type::kMarkdown},
    {".perfetto", Type::kPerfetto}, {".perfetto-trace", Type::kPerfetto},
    {".pftrace", Type::kPerfetto},  {".pftrace.gz", Type::kPerfetto},
    {".xml", Type::kJunit},
};

std::string Plain(std::string_view word) {
  std::string plain(word);
  for (char& c : plain) {
    c = c == '-' ? '_' : static_cast<char>(std::tolower(c));
  }
  while (plain.ends_with(';')) plain.pop_back();
  return plain;
}

std::string_view MeaningOf(std::string_view word,
                           std::span<const WordMeaning> meanings) {
  for (const WordMeaning& meaning : meanings) {
    if (meaning.word == word) return meaning.means;
  }
  return "";
}

bool IsNumber(std::string_view word) {
  return !word.empty() &&
         word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsTimeline(const CommandInfo& command) {
  return (command.outputs & options::kPageOutput) != 0;
}

// The output that the name of a file asks for.
Type OutputOf(const CommandInfo& command, std::string_view path) {
  for (const Ending& ending : kEndings) {
    if (path.ends_with(ending.end)) return ending.type;
  }
  if (IsTimeline(command)) {
    return path.ends_with(".pb") || path.ends_with(".pb.gz") ? Type::kPerfetto
                                                             : Type::kChrome;
  }
  if (path.ends_with(".json")) return Type::kJson;
  return command.view.has_value() && path.ends_with(".pb.gz") ? Type::kPprof
                                                              : Type::kFile;
}

absl::Status WriteTo(std::string path, Command& command) {
  const CommandInfo& info = *command.info;
  options::OutputSpec& output = command.options.output;
  if (output.type == Type::kStdout) output.type = OutputOf(info, path);
  output.keys["outfile"] = std::move(path);
  return options::CheckOutput(output, info.outputs, info.name);
}

}  // namespace

const CommandInfo* CommandMeantBy(std::string_view word,
                                  std::string* argument) {
  const std::string plain = Plain(word);
  if (const CommandInfo* command = FindCommand(plain)) return command;
  if (const std::string_view name = MeaningOf(plain, kCommandWords);
      !name.empty()) {
    return FindCommand(name);
  }
  // "top10", as in pprof.
  constexpr std::string_view kTop = "top";
  if (argument != nullptr && plain.starts_with(kTop) &&
      IsNumber(std::string_view(plain).substr(kTop.size()))) {
    *argument = plain.substr(kTop.size());
    return FindCommand(kTop);
  }
  return nullptr;
}

std::string CommandHint(std::string_view word) {
  std::string plain = Plain(word);
  // "focus=mm", as in pprof.
  plain.resize(std::min(plain.find('='), plain.size()));
  const std::string_view instead = MeaningOf(plain, kInstead);
  if (!instead.empty()) return std::string(instead);
  std::vector<std::string> names = CommandNames();
  for (const WordMeaning& meaning : kCommandWords)
    names.emplace_back(meaning.word);
  std::vector<std::string> near;
  for (const std::string& name : util::Nearest(plain, names)) {
    const CommandInfo* command = CommandMeantBy(name);
    if (command != nullptr &&
        std::find(near.begin(), near.end(), command->name) == near.end()) {
      near.emplace_back(command->name);
    }
  }
  return near.empty() ? "help lists the commands" : util::DidYouMean(near);
}

bool IsOptionWord(const CommandInfo& command, std::string_view word) {
  if (!command.filters && command.name != "set") return false;
  const options::Option* option = options::FindExactOption(word);
  if (option == nullptr && (word == "sort" || word == "by")) {
    option = options::FindOption(word);
  }
  return option != nullptr && Uses(command, *option);
}

absl::Status FinishCommand(Command& command) {
  const CommandInfo* info = command.info;
  if (info == nullptr || command.options.InReferenceForm()) {
    return absl::OkStatus();
  }
  std::string& file = command.options.record.folder;
  // The new file is its second argument.
  if (!file.empty() && info->name == "redact") {
    command.arguments.push_back(std::exchange(file, ""));
  }
  if (!file.empty() && !info->takes_program &&
      (info->options & options::kOutputOptions) != 0) {
    absl::Status status = WriteTo(std::exchange(file, ""), command);
    if (!status.ok()) return status;
  }
  if (info->name == "timeline" && !command.arguments.empty()) {
    absl::Status status = WriteTo(command.arguments[0], command);
    if (!status.ok()) return status;
  }
  if (info->filters && command.arguments.size() == 1 &&
      IsNumber(command.arguments[0])) {
    absl::Status status =
        options::ParseOption(*options::FindExactOption("limit"),
                             command.arguments[0], command.options);
    if (!status.ok()) return status;
    command.arguments.clear();
  }
  return absl::OkStatus();
}

}  // namespace tfprof::commands

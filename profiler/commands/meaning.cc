#include "profiler/commands/meaning.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <iterator>
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
// Nsight Systems, DuckDB, TensorBoard and HTA.
constexpr WordMeaning kCommandWords[] = {
    {"q", "exit"},
    {":q", "exit"},
    {":q!", "exit"},
    {":quit", "exit"},
    {"\\q", "exit"},
    {"bye", "exit"},
    {"logout", "exit"},
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
    {"threads", "lanes"},
    {"tracks", "lanes"},
    {"mem", "memory"},
    {"cp", "critical_path"},
    {"criticalpath", "critical_path"},
    {"why", "explain"},
    {"analysis", "advise"},
    {"analyse", "advise"},
    {"analyze", "advise"},
    {"advice", "advise"},
    {"bottleneck", "advise"},
    {"bottlenecks", "advise"},
    {"problems", "advise"},
    {"recommendations", "advise"},
    {"tips", "advise"},
    {"warnings", "advise"},
    {"home", "overview"},
    {"report", "overview"},
    {"stats", "overview"},
    {"summary", "overview"},
    {"info", "status"},
    {"reset", "unset"},
    {"compare", "diff"},
    {"vs", "diff"},
    {"gate", "check"},
    {"browse", "tui"},
    {"hot", "top"},
    {"hotspots", "top"},
    {"flamegraph", "flame"},
    {"flame_graph", "flame"},
    {"icicle", "flame"},
    {"imbalance", "skew"},
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
    {"cuda_gpu_mem_size_sum", "kernels"},
    {"cuda_gpu_mem_time_sum", "kernels"},
    {"cuda_gpu_sum", "kernels"},
    {"cuda_gpu_trace", "timeline"},
    {"gpukernsum", "kernels"},
    {"gpumemtimesum", "kernels"},
    {"gputrace", "timeline"},
    {"nvtx_sum", "scope"},
    {"nvtxsum", "scope"},
    {"sol", "roofline"},
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
    {"tf_data_bottleneck_analysis", "advise"},
    {"trace_viewer", "timeline"},
    // Holistic Trace Analysis
    {"critical_path_analysis", "critical_path"},
    {"get_comm_comp_overlap", "devices"},
    {"get_cuda_kernel_launch_stats", "devices"},
    {"get_frequent_cuda_kernel_patterns", "kernels"},
    {"get_frequent_cuda_kernel_sequences", "kernels"},
    {"get_gpu_kernel_breakdown", "kernels"},
    {"get_gpu_kernels_with_user_annotations", "kernels"},
    {"get_idle_time_breakdown", "devices"},
    {"get_memory_bw_summary", "kernels"},
    {"get_memory_bw_time_series", "kernels"},
    {"get_potential_stragglers", "skew"},
    {"get_profiler_steps", "steps"},
    {"get_queue_length_summary", "devices"},
    {"get_queue_length_time_series", "devices"},
    {"get_temporal_breakdown", "devices"},
    {"idle_time", "devices"},
    {"overlap", "devices"},
    {"temporal_breakdown", "devices"},
};

constexpr std::string_view kNoSql =
    "there is no SQL: op -select FIELD,… -order_by FIELD -limit N, or -output "
    "csv for a database";
constexpr std::string_view kPictures =
    "timeline page.html draws a page; code -output pprof:outfile=FILE is for "
    "pprof";
constexpr std::string_view kForViewers =
    "timeline t.json is for chrome://tracing and Perfetto";
constexpr std::string_view kLoaded = "status lists what was loaded";
constexpr std::string_view kCopies = "kernels memcpy lists the copies";
constexpr std::string_view kCollectives =
    "kernels nccl lists collectives, skew says who waits in them";
constexpr std::string_view kOptionsNow =
    "help all lists the options; set changes one";
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
    {"all", "-step all is the whole file, -limit 1000 shows more rows"},
    {"all_reduce", kCollectives},
    {"allreduce", kCollectives},
    {"annotate", "list FILE shows source lines with their times"},
    {"back", "up goes to the scope above"},
    {"callgrind", kPictures},
    {"cat", "show NODE, or list FILE"},
    {"chrome", kForViewers},
    {"comm", kCollectives},
    {"comments", kLoaded},
    {"communication", kCollectives},
    {"count", "steps, op -select occurrence"},
    {"counters", "timeline t.json has them; memory shows those in bytes"},
    {"csv", "op -output csv"},
    {"cuda_api_sync", "advise, or op Synchronize"},
    {"cuda_memcpy_async", kCopies},
    {"cuda_memcpy_sync", kCopies},
    {"cuda_memset_sync", "kernels memset"},
    {"desc", kNoSql},
    {"describe", "explain step N, or show NODE; there is no SQL"},
    {"disasm", "list FILE shows source lines"},
    {"dot", kPictures},
    {"edit", kEarlierLines},
    {"export", "op -output json; timeline t.json; convert; save FILE"},
    {"filter", kFilter},
    {"find", kFilter},
    {"focus", kFilter},
    {"from", kNoSql},
    {"get", "the name alone shows it: steps, op, kernels"},
    {"gif", kPictures},
    {"gpu_gaps", "devices says how long devices wait, lanes shows the gaps"},
    {"gpu_time_util", "devices says how busy each device is"},
    {"granularity", "op, scope and code: each groups in another way"},
    {"grep", kFilter},
    {"head", "op 5 shows five rows"},
    {"hide", "-hide_name_regexes hides rows"},
    {"hist", "history says where earlier lines are"},
    {"html", kPictures},
    {"ignore", "-hide_name_regexes hides rows"},
    {"import", "this is no Python; import tfprof is the package for it"},
    {"insert", kNoSql},
    {"json", "op -output json"},
    {"launch", kOnCommandLine},
    {"less", "op | less"},
    {"limit", "op 5, or -limit 5"},
    {"log", kLoaded},
    {"logs", kLoaded},
    {"memcpy", kCopies},
    {"memset", "kernels memset"},
    {"more", "op 20 shows more rows"},
    {"nccl", kCollectives},
    {"next", "explain, or -step N"},
    {"nsys", kOnCommandLine},
    {"o", kOptionsNow},
    {"occupancy", "roofline says what limits each operation"},
    {"options", kOptionsNow},
    {"order", "-order_by FIELD"},
    {"osrt_sum", "op shows what the host did, lanes its threads"},
    {"pdf", kPictures},
    {"perfetto", kForViewers},
    {"plot", kPictures},
    {"png", kPictures},
    {"pprof", "code -output pprof:outfile=FILE"},
    {"pragma", kNoSql},
    {"print", "show NODE, or op"},
    {"profile", kOnCommandLine},
    {"proto", "op -output proto:outfile=FILE"},
    {"query", kNoSql},
    {"rank", "skew compares the ranks; the file of one rank alone shows it"},
    {"raw", "op -output json"},
    {"rm", "unset resets the options that set keeps"},
    {"run", kOnCommandLine},
    {"sample_index", "-select bytes, or -select micros"},
    {"schema", "help all lists commands and fields; there is no SQL"},
    {"select", kNoSql},
    {"slices", "op lists operations, timeline t.json has each execution"},
    {"slowest", "explain slowest, steps slowest"},
    {"sort", "-order_by FIELD"},
    {"speedscope", "flame; code -output pprof:outfile=FILE is for speedscope"},
    {"sql", kNoSql},
    {"start", kOnCommandLine},
    {"stop", kOnCommandLine},
    {"summarize", kNoSql},
    {"svg", kPictures},
    {"tables", "help lists the commands; there is no SQL"},
    {"tags", kLoaded},
    {"tail", "op 1000 shows all rows"},
    {"tensorboard", "tfprof serve FOLDER, on the command line"},
    {"topproto", "code -output pprof:outfile=FILE"},
    {"traces", "code shows call stacks"},
    {"um_sum", kCopies},
    {"undo", "unset resets the options that set keeps"},
    {"use", "load FILE"},
    {"version", "tfprof --version, on the command line"},
    {"web", "tfprof serve FILE, on the command line, shows a browser's pages"},
    {"what", "advise says what is slow, explain why"},
    {"where", kNoSql},
    {"with", kNoSql},
    {".import", "load FILE"},
    {".mode", "-output json, csv, markdown or table"},
    {".output", "-output csv:outfile=FILE, or > FILE after a command"},
    {".read", "tfprof FILE -f SCRIPT, on the command line"},
    {".schema", "help all lists commands and fields"},
    {".tables", "help lists the commands; there is no SQL"},
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
  // A call, as in Python: "analysis.get_idle_time_breakdown(rank=0)".
  if (const size_t call = plain.find('('); plain.ends_with(')') && call > 0) {
    plain.resize(call);
    plain.erase(0, plain.rfind('.') + 1);
  }
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

// Names of formats that other programs write.
constexpr std::string_view kOtherFormats[] = {
    "avro", "excel",  "feather", "htm",  "md",  "parquet", "pdf",
    "png",  "sqlite", "svg",     "toml", "tsv", "txt",     "wide",
    "xlsx", "xml",    "yaml",    "yml",  "jsn", "jsonl",   "cvs"};

// Whether a word after -o is the name of a format, and so not of a file.
bool IsFormat(std::string_view word) {
  const std::vector<std::string> outputs =
      options::OptionChoices(*options::FindExactOption("output"));
  return std::find(outputs.begin(), outputs.end(), word) != outputs.end() ||
         std::find(std::begin(kOtherFormats), std::end(kOtherFormats), word) !=
             std::end(kOtherFormats);
}

absl::Status WriteTo(std::string path, Command& command) {
  const CommandInfo& info = *command.info;
  options::OutputSpec& output = command.options.output;
  if (const std::string format = Plain(path); IsFormat(format)) {
    const absl::Status known = options::ParseOption(
        *options::FindExactOption("output"), format, command.options);
    if (!known.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{}; a file of this name is -o ./{}",
                      std::string(known.message()), path));
    }
    return options::CheckOutput(output, info.outputs, info.name);
  }
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

std::string KnownWordHint(std::string_view word) {
  if (const CommandInfo* command = CommandMeantBy(word)) {
    return util::DidYouMean(std::vector{std::string(command->name)});
  }
  std::string plain = Plain(word);
  // "focus=mm", as in pprof.
  plain.resize(std::min(plain.find('='), plain.size()));
  std::string instead(MeaningOf(plain, kInstead));
  if (instead.empty() && plain.starts_with('!')) {
    instead = "a command of the system stands after |, as in op | head";
  } else if (instead.empty() && plain.starts_with('?')) {
    instead = "help " + plain.substr(1);
  }
  return instead;
}

std::string CommandHint(std::string_view word) {
  std::string known = KnownWordHint(word);
  if (!known.empty()) return known;
  const std::string plain = Plain(word);
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

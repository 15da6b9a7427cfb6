#include "tests/fuzz/entries.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "exporters/redact/redact.h"
#include "exporters/reference/lttng/status_tables.h"
#include "loaders/chrome_json/chrome/chrome_format.h"
#include "loaders/chrome_json/kineto/format.h"
#include "loaders/chrome_json/ort/ort_format.h"
#include "loaders/core/byte_account.h"
#include "loaders/core/format.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/core/registry.h"
#include "loaders/counters/counter_csv.h"
#include "loaders/ctf/language/metadata.h"
#include "loaders/ctf/packets/decoding_plan.h"
#include "loaders/ctf/packets/trace_files.h"
#include "loaders/ctf/trace_reader.h"
#include "loaders/flight_recorder/format.h"
#include "loaders/memory_snapshot/format.h"
#include "loaders/onnx/format.h"
#include "loaders/perfetto/format.h"
#include "loaders/pprof/format.h"
#include "loaders/rocprof/format.h"
#include "loaders/saved_trace/format.h"
#include "loaders/sqlite/format.h"
#include "loaders/tensorflow/graph_def/graph_def.h"
#include "loaders/tensorflow/op_log/op_log.h"
#include "loaders/tensorflow/pickle/format.h"
#include "loaders/tensorflow/profile_proto/profile_proto.h"
#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "loaders/torch_compile/format.h"
#include "loaders/xplane/format.h"
#include "profile/profile.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/line.h"
#include "profiler/commands/parse.h"
#include "profiler/commands/structured.h"
#include "profiler/options/options.h"
#include "profiler/options/words.h"
#include "profiler/shell/pipe/pipe_request.h"
#include "profiler/shell/terminal/completion.h"
#include "server/http/guard.h"
#include "server/http/http.h"
#include "server/live/live_json.h"
#include "server/question.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/inspect.h"
#include "util/files/wire.h"
#include "util/json/json_reader.h"
#include "views/options.h"

namespace tfprof {
namespace {

// An error must have a message and a code other than OK.
void CheckStatus(const absl::Status& status) {
  if (!status.ok() && status.message().empty()) std::abort();
}

// Each byte is in one class.
void CheckAccount(decltype(loaders::Format::account) account_of,
                  const loaders::InputFile& file) {
  if (account_of == nullptr) return;
  const loaders::ByteAccount account = account_of(file, nullptr);
  const bool adds_up =
      account.total() == static_cast<int64_t>(file.bytes().size());
  if (!adds_up || account.read < 0 || account.skipped() < 0) std::abort();
}

// Loads the file, as step 0 if the format has steps.
absl::Status LoadAs(const loaders::Format& format,
                    std::shared_ptr<const loaders::InputFile> file,
                    loaders::LoadContext& context) {
  const std::vector<loaders::FormatFile> files = {
      {"input", std::move(file), 0}};
  context.builder.SetTicksPerMicro(format.ticks_per_micro);
  if (format.rules != nullptr) context.builder.SetRules(format.rules());
  CheckAccount(format.account, *files.front().file);
  return format.load(files, context);
}

// Fuzzes a format whose executions nest. Its profiles cannot be saved as a
// ProfileProto without loss.
void FuzzTrace(const loaders::Format& format, std::string_view input) {
  loaders::LoadContext context;
  context.builder.SetRules(format.rules());
  context.builder.SetTicksPerMicro(format.ticks_per_micro);
  FuzzInput opened(input);
  CheckStatus(LoadAs(format, opened.file(), context));
  opened.Change();
  const profile::Profile profile = std::move(context.builder).Build();
  for (const auto& step : profile.steps()) {
    for (size_t e = 0; e < step->num_records(); ++e) {
      const auto record = static_cast<profile::RecordRef>(step->exec_record[e]);
      profile.Text(record);
      profile.Arguments(record);
    }
  }
  ReadEverything(profile);
}

void Inspect(loaders::LoadContext& context) {
  const profile::Profile profile = std::move(context.builder).Build();
  ReadEverything(profile);
  SaveAndReopen(profile);
}

// If the file has changed, the saved profile is a mixture and may not open.
void Inspect(loaders::LoadContext& context, FuzzInput& opened) {
  if (!opened.Change()) return Inspect(context);
  const profile::Profile profile = std::move(context.builder).Build();
  ReadEverything(profile);
  SaveAnything(profile);
}

}  // namespace

void FuzzGraphDef(std::string_view input) {
  loaders::LoadContext context;
  FuzzInput opened(input);
  CheckStatus(tensorflow::LoadGraphDef(opened.file(), context));
  Inspect(context, opened);
}

void FuzzProfileProto(std::string_view input) {
  loaders::LoadContext context;
  FuzzInput opened(input);
  CheckStatus(tensorflow::LoadProfileProto(opened.file(), context));
  Inspect(context, opened);
}

void FuzzRunMetadata(std::string_view input) {
  loaders::LoadContext context;
  FuzzInput opened(input);
  for (const int64_t step : {0, 7, 0}) {
    CheckStatus(tensorflow::LoadRunMetadata(opened.file(), step, context));
  }
  Inspect(context, opened);
}

void FuzzOpLog(std::string_view input) {
  loaders::LoadContext context;
  // Every fifth name stays unknown.
  int count = 0;
  util::WireReader log(input);
  while (log.Next()) {
    if (log.tag() != util::LengthTag(1) || ++count % 5 == 0) continue;
    util::WireReader entry(log.view());
    while (entry.Next()) {
      if (entry.tag() == util::LengthTag(1)) {
        context.builder.AddNode(entry.view(), "Op", profile::kNoRecord);
      }
    }
  }
  FuzzInput opened(input);
  CheckStatus(tensorflow::OpLogLoader(context).Load(*opened.file()));
  Inspect(context, opened);
}

void FuzzPprof(std::string_view input) {
  FuzzTrace(pprof::kPprofFormat, input);
}

void FuzzOnnx(std::string_view input) { FuzzTrace(onnx::kOnnxFormat, input); }

void FuzzOrt(std::string_view input) {
  FuzzTrace(chrome_json::kOrtFormat, input);
}

void FuzzChromeTrace(std::string_view input) {
  FuzzTrace(chrome_json::kChromeFormat, input);
}

void FuzzKineto(std::string_view input) {
  FuzzTrace(kineto::kKinetoFormat, input);
}

void FuzzRocprof(std::string_view input) {
  FuzzTrace(rocprof::kRocprofFormat, input);
}

void FuzzPerfetto(std::string_view input) {
  FuzzTrace(perfetto::kPerfettoFormat, input);
}

void FuzzMemorySnapshot(std::string_view input) {
  FuzzTrace(memory_snapshot::kMemorySnapshotFormat, input);
}

void FuzzFlightRecorder(std::string_view input) {
  FuzzTrace(flight_recorder::kFlightRecorderFormat, input);
}

void FuzzCompileLog(std::string_view input) {
  FuzzTrace(torch_compile::kCompileLogFormat, input);
}

void FuzzSqlite(std::string_view input) {
  FuzzTrace(sqlite::kSqliteFormat, input);
}

void FuzzXPlane(std::string_view input) {
  FuzzTrace(xplane::kXPlaneFormat, input);
}

void FuzzSavedTrace(std::string_view input) {
  FuzzTrace(saved_trace::kSavedTraceFormat, input);
}

void FuzzPickle(std::string_view input) {
  FuzzTrace(tensorflow::kPickleFormat, input);
}

void FuzzTextProto(std::string_view input) {
  const loaders::Sniffed sniffed =
      loaders::SniffFormat(input, loaders::Formats());
  for (const loaders::Format* format : loaders::Formats()) {
    const bool fits = format->sniff(input).score > 0;
    if (fits && sniffed.format == nullptr) std::abort();
    if (format->from_text == nullptr) continue;
    loaders::LoadContext context;
    auto binary =
        format->from_text(*FuzzInput(input).file(), context.log, nullptr);
    CheckStatus(binary.status());
    if (!binary.ok()) continue;
    CheckAccount(format->account_text, *FuzzInput(input).file());
    CheckStatus(LoadAs(*format, *std::move(binary), context));
    Inspect(context);
  }
}

void FuzzCommands(std::string_view input) {
  options::Options defaults;
  while (!input.empty()) {
    const size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    const std::vector<std::string> words = options::SplitWords(line);
    for (const std::string& word : words) {
      if (word.empty()) std::abort();
      options::Unquote(word);
      for (const std::string& element : options::SplitList(word)) {
        if (element.empty()) std::abort();
      }
    }
    const absl::StatusOr<commands::Line> split = commands::SplitLine(line);
    CheckStatus(split.status());
    if (split.ok()) {
      const absl::StatusOr<commands::Command> command =
          commands::ParseCommand(split->words, defaults);
      CheckStatus(command.status());
      if (command.ok()) defaults = command->options;
    }
    shell::Complete(line, {});
    const absl::StatusOr<commands::CommandLine> arguments =
        commands::ParseCommandLine(words);
    CheckStatus(arguments.status());
  }
  if (options::FormatOptions(defaults).empty()) std::abort();
}

void FuzzPipe(std::string_view input) {
  options::Options defaults;
  while (!input.empty()) {
    const size_t end = std::min(input.find('\n'), input.size());
    shell::PipeRequest request;
    const absl::Status parsed =
        shell::ParsePipeRequest(input.substr(0, end), request);
    input.remove_prefix(std::min(end + 1, input.size()));
    CheckStatus(parsed);
    // The id becomes part of the reply, so it must be valid JSON.
    util::JsonReader id(request.id);
    id.Skip();
    if (id.damaged() || request.id.empty()) std::abort();
    if (!parsed.ok()) continue;
    const absl::StatusOr<commands::Command> command = commands::MakeCommand(
        request.command, request.arguments, request.options, defaults);
    CheckStatus(command.status());
    if (command.ok()) defaults = command->options;
  }
  if (options::FormatOptions(defaults).empty()) std::abort();
}

void FuzzCtfMetadata(std::string_view input) {
  const auto metadata = ctf::ReadMetadata(input);
  CheckStatus(metadata.status());
  if (metadata.ok()) CheckStatus(ctf::CompilePlan(metadata->types).status());
}

// The metadata ends at the first line "--"; what follows it is a stream.
void FuzzCtf(std::string_view input) {
  constexpr std::string_view kEnd = "\n--\n";
  const size_t end = std::min(input.find(kEnd), input.size());
  const std::string_view stream =
      input.substr(std::min(end + kEnd.size(), input.size()));
  loaders::ImportLog log;
  auto files = ctf::TraceFiles::FromBytes(
      loaders::InputFile::FromBytes("metadata",
                                    std::string(input.substr(0, end))),
      {loaders::InputFile::FromBytes("stream", std::string(stream))}, log);
  CheckStatus(files.status());
  if (!files.ok()) return;
  const auto trace = ctf::ReadContents(*std::move(files), {}, nullptr, log);
  if (!trace.ok()) std::abort();
  for (const ctf::CountedKernel& kernel : trace->counted.kernels) {
    if (kernel.set >= trace->facts.counter_sets.size()) std::abort();
  }
  if (exporters::TraceTables(*trace).empty()) std::abort();
}

void FuzzCounterCsv(std::string_view input) {
  loaders::ImportLog log;
  const auto file = counters::ParseCounterCsv("counters.csv", input, log);
  CheckStatus(file.status());
  if (file.ok() != counters::LooksLikeCounterCsv(input) && file.ok())
    std::abort();
  if (!file.ok()) return;
  for (const loaders::CounterFile::Kernel& kernel : file->kernels) {
    if (kernel.values.size() != file->counters.size()) std::abort();
  }
}

void FuzzViews(std::string_view input) {
  const size_t end = std::min(input.find('\n'), input.size());
  std::vector<std::string> words = {"scope"};
  for (std::string& word : options::SplitWords(input.substr(0, end))) {
    words.push_back(std::move(word));
  }
  input.remove_prefix(std::min(end + 1, input.size()));
  const absl::StatusOr<commands::Command> command =
      commands::ParseCommand(words, options::Options());
  const views::ViewOptions options =
      command.ok() ? command->options.view : views::ViewOptions();
  loaders::LoadContext context;
  FuzzInput opened(input);
  const loaders::Format* format =
      loaders::SniffFormat(input, loaders::Formats()).format;
  // Checkpoints are skipped, because the loader opens their files itself.
  if (format != nullptr && format->index_suffix.empty()) {
    if (format->rules != nullptr) context.builder.SetRules(format->rules());
    context.builder.SetTicksPerMicro(format->ticks_per_micro);
    CheckStatus(LoadAs(*format, opened.file(), context));
  }
  opened.Change();
  ShowEverything(std::move(context.builder).Build(), options);
}

void FuzzRequests(std::string_view input) {
  const server::Guard guard({.address = "127.0.0.1",
                             .port = 8008,
                             .token = "00112233445566778899aabbccddeeff",
                             .cookie = "ffeeddccbbaa99887766554433221100",
                             .read_only = false});
  while (!input.empty()) {
    server::HttpRequest request;
    server::HttpReply refusal;
    size_t used = 0;
    const server::HttpParse parsed =
        server::ParseHttp(input, {}, request, used, refusal);
    if (parsed == server::HttpParse::kRefused && refusal.status < 400)
      std::abort();
    if (parsed != server::HttpParse::kDone) return;
    if (used == 0 || used > input.size()) std::abort();
    input.remove_prefix(used);
    const std::optional<server::HttpReply> answer = guard.Check(request);
    // Only the secrets give access.
    if (!answer && request.Header("cookie") == nullptr &&
        request.Header("authorization") == nullptr) {
      std::abort();
    }
    if (answer) {
      // The head of a reply must not contain lines from the client.
      const std::string head =
          server::HttpHead(*answer, server::HttpLength::kKnown, true);
      if (head.find("\r\n\r\n") + 4 != head.size()) std::abort();
    }
    const absl::StatusOr<server::Question> question = server::ParseQuestion(
        request.path.substr(std::min<size_t>(5, request.path.size())), request);
    CheckStatus(question.status());
  }
}

namespace {

// A parsed record must stay the same when it is written and parsed again.
template <typename Parse, typename Write>
void CheckLiveRoundTrip(std::string_view input, Parse parse, Write write) {
  const auto parsed = parse(input);
  CheckStatus(parsed.status());
  if (!parsed.ok()) return;
  const std::string written = write(*parsed);
  const auto again = parse(written);
  if (!again.ok() || write(*again) != written) std::abort();
}

}  // namespace

void FuzzLive(std::string_view input) {
  CheckLiveRoundTrip(input, server::ParseLiveClient, server::LiveClientFile);
  CheckLiveRoundTrip(input, server::ParseLiveTrace, server::LiveTraceJson);
  CheckStatus(server::ParseLiveMark(input).status());
  const absl::StatusOr<server::LiveUpdate> update =
      server::ParseLiveUpdate(input);
  CheckStatus(update.status());
  if (update.ok() && update->rows.size() > 1001) std::abort();
  const absl::StatusOr<server::LiveRequest> request =
      server::ParseLiveRequest(input);
  CheckStatus(request.status());
  if (request.ok() && request->order.limit < 1) std::abort();
}

void FuzzRedact(std::string_view input) {
  const auto file = loaders::InputFile::FromBytes("f", std::string(input));
  exporters::FoundText(exporters::Look(*file));
  for (const bool names : {false, true}) {
    const auto redaction = exporters::Redact(*file, {.names = names});
    CheckStatus(redaction.status());
    if (!redaction.ok()) continue;
    size_t at = 0;
    for (const exporters::Edit& edit : redaction->edits) {
      if (edit.begin < at || edit.size > input.size() - edit.begin) {
        std::abort();
      }
      at = edit.begin + edit.size;
    }
    util::NullSink sink;
    exporters::WriteEdited(input, redaction->edits, sink);
  }
}

std::span<const FuzzEntry> FuzzEntries() {
  static constexpr FuzzEntry kEntries[] = {
      {"graph_def", FuzzGraphDef},
      {"profile_proto", FuzzProfileProto},
      {"run_metadata", FuzzRunMetadata},
      {"op_log", FuzzOpLog},
      {"pprof", FuzzPprof},
      {"onnx", FuzzOnnx},
      {"ort", FuzzOrt},
      {"chrome_trace", FuzzChromeTrace},
      {"kineto", FuzzKineto},
      {"rocprof", FuzzRocprof},
      {"perfetto", FuzzPerfetto},
      {"sqlite", FuzzSqlite},
      {"memory_snapshot", FuzzMemorySnapshot},
      {"flight_recorder", FuzzFlightRecorder},
      {"compile_log", FuzzCompileLog},
      {"xplane", FuzzXPlane},
      {"saved_trace", FuzzSavedTrace},
      {"ctf", FuzzCtf},
      {"ctf_metadata", FuzzCtfMetadata},
      {"counter_csv", FuzzCounterCsv},
      {"pickle", FuzzPickle},
      {"text_proto", FuzzTextProto},
      {"commands", FuzzCommands},
      {"pipe", FuzzPipe},
      {"views", FuzzViews},
      {"requests", FuzzRequests},
      {"live", FuzzLive},
      {"redact", FuzzRedact},
  };
  return kEntries;
}

}  // namespace tfprof

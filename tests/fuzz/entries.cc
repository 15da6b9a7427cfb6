#include "tests/fuzz/entries.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/format.h"
#include "loaders/input_file.h"
#include "loaders/load_context.h"
#include "loaders/tensorflow/graph_def/graph_def.h"
#include "loaders/tensorflow/op_log/op_log.h"
#include "loaders/tensorflow/profile_proto/profile_proto.h"
#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "loaders/tensorflow/text_proto.h"
#include "profile/profile.h"
#include "profiler/commands/command_line.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/completion.h"
#include "profiler/options/options.h"
#include "profiler/options/words.h"
#include "tests/fuzz/inspect.h"
#include "util/wire.h"
#include "views/options.h"

namespace tfprof {
namespace {

std::shared_ptr<const InputFile> File(std::string_view bytes) {
  return InputFile::FromBytes("input", std::string(bytes));
}

// An error must say something, and not be a success.
void CheckStatus(const absl::Status& status) {
  if (!status.ok() && status.message().empty()) std::abort();
}

absl::Status LoadAs(Format format, std::shared_ptr<const InputFile> file,
                    LoadContext& context) {
  switch (format) {
    case Format::kGraphDef:
      return LoadGraphDef(std::move(file), context);
    case Format::kRunMetadata:
      return LoadRunMetadata(std::move(file), /*step=*/0, context);
    case Format::kOpLog:
      return LoadOpLog(std::move(file), context);
    case Format::kProfileProto:
      return LoadProfileProto(std::move(file), context);
    case Format::kCheckpoint:
    case Format::kUnknown:
      break;
  }
  return absl::OkStatus();
}

void Inspect(LoadContext& context) {
  const Profile profile = std::move(context.builder).Build();
  ReadEverything(profile);
  SaveAndReopen(profile);
}

}  // namespace

void FuzzGraphDef(std::string_view input) {
  LoadContext context;
  CheckStatus(LoadGraphDef(File(input), context));
  Inspect(context);
}

void FuzzProfileProto(std::string_view input) {
  LoadContext context;
  CheckStatus(LoadProfileProto(File(input), context));
  Inspect(context);
}

void FuzzRunMetadata(std::string_view input) {
  LoadContext context;
  for (const int64_t step : {0, 7, 0}) {
    CheckStatus(LoadRunMetadata(File(input), step, context));
  }
  Inspect(context);
}

void FuzzOpLog(std::string_view input) {
  LoadContext context;
  // Every fifth name stays unknown.
  int count = 0;
  WireReader log(input);
  while (log.Next()) {
    if (log.tag() != LengthTag(1) || ++count % 5 == 0) continue;
    WireReader entry(log.view());
    while (entry.Next()) {
      if (entry.tag() == LengthTag(1)) {
        context.builder.AddNode(entry.view(), "Op", kNoRecord);
      }
    }
  }
  CheckStatus(LoadOpLog(File(input), context));
  Inspect(context);
}

void FuzzTextProto(std::string_view input) {
  const Format sniffed = SniffFormat(input).format;
  for (const Format format :
       {Format::kGraphDef, Format::kRunMetadata, Format::kOpLog,
        Format::kProfileProto, Format::kCheckpoint, Format::kUnknown}) {
    if (MayBe(input, format) && sniffed == Format::kUnknown) std::abort();
    LoadContext context;
    auto binary = TextToBinary(*File(input), format, context.log);
    CheckStatus(binary.status());
    if (!binary.ok()) continue;
    CheckStatus(LoadAs(format, *std::move(binary), context));
    Inspect(context);
  }
}

void FuzzCommands(std::string_view input) {
  Options defaults;
  while (!input.empty()) {
    const size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    const std::vector<std::string> words = SplitWords(line);
    for (const std::string& word : words) {
      if (word.empty()) std::abort();
      Unquote(word);
      for (const std::string& element : SplitList(word)) {
        if (element.empty()) std::abort();
      }
    }
    const absl::StatusOr<Command> command = ParseCommand(words, defaults);
    CheckStatus(command.status());
    if (command.ok()) defaults = command->options;
    Complete(line, {});
    const absl::StatusOr<CommandLine> arguments = ParseCommandLine(words);
    CheckStatus(arguments.status());
  }
  if (FormatOptions(defaults).empty()) std::abort();
}

void FuzzViews(std::string_view input) {
  const size_t end = std::min(input.find('\n'), input.size());
  std::vector<std::string> words = {"scope"};
  for (std::string& word : SplitWords(input.substr(0, end))) {
    words.push_back(std::move(word));
  }
  input.remove_prefix(std::min(end + 1, input.size()));
  const absl::StatusOr<Command> command = ParseCommand(words, Options());
  const ViewOptions options =
      command.ok() ? command->options.view : ViewOptions();
  LoadContext context;
  CheckStatus(LoadAs(SniffFormat(input).format, File(input), context));
  ShowEverything(std::move(context.builder).Build(), options);
}

std::span<const FuzzEntry> FuzzEntries() {
  static constexpr FuzzEntry kEntries[] = {
      {"graph_def", FuzzGraphDef},
      {"profile_proto", FuzzProfileProto},
      {"run_metadata", FuzzRunMetadata},
      {"op_log", FuzzOpLog},
      {"text_proto", FuzzTextProto},
      {"commands", FuzzCommands},
      {"views", FuzzViews},
  };
  return kEntries;
}

}  // namespace tfprof

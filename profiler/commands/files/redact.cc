// The command `redact`: a copy of a file without what it gives away.

#include "exporters/redact/redact.h"

#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/core/input_file.h"
#include "profiler/commands/commands.h"
#include "util/files/gzip.h"

namespace tfprof::commands {
namespace {

// An error if writing to `path` would replace something without -force.
absl::Status CheckTarget(const std::string& input, const std::string& path,
                         bool force) {
  struct stat from = {}, to = {};
  if (force || stat(path.c_str(), &to) != 0) return absl::OkStatus();
  if (stat(input.c_str(), &from) == 0 && from.st_dev == to.st_dev &&
      from.st_ino == to.st_ino) {
    return absl::AlreadyExistsError(fmt::format(
        "{} is the file itself, which would be lost; name another file, or "
        "replace it: redact -force {} {}",
        path, input, path));
  }
  if (!S_ISREG(to.st_mode) || to.st_size == 0) return absl::OkStatus();
  return absl::AlreadyExistsError(fmt::format(
      "{} exists; to replace it: redact -force {} {}", path, input, path));
}

absl::Status WriteRedacted(const loaders::InputFile& file,
                           const std::vector<exporters::Edit>& edits,
                           bool compressed, util::Sink& sink) {
  if (compressed) {
    util::GzipSink gzip(sink);
    exporters::WriteEdited(file.bytes(), edits, gzip);
    absl::Status written = gzip.Finish();
    if (!written.ok()) return written;
  } else {
    exporters::WriteEdited(file.bytes(), edits, sink);
  }
  return file.CheckUnchanged("while it was read");
}

tables::Answer RunRedact(const Command& command, Workspace& workspace) {
  const std::string& input = command.arguments[0];
  if (command.arguments.size() < 2) {
    return tables::ErrorAnswer(absl::InvalidArgumentError(
        fmt::format("where to? Name the new file: redact {} -o FILE", input)));
  }
  const std::string& path = command.arguments[1];
  absl::Status target = CheckTarget(input, path, command.options.force);
  if (!target.ok()) return tables::ErrorAnswer(std::move(target));
  const auto file =
      loaders::InputFile::Open(input, {}, workspace.work.cancellation);
  if (!file.ok()) return tables::ErrorAnswer(file.status());
  absl::StatusOr<exporters::Redaction> made =
      exporters::Redact(**file, {.names = command.options.names});
  if (!made.ok()) return tables::ErrorAnswer(made.status());
  tables::Answer answer;
  const auto& kept = answer.Keep(*file);
  const exporters::Redaction& redaction = answer.Keep(*std::move(made));
  const bool compressed = path.ends_with(".gz");
  answer.files.push_back(
      {.path = path,
       .write = [&kept, &redaction, compressed](util::Sink& sink) {
         return WriteRedacted(*kept, redaction.edits, compressed, sink);
       }});
  answer.met = [&redaction, path] {
    const std::string found = exporters::FoundText(redaction.redactor);
    return std::vector<std::string>{
        found.empty() ? "Nothing was found that had to be replaced."
                      : fmt::format("Replaced: {}.", found),
        fmt::format("The redacted file is written to {}.", path)};
  };
  return answer;
}

}  // namespace

extern constinit const CommandInfo kRedactCommand = {
    .name = "redact",
    .arguments = "FILE -o NEW",
    .min_arguments = 1,
    .max_arguments = 2,
    .inputs = CommandInfo::Inputs::kNone,
    .help =
        "Copy a trace without what it gives away: environment variables, "
        "command lines, tokens, passwords, host names, e-mail addresses and "
        "names of users in paths; with -names also names that the author of "
        "the program chose. Numbers stay. Says what was replaced.",
    .answers = "How can I attach this trace to an issue?",
    .examples = {"redact trace.json.gz -o shared.json.gz",
                 "redact -names trace.json -o shared.json"},
    .completes = options::Completes::kFile,
    .options = options::kSaveOptions | options::kRedactOptions,
    .run = RunRedact};

}  // namespace tfprof::commands

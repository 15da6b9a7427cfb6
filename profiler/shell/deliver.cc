#include "profiler/shell/deliver.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "fmt/format.h"
#include "profiler/shell/long_work.h"
#include "profiler/shell/new_folder.h"
#include "tables/writers/answer_writer.h"
#include "util/files/sink.h"
#include "util/json/json_string.h"
#include "util/run/progress.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::shell {
namespace {

using Type = options::OutputSpec::Type;

bool HasContent(const tables::Answer& answer) {
  return !answer.data.kind.empty() || !answer.forms.empty();
}

bool IsColored(const options::Options& options, const Screen& screen) {
  return options.color == options::ColorMode::kAlways ||
         (options.color == options::ColorMode::kAuto && screen.color);
}

// The lines of an introduction that were not shown before.
std::string Unseen(std::string_view introduction, SeenSentences& seen) {
  std::string lines;
  while (!introduction.empty()) {
    const size_t end = std::min(introduction.find('\n'), introduction.size());
    const std::string_view line = introduction.substr(0, end);
    if (seen.emplace(line).second) lines += fmt::format("{}\n", line);
    introduction.remove_prefix(std::min(end + 1, introduction.size()));
  }
  return lines;
}

void WriteNotes(const std::vector<std::string>& notes, Ui& ui) {
  // A terminal would break lines inside of words.
  const Screen screen = ui.screen();
  for (const std::string& note : notes) {
    const std::string line = note + "\n";
    ui.Note(screen.terminal
                ? util::FitLines(line, screen.width, /*broken=*/false)
                : line);
  }
}

// `written`, unless the answer came from files that have changed: that explains
// other errors, too.
absl::Status Checked(const commands::IntactFiles& intact,
                     const absl::Status& written) {
  const absl::Status files = intact();
  return files.ok() ? written : files;
}

absl::Status WriteFolder(const tables::Answer& answer,
                         const commands::IntactFiles& intact, Ui& ui) {
  size_t work = 0;
  for (const tables::Answer::File& file : answer.files) work += file.work;
  NewFolder folder(answer.folder, work, &ui.cancellation());
  absl::Status status = folder.Make();
  for (const tables::Answer::File& file : answer.files) {
    if (status.ok()) status = folder.Write(file.path, file.work, file.write);
  }
  status = Checked(intact, status);
  return status.ok() ? folder.Commit() : status;
}

absl::Status WriteFiles(const tables::Answer& answer,
                        const commands::IntactFiles& intact, Ui& ui) {
  if (!answer.folder.empty()) return WriteFolder(answer, intact, ui);
  for (const tables::Answer::File& file : answer.files) {
    const auto write = [&](util::Sink& sink) {
      ui.out().Write(file.begins);
      return Checked(intact, file.write(sink));
    };
    const absl::Status written =
        WriteFileWithBar(file.path, write, &ui.cancellation());
    if (!written.ok()) {
      return file.failed && !ui.cancellation().requested()
                 ? file.failed(written)
                 : written;
    }
    if (file.done) {
      ui.out().Write(file.done());
      ui.Flush();
    }
  }
  return absl::OkStatus();
}

// The format that -output asks for, or the answer's own.
std::string_view FormatOf(const tables::Answer& answer,
                          const options::Options& options, Type type) {
  const options::OutputInfo& output = options::FindOutput(type);
  if (output.is_format) return output.name;
  return tables::DefaultFormat(answer, options.agent && type == Type::kStdout,
                               options.InReferenceForm());
}

absl::Status WriteToFile(const tables::Answer& answer, std::string_view format,
                         tables::WriteOptions write, const std::string& path,
                         const commands::IntactFiles& intact,
                         const util::Cancellation& cancellation) {
  util::Progress progress;
  progress.total = static_cast<int64_t>(tables::AnswerRows(answer));
  write.progress = &progress;
  const util::ProgressBar bar("writing", progress, " rows");
  return util::WriteFile(
      path,
      [&](util::Sink& file) {
        return Checked(intact,
                       tables::WriteAnswer(answer, format, write, file));
      },
      {.cancellation = &cancellation});
}

absl::Status WriteToScreen(tables::Answer& answer, std::string_view format,
                           Type type, tables::WriteOptions write,
                           SeenSentences& seen, Ui& ui) {
  const Screen screen = ui.screen();
  // A table that is cut to the window by default is whole with -output table.
  const bool window =
      screen.terminal && (type == Type::kStdout || !answer.cut_to_window);
  tables::WindowFit fit;
  if (window) {
    write.look.width = screen.width;
    write.look.bars = true;
    write.look.unicode = screen.unicode;
    fit = tables::FitWindow(answer, format, write.look, screen.height,
                            screen.pager);
    write.look.height = fit.height;
  }
  const bool introduced = window && type == Type::kStdout && format == "table";
  answer.introduction =
      introduced ? Unseen(answer.introduction, seen) : std::string();
  absl::Status written;
  if (write.budget != SIZE_MAX) {
    ui.Show({}, [&](util::Sink& sink) {
      written = tables::WriteForAgent(answer, write, sink);
    });
  } else if (tables::IsSafe(answer, format)) {
    // An introduction scrolls away, and the header with it.
    const size_t header = answer.introduction.empty() ? fit.header : 0;
    ui.Show({.wanted = fit.pager, .header = header}, [&](util::Sink& sink) {
      written = tables::WriteAnswer(answer, format, write, sink);
    });
  } else {
    written = tables::WriteAnswer(answer, format, write, ui.out());
    ui.Flush();
  }
  return written;
}

absl::Status WriteContent(tables::Answer& answer,
                          const commands::Command& command,
                          const commands::IntactFiles& intact,
                          SeenSentences& seen, Ui& ui) {
  const options::Options& options = command.options;
  const Screen screen = ui.screen();
  const bool ignored = answer.ignores_output &&
                       !options::FindOutput(options.output.type).is_format;
  const Type type = ignored ? Type::kStdout : options.output.type;
  const std::string_view format = FormatOf(answer, options, type);
  tables::WriteOptions write;
  write.line = commands::SpellCommand(command);
  write.narrowing = commands::NarrowingOptions(*command.info);
  if (type == Type::kNone) {
    // Only the notes from writing are needed. The text is not kept: for a deep
    // tree it is quadratic in the depth.
    if (!answer.met || answer.FindForm(format) == nullptr) {
      return absl::OkStatus();
    }
    util::NullSink nowhere;
    return tables::WriteAnswer(answer, format, write, nowhere);
  }
  const std::string path = ignored ? "" : options.output.file();
  if (!path.empty()) {
    write.look.color = options.color == options::ColorMode::kAlways;
    answer.introduction.clear();
    return WriteToFile(answer, format, std::move(write), path, intact,
                       ui.cancellation());
  }
  write.look.color = IsColored(options, screen);
  if (options.agent && type == Type::kStdout) {
    write.budget = static_cast<size_t>(options.budget);
  }
  return WriteToScreen(answer, format, type, std::move(write), seen, ui);
}

}  // namespace

std::string ErrorText(const absl::Status& status, bool reference) {
  std::string message(status.message());
  // A name of a profile that has a newline, in what was found instead, would
  // make a line that looks like ours.
  if (absl::IsNotFound(status)) message = util::SafeText(message);
  if (!reference || absl::IsFailedPrecondition(status)) return message;
  return fmt::format("{}: {}", absl::StatusCodeToString(status.code()),
                     message);
}

void ReportError(const absl::Status& status, std::string_view words, bool agent,
                 Ui& ui) {
  if (!agent) {
    const Screen screen = ui.screen();
    const std::string line = fmt::format("{}\n", words);
    return ui.Error(screen.terminal
                        ? util::FitLines(line, screen.width, /*broken=*/false)
                        : line);
  }
  std::string message(status.message());
  while (!message.empty() && message.back() == '\n') message.pop_back();
  ui.Error(
      fmt::format("{{\"error\":{{\"code\":{},\"message\":{}}}}}\n",
                  util::JsonString(absl::StatusCodeToString(status.code())),
                  util::JsonString(message)));
}

absl::Status Deliver(tables::Answer answer, const commands::Command& command,
                     SeenSentences& seen, Ui& ui,
                     const commands::IntactFiles& intact) {
  WriteNotes(answer.notes, ui);
  const bool has_content = HasContent(answer);
  absl::Status status;
  if (!answer.files.empty()) {
    status = WriteFiles(answer, intact, ui);
  } else if (has_content) {
    status = WriteContent(answer, command, intact, seen, ui);
  }
  if (ui.cancellation().requested()) return absl::CancelledError("cancelled");
  status = Checked(intact, status);
  if (status.ok() && answer.met) WriteNotes(answer.met(), ui);
  const bool verdict = status.ok() && has_content;
  if (status.ok()) status = answer.status;
  if (!status.ok() && !verdict) {
    ReportError(status, ErrorText(status, command.options.InReferenceForm()),
                command.options.agent, ui);
  }
  return status;
}

}  // namespace tfprof::shell

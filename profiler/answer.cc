#include "profiler/answer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/data_output.h"
#include "tables/answer_writer.h"
#include "util/progress.h"
#include "util/sink.h"

namespace tfprof {
namespace {

using Type = OutputSpec::Type;

std::string_view FormatOf(const Answer& answer, const Options& options,
                          bool terminal) {
  const Type type = options.output.type;
  if (type == Type::kStdout) {
    return DefaultFormat(answer, options.agent, terminal);
  }
  if (type == Type::kFile) {
    return DefaultFormat(answer, /*agent=*/false, /*terminal=*/false);
  }
  return OutputName(type);
}

}  // namespace

bool IsForReading(const Options& options) {
  const auto format = DataFormatOf(options.output.type);
  if (format.has_value()) return options.output.type == Type::kTable;
  return !options.agent || options.output.type != Type::kStdout;
}

absl::Status WriteAnswer(Answer answer, const Command& command,
                         std::string line, Ui& ui) {
  const Options& options = command.options;
  const Type type = options.output.type;
  const absl::Status known =
      CheckOutput(command, answer.FindForm("junit") != nullptr);
  if (!known.ok() || type == Type::kNone) return known;
  AddCommand(line, &answer);
  WriteOptions write;
  write.line = std::move(line);
  write.narrowing = NarrowingOptions(command);
  const Screen screen = ui.screen();
  const std::string_view format = FormatOf(answer, options, screen.terminal);
  const std::string outfile =
      type == Type::kStdout ? "" : options.output.outfile();
  if (!outfile.empty()) {
    write.look.color = options.color == ColorMode::kAlways;
    Progress progress;
    progress.total = static_cast<int64_t>(AnswerRows(answer));
    write.progress = &progress;
    const ProgressBar bar("writing", progress, " rows");
    return WriteFile(outfile, [&](Sink& file) {
      return WriteAnswer(answer, format, write, file);
    });
  }
  write.look.color = Colored(options, screen);
  // A table that is cut to a window is whole where somebody asks for it.
  const bool window =
      screen.terminal && (type == Type::kStdout || !answer.cut_to_window);
  WindowFit fit;
  if (window) {
    write.look.width = screen.width;
    write.look.bars = true;
    write.look.unicode = screen.unicode;
    fit = FitWindow(answer, format, write.look, screen.height, screen.pager);
    write.look.height = fit.height;
  }
  if (!IsSafe(answer, format)) {
    const absl::Status written = WriteAnswer(answer, format, write, ui.out());
    ui.Flush();
    return written;
  }
  absl::Status written;
  ui.Show(fit.pager, [&](Sink& sink) {
    written = WriteAnswer(answer, format, write, sink);
  });
  return written;
}

absl::Status WriteAnswer(Answer answer, const Command& command, Ui& ui) {
  return WriteAnswer(std::move(answer), command, SpellCommand(command), ui);
}

}  // namespace tfprof

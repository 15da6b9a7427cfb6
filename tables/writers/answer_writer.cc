#include "tables/writers/answer_writer.h"

#include <algorithm>

#include "fmt/format.h"
#include "tables/writers/csv_writer.h"
#include "tables/writers/json_writer.h"
#include "tables/writers/markdown_writer.h"
#include "tables/writers/ndjson_writer.h"
#include "tables/writers/render_table.h"
#include "tables/writers/screen_writer.h"

namespace tfprof::tables {
namespace {

constexpr std::string_view kTable = "table";
constexpr std::string_view kAgent = "agent";
constexpr std::string_view kText = "text";

constexpr AnswerFormat kFormats[] = {
    {"json", [](const Answer& answer, const WriteOptions&,
                util::Sink& sink) { WriteJson(answer.data, sink); }},
    {"ndjson", [](const Answer& answer, const WriteOptions&,
                  util::Sink& sink) { WriteNdjson(answer.data, sink); }},
    {"csv", [](const Answer& answer, const WriteOptions&,
               util::Sink& sink) { WriteCsv(answer.data, sink); }},
    {"markdown",
     [](const Answer& answer, const WriteOptions&, util::Sink& sink) {
       WriteMarkdown(answer.data, {}, sink);
     }},
    {kTable,
     [](const Answer& answer, const WriteOptions& options, util::Sink& sink) {
       WriteScreen(answer.data, answer.introduction, options.look, sink);
     }},
    {kAgent,
     [](const Answer& answer, const WriteOptions& options, util::Sink& sink) {
       WriteForAgent(answer.data, options.line, options.narrowing,
                     options.budget, sink);
     }},
};

// The answer's own form with that name, or the common format. Both are nullptr
// if neither exists.
struct Way {
  const Answer::Form* form = nullptr;
  const AnswerFormat* format = nullptr;
};

Way FindWay(const Answer& answer, std::string_view name) {
  if (const auto* form = answer.FindForm(name)) return {.form = form};
  return {.format = FindAnswerFormat(name == kText ? kTable : name)};
}

// Returns a copy of the answer that counts its rows as they are produced.
Answer Counted(const Answer& answer, util::Progress* progress) {
  Answer counted = answer;
  int64_t before = 0;
  for (auto& [title, table] : counted.data.parts) {
    table.cells = [progress, before, cells = std::move(table.cells)](
                      size_t row, std::vector<DataCell>& row_cells) {
      progress->done = before + static_cast<int64_t>(row);
      cells(row, row_cells);
    };
    before += static_cast<int64_t>(table.num_rows);
  }
  return counted;
}

class LineCounter final : public util::Sink {
 public:
  void Write(std::string_view bytes) override {
    lines_ += static_cast<size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  }
  size_t lines() const { return lines_; }

 private:
  size_t lines_ = 0;
};

}  // namespace

std::span<const AnswerFormat> AnswerFormats() { return kFormats; }

const AnswerFormat* FindAnswerFormat(std::string_view name) {
  for (const AnswerFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

absl::Status WriteAnswer(const Answer& answer, std::string_view format,
                         const WriteOptions& options, util::Sink& sink) {
  const Way way = FindWay(answer, format);
  if (way.form != nullptr) {
    way.form->write(options.look, sink);
  } else if (way.format == nullptr) {
    std::string names;
    for (const AnswerFormat& known : kFormats) {
      names += fmt::format("{}, ", known.name);
    }
    for (const Answer::Form& form : answer.forms) {
      names += fmt::format("{}, ", form.name);
    }
    names.resize(names.size() - 2);
    return absl::InvalidArgumentError(
        fmt::format("{} cannot be written as {}, only as {}", answer.data.kind,
                    format, names));
  } else if (options.progress != nullptr) {
    way.format->write(Counted(answer, options.progress), options, sink);
  } else {
    way.format->write(answer, options, sink);
  }
  return absl::OkStatus();
}

absl::Status WriteForAgent(const Answer& answer, const WriteOptions& options,
                           util::Sink& sink) {
  util::StringSink all;
  absl::Status status = WriteAnswer(
      answer, DefaultFormat(answer, /*agent=*/true, /*reference=*/false),
      options, all);
  std::string text = all.text();
  CutToBudget(options.budget, text);
  sink.Write(text);
  return status;
}

std::string_view DefaultFormat(const Answer& answer, bool agent,
                               bool reference) {
  const std::string& form = agent ? answer.agent_form
                            : reference && !answer.reference_form.empty()
                                ? answer.reference_form
                                : answer.own_form;
  return !form.empty() ? form : agent ? kAgent : kTable;
}

bool IsSafe(const Answer& answer, std::string_view format) {
  const Way way = FindWay(answer, format);
  return way.form == nullptr || way.form->safe;
}

size_t AnswerRows(const Answer& answer) {
  size_t rows = 0;
  for (const auto& [title, table] : answer.data.parts) rows += table.num_rows;
  return rows;
}

size_t AnswerLines(const Answer& answer, std::string_view format,
                   const TextLook& look) {
  const Way way = FindWay(answer, format);
  if (way.form != nullptr) {
    LineCounter counter;
    way.form->write(look, counter);
    return counter.lines();
  }
  return way.format == nullptr || way.format->name != kTable
             ? 0
             : ScreenLines(answer.data, look);
}

// Returns the number of lines before the first row of an answer with one table,
// 0 for other answers.
size_t HeaderLines(const Answer& answer, std::string_view format,
                   const TextLook& look) {
  const Way way = FindWay(answer, format);
  if (way.form != nullptr) {
    return way.form->header ? way.form->header(look) : 0;
  }
  if (way.format == nullptr || way.format->name != kTable ||
      !answer.data.is_one_table()) {
    return 0;
  }
  const DataTable& table = answer.data.parts[0].table;
  return ScreenLines(answer.data, look) - TableLines(table) + 1;
}

WindowFit FitWindow(const Answer& answer, std::string_view format,
                    const TextLook& look, size_t height, bool has_pager) {
  const size_t room = height > 1 ? height - 1 : 1;
  WindowFit fit;
  if (answer.fits_window && answer.FindForm(format) != nullptr) {
    fit.height = room;
    return fit;
  }
  fit.pager = has_pager && AnswerLines(answer, format, look) > room;
  // Rows need most of the window, so a long header scrolls.
  if (fit.pager) fit.header = HeaderLines(answer, format, look);
  if (fit.header > height / 3) fit.header = 0;
  if (!fit.pager && answer.cut_to_window) fit.height = room;
  return fit;
}

}  // namespace tfprof::tables

// Writes an Answer as bytes. All outputs are made here.
//
//   const std::string_view format = DefaultFormat(answer, agent, terminal);
//   const absl::Status written = WriteAnswer(answer, format, options, sink);
//
// A format is a word of -output. Every answer has these; the table in
// answer_writer.cc has a row for each:
//
//   json      one object (json_writer.h)
//   ndjson    a line for each row (ndjson_writer.h)
//   csv       RFC 4180 (csv_writer.h)
//   markdown  (markdown_writer.h)
//   table     aligned columns for people, after the facts (screen_writer.h)
//   agent     Markdown of few rows and bytes, and how to get the rest
//
// An answer may have further forms of its own: "text", "junit". For an answer
// without the form "text", `text` is its table.
//
// Everything here is a function of its arguments: nothing asks for a terminal,
// opens a file or reads an option. g3doc/output_schema.md describes the bytes.

#ifndef TFPROF_TABLES_ANSWER_WRITER_H_
#define TFPROF_TABLES_ANSWER_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tables/answer.h"
#include "tables/text_look.h"
#include "util/progress.h"
#include "util/sink.h"

namespace tfprof {

struct WriteOptions {
  // The layout of tables and of the answer's forms.
  TextLook look;
  // For "agent": the command line of the answer ("op -step 1"), and the names
  // of options that select other or fewer rows ("select").
  std::string line;
  std::vector<std::string> narrowing;
  // For "agent": the most tokens (util/token_count.h).
  size_t budget = SIZE_MAX;
  // Receives the number of rows written so far. The caller sets its total, see
  // AnswerRows(). May be nullptr.
  Progress* progress = nullptr;
};

struct AnswerFormat {
  std::string_view name;
  void (*write)(const Answer& answer, const WriteOptions& options, Sink& sink);
};

// The formats that every answer has, in the order in which help lists them.
std::span<const AnswerFormat> AnswerFormats();
// nullptr: no format has this name.
const AnswerFormat* FindAnswerFormat(std::string_view name);

// The answer for an agent, in its own form or as "agent", of at most
// options.budget tokens: CutToBudget() cuts what is longer. Errors are those of
// WriteAnswer().
absl::Status WriteForAgent(const Answer& answer, const WriteOptions& options,
                           Sink& sink);

// InvalidArgument: `format` is neither in AnswerFormats() nor a form of this
// answer; nothing was written then.
absl::Status WriteAnswer(const Answer& answer, std::string_view format,
                         const WriteOptions& options, Sink& sink);

// The format if -output names none.
std::string_view DefaultFormat(const Answer& answer, bool agent, bool terminal);

// False: the caller must make the bytes harmless before they go to a terminal.
// This holds for forms with the exact bytes of the reference.
bool IsSafe(const Answer& answer, std::string_view format);

// The number of rows of all tables.
size_t AnswerRows(const Answer& answer);
// The number of lines of the answer as a table or in one of its own forms, if
// no line of a table is broken or cut. The introduction does not count: it may
// scroll away. 0 for formats that programs read: they are not fitted to a
// window.
size_t AnswerLines(const Answer& answer, std::string_view format,
                   const TextLook& look);

// How an answer is shown in a window of `height` lines, of which the prompt
// needs one.
struct WindowFit {
  bool pager = false;  // the answer is longer, and there is a pager
  size_t height = 0;   // for TextLook
  size_t header = 0;   // lines before the first row, if there is one table
};
WindowFit FitWindow(const Answer& answer, std::string_view format,
                    const TextLook& look, size_t height, bool has_pager);

}  // namespace tfprof

#endif  // TFPROF_TABLES_ANSWER_WRITER_H_

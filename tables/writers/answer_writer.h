// Writes an Answer in any output format.
//
//   const std::string_view format = DefaultFormat(answer, agent, reference);
//   const absl::Status written = WriteAnswer(answer, format, options, sink);
//
// A format is a word for -output. Every answer supports these; the table in
// answer_writer.cc has a row for each:
//
//   json      one object (json_writer.h)
//   ndjson    one line per row (ndjson_writer.h)
//   csv       RFC 4180 (csv_writer.h)
//   markdown  (markdown_writer.h)
//   table     aligned columns for people, after the facts (screen_writer.h)
//   agent     short Markdown, and how to get the rest
//
// An answer may have additional forms: "text", "junit". If an answer has no
// form "text", `text` is its table.
//
// The functions depend only on their arguments: they do not check for a
// terminal, open files or read options. g3doc/output_schema.md describes the
// formats.

#ifndef TFPROF_TABLES_WRITERS_ANSWER_WRITER_H_
#define TFPROF_TABLES_WRITERS_ANSWER_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tables/answer.h"
#include "tables/text_look.h"
#include "util/files/sink.h"
#include "util/run/progress.h"

namespace tfprof::tables {

struct WriteOptions {
  // The layout of tables and of the answer's forms.
  TextLook look;
  // For "agent": the command line of the answer ("op -step 1"), and the names
  // of options that select other or fewer rows ("select").
  std::string line;
  std::vector<std::string> narrowing;
  // For "agent": the maximum number of tokens (util/text/token_count.h).
  size_t budget = SIZE_MAX;
  // Receives the number of rows written so far; may be nullptr. The caller sets
  // its total, see AnswerRows().
  util::Progress* progress = nullptr;
};

struct AnswerFormat {
  std::string_view name;
  void (*write)(const Answer& answer, const WriteOptions& options,
                util::Sink& sink);
};

// Returns the formats that every answer has, in the order of the help.
std::span<const AnswerFormat> AnswerFormats();
// Returns nullptr if there is no format with this name.
const AnswerFormat* FindAnswerFormat(std::string_view name);

// Writes the answer for an agent, in its own form or as "agent", with at most
// options.budget tokens: CutToBudget() shortens longer texts. Errors are those
// of WriteAnswer().
absl::Status WriteForAgent(const Answer& answer, const WriteOptions& options,
                           util::Sink& sink);

// Returns InvalidArgument, and writes nothing, if `format` is neither in
// AnswerFormats() nor a form of this answer.
absl::Status WriteAnswer(const Answer& answer, std::string_view format,
                         const WriteOptions& options, util::Sink& sink);

// Returns the format to use if -output names none. `reference`: the program was
// called as the reference is. Whether a terminal shows the answer makes no
// difference.
std::string_view DefaultFormat(const Answer& answer, bool agent,
                               bool reference);

// Returns false if the caller must make the bytes safe before writing them to a
// terminal. This is the case for forms with the exact bytes of the reference.
bool IsSafe(const Answer& answer, std::string_view format);

// Returns the number of rows of all tables.
size_t AnswerRows(const Answer& answer);
// Returns the number of lines of the answer as a table or in one of its own
// forms, if no line of a table is broken or cut. The introduction does not
// count, because it may scroll away. Returns 0 for formats for programs, which
// are not fitted to a window.
size_t AnswerLines(const Answer& answer, std::string_view format,
                   const TextLook& look);

// How to show an answer in a window of `height` lines, one of which is for the
// prompt.
struct WindowFit {
  bool pager = false;  // the answer is too long, and there is a pager
  size_t height = 0;   // for TextLook
  size_t header = 0;   // lines before the first row, if there is one table
};
WindowFit FitWindow(const Answer& answer, std::string_view format,
                    const TextLook& look, size_t height, bool has_pager);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_ANSWER_WRITER_H_

// The way of an Answer to bytes: the only one.
//
//   const std::string_view format = DefaultFormat(answer, agent, terminal);
//   const absl::Status written = WriteAnswer(answer, format, options, sink);
//
// A format is a word of -output. The table in answer_writer.cc has a row for
// each one that every answer has:
//
//   json      one object (json_writer.h)
//   ndjson    a line for each row (ndjson_writer.h)
//   csv       RFC 4180 (csv_writer.h)
//   markdown  (markdown_writer.h)
//   table     aligned columns for people, after the facts (screen_writer.h)
//   agent     Markdown of few rows and bytes, and how to get the rest
//
// An answer may have further forms of its own: "text", "junit". `text` of an
// answer without such a form is its table.
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
  // Of tables and of the answer's forms.
  TextLook look;
  // For "agent": the line that gives the answer, "op -step 1", and the names of
  // the options that choose other rows or fewer, "select".
  std::string line;
  std::vector<std::string> narrowing;
  // Gets the number of rows that are written already; its total is the caller's
  // to set, see AnswerRows(). May be nullptr.
  Progress* progress = nullptr;
};

struct AnswerFormat {
  std::string_view name;
  void (*write)(const Answer& answer, const WriteOptions& options, Sink& sink);
};

// The formats that every answer has, in the order in which help lists them.
std::span<const AnswerFormat> AnswerFormats();
// nullptr: there is none of this name.
const AnswerFormat* FindAnswerFormat(std::string_view name);

// InvalidArgument: `format` is neither in AnswerFormats() nor a form of this
// answer; nothing was written then.
absl::Status WriteAnswer(const Answer& answer, std::string_view format,
                         const WriteOptions& options, Sink& sink);

// The format where nobody asked for one.
std::string_view DefaultFormat(const Answer& answer, bool agent, bool terminal);

// False: the bytes are to be made harmless before a terminal gets them. So it
// is with forms that are exactly the reference's.
bool IsSafe(const Answer& answer, std::string_view format);

// Rows of all its tables.
size_t AnswerRows(const Answer& answer);
// Lines that it takes as a table or in a form of its own, when no line of a
// table is broken and none is cut, without the introduction, which may scroll
// away. 0 for the formats that programs read: no window is asked to show them.
size_t AnswerLines(const Answer& answer, std::string_view format,
                   const TextLook& look);

// How an answer is shown in a window of `height` lines, of which the prompt
// needs one.
struct WindowFit {
  bool pager = false;  // it is longer, and a pager can show it
  size_t height = 0;   // for TextLook
};
WindowFit FitWindow(const Answer& answer, std::string_view format,
                    const TextLook& look, size_t height, bool has_pager);

}  // namespace tfprof

#endif  // TFPROF_TABLES_ANSWER_WRITER_H_

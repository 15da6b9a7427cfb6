// A DataTable or a DataDocument for programs: JSON, NDJSON, CSV, Markdown.
// g3doc/output_schema.md describes them, g3doc/output.schema.json the first.
//
// Rows are written as they are made; nothing is kept. JSON is valid whatever
// bytes a name holds (json_string.h). In CSV and Markdown, which people open in
// programs that interpret them, names are first made harmless (safe_text.h);
// then a cell of CSV is never a formula, and one of Markdown never markup.
// Numbers are written in full and in the C locale; nothing and what is no
// number is null, or an empty cell.

#ifndef TFPROF_TABLES_DATA_WRITERS_H_
#define TFPROF_TABLES_DATA_WRITERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tables/data_table.h"
#include "util/sink.h"

namespace tfprof {

enum class DataFormat { kJson, kNdjson, kCsv, kMarkdown, kTable };

// One object, a row a line.
void WriteJson(const DataTable& table, Sink& sink);

// A line with all but the rows, then a line for each row.
void WriteNdjson(const DataTable& table, Sink& sink);

// RFC 4180, with the names of the columns as the first line. A text that a
// spreadsheet would compute (it begins with = + - or @) gets an apostrophe
// before it.
void WriteCsv(const DataTable& table, Sink& sink);

// How much a reader with little room gets.
struct MarkdownLimits {
  size_t max_rows = SIZE_MAX;     // of a table
  size_t max_bytes = SIZE_MAX;    // of rows
  size_t max_columns = SIZE_MAX;  // of the text of a cell, see Shortened()
  int max_rank = INT32_MAX;       // of columns
  // What is appended to the command that writes all rows; shown when some are
  // left out.
  std::string to_file;
  // That command; of a table that has another one (DataTable::rest), that.
  std::string all_rows;
};
void WriteMarkdown(const DataTable& table, Sink& sink,
                   const MarkdownLimits& limits = {});
// The table alone, an empty line, and those that say what it lacks, if any.
struct MarkdownWritten {
  size_t bytes = 0;  // of rows
  bool cut = false;  // something is said to be missing
};
MarkdownWritten WriteMarkdownRows(const DataTable& table, Sink& sink,
                                  const MarkdownLimits& limits = {});

// Any of them, or an aligned table without colour (render_table.h).
void WriteData(const DataTable& table, DataFormat format, Sink& sink);

// The same for a document: one object of JSON with the tables by name; NDJSON
// whose rows say their table first; one table of CSV, with the name of the
// table as the first column, then those of the facts and of all tables; and
// Markdown with a heading for each table that has rows. `max_bytes` is shared
// by the tables.
void WriteJson(const DataDocument& document, Sink& sink);
void WriteNdjson(const DataDocument& document, Sink& sink);
void WriteCsv(const DataDocument& document, Sink& sink);
void WriteMarkdown(const DataDocument& document, Sink& sink,
                   const MarkdownLimits& limits = {});

}  // namespace tfprof

#endif  // TFPROF_TABLES_DATA_WRITERS_H_

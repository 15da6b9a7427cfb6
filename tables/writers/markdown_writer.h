// Writes an answer as Markdown: a line with its kind and facts, then the table,
// or each table that has rows under a heading.
//
// Names are made safe (safe_text.h) and never become markup. Limits can reduce
// rows, columns and names for a reader with little space; then a line tells how
// much is missing and how to get it. If a list has costs (DataColumn::heat),
// the rows with the largest costs stay, in their order; otherwise the first
// rows stay.

#ifndef TFPROF_TABLES_WRITERS_MARKDOWN_WRITER_H_
#define TFPROF_TABLES_WRITERS_MARKDOWN_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tables/data_table.h"
#include "util/files/sink.h"

namespace tfprof::tables {

struct MarkdownLimits {
  size_t max_rows = SIZE_MAX;     // per table
  size_t max_tokens = SIZE_MAX;   // for all tables (util/text/token_count.h)
  size_t max_columns = SIZE_MAX;  // of the text in a cell, see Shortened()
  int max_rank = INT32_MAX;       // of columns
  // The command that shows all rows, printed if some are missing. A table with
  // its own command (DataTable::rest) prints that one.
  std::string all_rows;
  // Appended to that command to write a file.
  std::string to_file;
};

void WriteMarkdown(const DataDocument& document, const MarkdownLimits& limits,
                   util::Sink& sink);

// Writes for an agent: no minor columns, as many rows as fit into `budget`
// tokens, and how to get more. `line` is the command of the answer ("op -step
// 1"), and `narrowing` are the options that select other rows ("select").
// Returns the number of written rows.
size_t WriteForAgent(const DataDocument& document, const std::string& line,
                     const std::vector<std::string>& narrowing, size_t budget,
                     util::Sink& sink);

// Removes lines from the end of `text` until it has at most `budget` tokens,
// and appends a line about it.
void CutToBudget(size_t budget, std::string& text);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_MARKDOWN_WRITER_H_

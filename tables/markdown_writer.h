// An answer as Markdown: a line with its kind and facts, then the table, or
// each table that has rows under a heading.
//
// Names are made harmless (safe_text.h) and are never markup. For a reader with
// little room, limits cut rows, columns and names, and a line says how much is
// missing and how to get it. Of a list with costs (DataColumn::heat) the rows
// with the largest stay, in their order; of a tree the first rows.

#ifndef TFPROF_TABLES_MARKDOWN_WRITER_H_
#define TFPROF_TABLES_MARKDOWN_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tables/data_table.h"
#include "util/sink.h"

namespace tfprof {

struct MarkdownLimits {
  size_t max_rows = SIZE_MAX;     // of a table
  size_t max_tokens = SIZE_MAX;   // of all tables (util/token_count.h)
  size_t max_columns = SIZE_MAX;  // of the text of a cell, see Shortened()
  int max_rank = INT32_MAX;       // of columns
  // The command that gives all rows, shown if some are missing. A table with a
  // command of its own (DataTable::rest) shows that one.
  std::string all_rows;
  // Appended to that command, it writes a file.
  std::string to_file;
};

void WriteMarkdown(const DataDocument& document, const MarkdownLimits& limits,
                   Sink& sink);

// For an agent: no minor columns, and rows as `budget` tokens have room for;
// then how to get more. `line` is the command of the answer ("op -step 1");
// `narrowing` are the options that select other rows ("select"). Returns the
// number of rows that it wrote.
size_t WriteForAgent(const DataDocument& document, const std::string& line,
                     const std::vector<std::string>& narrowing, size_t budget,
                     Sink& sink);

// Cuts lines off the end of `text` until it has at most `budget` tokens, and
// appends a line that says so.
void CutToBudget(size_t budget, std::string& text);

}  // namespace tfprof

#endif  // TFPROF_TABLES_MARKDOWN_WRITER_H_

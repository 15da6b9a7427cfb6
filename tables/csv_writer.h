// An answer as CSV (RFC 4180), with the names of the columns as the first line.
//
// Several tables are one: the name of the table is the first column, then come
// those of the facts, which are a row of their own, and of all tables. Names
// are made harmless (safe_text.h). A text that a spreadsheet would compute (it
// begins with = + - or @) gets an apostrophe before it. Nothing, and what is no
// number, is an empty cell.

#ifndef TFPROF_TABLES_CSV_WRITER_H_
#define TFPROF_TABLES_CSV_WRITER_H_

#include "tables/data_table.h"
#include "util/sink.h"

namespace tfprof {

void WriteCsv(const DataDocument& document, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_TABLES_CSV_WRITER_H_

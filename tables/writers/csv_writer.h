// Writes an answer as CSV (RFC 4180), with the column names in the first line.
//
// Several tables become one: the first column has the name of the table. It is
// followed by the columns of the facts, which are a separate row, and of all
// tables. Names are made safe (safe_text.h). A text that a spreadsheet would
// evaluate (it begins with = + - or @) gets a leading apostrophe. A missing
// value, an infinity and NaN are empty cells.

#ifndef TFPROF_TABLES_WRITERS_CSV_WRITER_H_
#define TFPROF_TABLES_WRITERS_CSV_WRITER_H_

#include "tables/data_table.h"
#include "util/files/sink.h"

namespace tfprof::tables {

void WriteCsv(const DataDocument& document, util::Sink& sink);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_CSV_WRITER_H_

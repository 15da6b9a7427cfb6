// An answer as CSV (RFC 4180), with the names of the columns as the first line.
//
// Several tables become one: the first column has the name of the table; the
// columns of the facts, which are a row of their own, and of all tables follow.
// Names are made harmless (safe_text.h). A text that a spreadsheet would
// evaluate (it begins with = + - or @) gets a leading apostrophe. A missing
// value, an infinity and NaN are empty cells.

#ifndef TFPROF_TABLES_CSV_WRITER_H_
#define TFPROF_TABLES_CSV_WRITER_H_

#include "tables/data_table.h"
#include "util/sink.h"

namespace tfprof {

void WriteCsv(const DataDocument& document, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_TABLES_CSV_WRITER_H_

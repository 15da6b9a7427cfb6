// Writes an answer as NDJSON: a line with everything except the rows, then one
// line per row. If there are several tables, each row begins with the name of
// its table.

#ifndef TFPROF_TABLES_WRITERS_NDJSON_WRITER_H_
#define TFPROF_TABLES_WRITERS_NDJSON_WRITER_H_

#include "tables/data_table.h"
#include "util/files/sink.h"

namespace tfprof::tables {

void WriteNdjson(const DataDocument& document, util::Sink& sink);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_NDJSON_WRITER_H_

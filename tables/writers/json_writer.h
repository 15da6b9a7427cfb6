// Writes an answer as one JSON object, with one line per row.
//
// A single table has its columns and rows at the top level; several tables are
// under "tables", by name. g3doc/output_schema.md describes the format, and
// g3doc/output.schema.json is its schema.

#ifndef TFPROF_TABLES_WRITERS_JSON_WRITER_H_
#define TFPROF_TABLES_WRITERS_JSON_WRITER_H_

#include "tables/data_table.h"
#include "util/files/sink.h"

namespace tfprof::tables {

void WriteJson(const DataDocument& document, util::Sink& sink);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_JSON_WRITER_H_

// An answer as one object of JSON, a row a line.
//
// One table has its columns and rows at the top; several are under "tables", by
// name. g3doc/output_schema.md describes it, g3doc/output.schema.json is its
// schema.

#ifndef TFPROF_TABLES_JSON_WRITER_H_
#define TFPROF_TABLES_JSON_WRITER_H_

#include "tables/data_table.h"
#include "util/sink.h"

namespace tfprof {

void WriteJson(const DataDocument& document, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_TABLES_JSON_WRITER_H_

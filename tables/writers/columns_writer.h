// Writes the tables of an answer by column, in binary, for a program that reads
// millions of rows.
//
// Text as JSON takes seconds to read; here a column is one copy. The answer is
//
//   a line of JSON   what the first line of ndjson has (ndjson_writer.h), and
//                    "batch_rows", the number of rows of a batch
//   for each table   its batches, and then a line of JSON, {"texts":[…]}, with
//                    a list of texts for each text column, in order
//
// A batch has `batch_rows` rows, the last one of a table what remains. It has
// the columns in order, and nothing between them:
//
//   text     for each row the index of its text, 4 bytes; 0xffffffff: no value
//   numbers  for each row 8 bytes, a signed integer; then for each eight rows a
//            byte whose bits, the lowest first, say which have a value
//
// All numbers are little endian. The tables must have integers only and must
// not be trees, as those of the command `rows`.

#ifndef TFPROF_TABLES_WRITERS_COLUMNS_WRITER_H_
#define TFPROF_TABLES_WRITERS_COLUMNS_WRITER_H_

#include <cstddef>

#include "tables/data_table.h"
#include "util/files/sink.h"

namespace tfprof::tables {

// A multiple of 8.
inline constexpr size_t kBatchRows = 1 << 16;

// Stops early if the sink wants no more.
void WriteColumns(const DataDocument& document, util::Sink& sink);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_COLUMNS_WRITER_H_

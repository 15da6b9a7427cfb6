// Writes the tables of an answer as Arrow streams (Apache Arrow's IPC streaming
// format), for programs that read millions of rows: pyarrow, polars, DuckDB and
// others know it, and a column is one copy.
//
// There is one stream for each table, one behind the other, in their order.
// Each ends with its own mark, so a reader that stops there finds the next one:
//
//   source = pyarrow.BufferReader(data)
//   while source.tell() < source.size():
//       table = pyarrow.ipc.open_stream(source).read_all()
//
// The metadata of a schema has the name of the table as `table`, and as
// `tfprof` a JSON object with the schema, version and facts of the document and
// the counts of the rows of the table, as JSON has them. Each field has its
// `unit`. Types follow from the units, never from the rows:
//
//   text    a dictionary of UTF-8 with indexes of 32 bits. Bytes that are not
//           UTF-8 become U+FFFD, as in JSON. Each batch has its own dictionary,
//           in front of it: some readers know no dictionaries that grow, and
//           nobody needs the texts of all batches at the same time
//   shares  64-bit floating point
//   others  64-bit integers
//
// A batch has at most kArrowBatchRows rows, a multiple of 8 in all but the last
// one, and ends early if its texts are long. A column without missing values
// has no bitmap. The tables must not be trees.

#ifndef TFPROF_TABLES_WRITERS_ARROW_WRITER_H_
#define TFPROF_TABLES_WRITERS_ARROW_WRITER_H_

#include <cstddef>

#include "tables/data_table.h"
#include "util/files/sink.h"

namespace tfprof::tables {

inline constexpr size_t kArrowBatchRows = 1 << 16;

// Stops early, inside of a stream, if the sink wants no more.
void WriteArrow(const DataDocument& document, util::Sink& sink);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_ARROW_WRITER_H_

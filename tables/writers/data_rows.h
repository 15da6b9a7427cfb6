// Passes the rows of a DataTable to a writer one by one, without storing them.

#ifndef TFPROF_TABLES_WRITERS_DATA_ROWS_H_
#define TFPROF_TABLES_WRITERS_DATA_ROWS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tables/data_table.h"
#include "util/files/sink.h"

namespace tfprof::tables {

// The bytes that a writer buffers before it passes them to its sink.
inline constexpr size_t kDataBufferBytes = 1 << 16;
// The rows between two questions whether the output is still wanted.
inline constexpr size_t kRowsBetweenLooks = 256;

// Calls `write(row, cells)` for each row until it returns false or the output
// is no longer wanted. `write` appends to `out`, which is flushed whenever it
// has become long.
template <typename WriteRow>
void ForEachRow(const DataTable& table, std::string& out, util::Sink& sink,
                WriteRow write) {
  std::vector<DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    if (row % kRowsBetweenLooks == 0 && !sink.wanted()) break;
    table.cells(row, cells);
    if (!write(row, cells)) break;
    if (out.size() >= kDataBufferBytes) {
      sink.Write(out);
      out.clear();
    }
  }
}

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_DATA_ROWS_H_

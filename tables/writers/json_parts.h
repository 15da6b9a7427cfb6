// The common pieces of the JSON and NDJSON writers.
//
// The JSON is valid whatever bytes a name contains (json_string.h). Numbers
// have all digits; a missing value, an infinity and NaN become null.

#ifndef TFPROF_TABLES_WRITERS_JSON_PARTS_H_
#define TFPROF_TABLES_WRITERS_JSON_PARTS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tables/data_table.h"

namespace tfprof::tables {

// The version of g3doc/output.schema.json, the same for all answers.
inline constexpr int kSchemaVersion = 2;

// Appends `"schema":"tfprof.op","version":2,"facts":{…}`, with `between` before
// the facts.
void AppendJsonHead(std::string_view kind, const DataFacts& facts,
                    std::string_view between, std::string* out);
// Appends `"columns":[…]`.
void AppendJsonColumns(const DataTable& table, std::string* out);
// Appends `"returned":2,"total":36,"truncated":true`.
void AppendJsonCounts(const DataTable& table, std::string* out);

// Writes rows as objects. The keys are prepared once: `{"name":`, `,"micros":`.
class JsonRows {
 public:
  // Each row begins with `first`: "" or `"table":"inputs"`.
  explicit JsonRows(const DataTable& table, std::string_view first = "");

  void Append(size_t row, const std::vector<DataCell>& cells,
              std::string* out) const;
  void AppendTotals(std::string* out) const;

 private:
  void AppendCells(const std::vector<DataCell>& cells, size_t key,
                   std::string* out) const;

  const DataTable& table_;
  std::vector<std::string> keys_;
};

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_JSON_PARTS_H_

#include "tables/writers/json_writer.h"

#include <string>

#include "tables/writers/data_rows.h"
#include "tables/writers/json_parts.h"
#include "util/json/json_string.h"

namespace tfprof::tables {
namespace {

// Writes `"columns":[…],"rows":[…],"totals":{…},"returned":2,"total":36,…`,
// with one line per row. Flushes `out` to `sink` when it has become long.
void WriteTable(const DataTable& table, std::string& out, util::Sink& sink) {
  AppendJsonColumns(table, &out);
  out += ",\n\"rows\":[";
  const JsonRows rows(table);
  ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
    out += row == 0 ? "\n" : ",\n";
    rows.Append(row, cells, &out);
    return true;
  });
  out += "\n],\n";
  if (!table.totals.empty()) {
    out += "\"totals\":";
    rows.AppendTotals(&out);
    out += ",\n";
  }
  AppendJsonCounts(table, &out);
}

}  // namespace

void WriteJson(const DataDocument& document, util::Sink& sink) {
  std::string out = "{";
  AppendJsonHead(document.kind, document.facts, "\n", &out);
  out += ",\n";
  if (document.is_one_table()) {
    WriteTable(document.parts[0].table, out, sink);
  } else {
    out += "\"tables\":{";
    const char* before = "\n";
    for (const auto& [title, table] : document.parts) {
      out += before + util::JsonString(table.kind) + ":{";
      WriteTable(table, out, sink);
      out += '}';
      before = ",\n";
    }
    out += "\n}";
  }
  out += "}\n";
  sink.Write(out);
}

}  // namespace tfprof::tables

#include "tables/writers/ndjson_writer.h"

#include <string>

#include "tables/writers/data_rows.h"
#include "tables/writers/json_parts.h"
#include "util/json/json_string.h"

namespace tfprof::tables {
namespace {

// Appends the part of the first line about a table: everything but its rows.
void AppendShape(const DataTable& table, std::string* out) {
  AppendJsonColumns(table, out);
  *out += ',';
  if (!table.totals.empty()) {
    *out += "\"totals\":";
    JsonRows(table).AppendTotals(out);
    *out += ',';
  }
  AppendJsonCounts(table, out);
}

}  // namespace

void WriteNdjson(const DataDocument& document, util::Sink& sink) {
  const bool one = document.is_one_table();
  std::string out = "{";
  AppendJsonHead(document.kind, document.facts, "", &out);
  out += ',';
  if (one) {
    AppendShape(document.parts[0].table, &out);
  } else {
    out += "\"tables\":{";
    const char* before = "";
    for (const auto& [title, table] : document.parts) {
      out += before + util::JsonString(table.kind) + ":{";
      AppendShape(table, &out);
      out += '}';
      before = ",";
    }
    out += '}';
  }
  out += "}\n";
  for (const auto& [title, table] : document.parts) {
    const JsonRows rows(table,
                        one ? "" : "\"table\":" + util::JsonString(table.kind));
    ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
      rows.Append(row, cells, &out);
      out += '\n';
      return true;
    });
  }
  sink.Write(out);
}

}  // namespace tfprof::tables

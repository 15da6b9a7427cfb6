// Small tables for the tests of the writers.

#ifndef TFPROF_TABLES_TABLES_TESTING_H_
#define TFPROF_TABLES_TABLES_TESTING_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tables/data_table.h"
#include "util/files/sink.h"

namespace tfprof::tables {

// Returns a tree: the first row is the root, and the others are below it. Their
// times are `micros`; their bytes are unknown.
inline DataTable Tree(const std::vector<std::string>& names,
                      const std::vector<int64_t>& micros) {
  DataTable table;
  table.kind = "test";
  table.columns = {
      {"name", "name", util::Unit::kText},
      {"total_micros", "time", util::Unit::kMicros, /*heat=*/true},
      {"self_bytes", "bytes", util::Unit::kBytes, false, /*rank=*/1}};
  table.num_rows = table.total_rows = names.size();
  table.cells = [names, micros](size_t row, std::vector<DataCell>& cells) {
    cells = {names[row], micros[row], DataCell()};
  };
  table.depth = [](size_t row) { return row == 0 ? 0u : 1u; };
  return table;
}

// Returns a list with one column.
inline DataTable List(std::string kind, const std::string& column,
                      const std::vector<std::string>& texts) {
  DataTable table;
  table.kind = std::move(kind);
  table.columns = {{.name = column, .title = column}};
  table.num_rows = table.total_rows = texts.size();
  table.cells = [texts](size_t row, std::vector<DataCell>& cells) {
    cells = {texts[row]};
  };
  return table;
}

// Returns the answer with only this table.
inline DataDocument One(DataTable table) {
  DataDocument document;
  document.kind = table.kind;
  document.facts = {{{"step", "", util::Unit::kNumber}, int64_t{-1}}};
  document.parts.push_back({"", std::move(table)});
  return document;
}

// Returns two tables with a common column, one table without rows, and facts
// for programs, for people, and for both.
inline DataDocument Several() {
  DataTable inputs = List("inputs", "name", {"a", "b|c"});
  DataTable sizes;
  sizes.kind = "sizes";
  sizes.columns = {{"name", "name", util::Unit::kText},
                   {"bytes", "bytes", util::Unit::kBytes}};
  sizes.num_rows = 1;
  sizes.total_rows = 3;
  sizes.cells = [](size_t, std::vector<DataCell>& cells) {
    cells = {"c", int64_t{2500}};
  };
  DataDocument document;
  document.kind = "several";
  document.facts = {{{"step", "", util::Unit::kNumber}, int64_t{-1}},
                    {{"", "times", util::Unit::kText}, "of step 1"},
                    {{"nodes", "nodes", util::Unit::kCount}, int64_t{10440}}};
  document.parts.push_back({"Inputs", std::move(inputs)});
  document.parts.push_back({"Nothing", List("nothing", "name", {})});
  document.parts.push_back({"Sizes", std::move(sizes)});
  return document;
}

// Returns the bytes that `write` writes to its sink.
template <typename Write>
std::string Written(Write write) {
  util::StringSink sink;
  write(sink);
  return sink.text();
}

// Returns the lines of a text, without their newlines.
inline std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end == text.npos ? text.size() : end + 1;
  }
  return lines;
}

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_TABLES_TESTING_H_

#include "tables/writers/columns_writer.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "tables/writers/json_parts.h"
#include "util/json/json_string.h"

namespace tfprof::tables {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename Number>
void AppendBytes(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// The bytes of a column in a batch, and the texts of all batches.
class ColumnWriter {
 public:
  explicit ColumnWriter(bool is_text) : is_text_(is_text) {}

  bool is_text() const { return is_text_; }

  void Add(DataCell& cell) {
    if (is_text_) {
      AppendBytes(IndexOf(cell), values_);
      return;
    }
    const int64_t* const number = std::get_if<int64_t>(&cell);
    AppendBytes(number == nullptr ? int64_t{0} : *number, values_);
    if (rows_ % 8 == 0) valid_ += '\0';
    if (number != nullptr) {
      valid_.back() = static_cast<char>(
          static_cast<unsigned char>(valid_.back()) | (1u << (rows_ % 8)));
    }
    ++rows_;
  }

  void WriteBatch(util::Sink& sink) {
    sink.Write(values_);
    sink.Write(valid_);
    values_.clear();
    valid_.clear();
    rows_ = 0;
  }

  void AppendTexts(std::string& out) const {
    out += '[';
    for (size_t i = 0; i < texts_.size(); ++i) {
      if (i > 0) out += ',';
      util::AppendJsonString(texts_[i], &out);
    }
    out += ']';
  }

 private:
  uint32_t IndexOf(DataCell& cell) {
    std::string* const text = std::get_if<std::string>(&cell);
    if (text == nullptr) return UINT32_MAX;
    const auto [at, is_new] =
        indexes_.try_emplace(*text, static_cast<uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(std::move(*text));
    return at->second;
  }

  const bool is_text_;
  std::string values_;
  std::string valid_;
  size_t rows_ = 0;
  absl::flat_hash_map<std::string, uint32_t> indexes_;
  std::vector<std::string> texts_;
};

void WriteTable(const DataTable& table, util::Sink& sink) {
  std::vector<ColumnWriter> columns;
  for (const DataColumn& column : table.columns) {
    columns.emplace_back(column.unit == util::Unit::kText);
  }
  std::vector<DataCell> cells;
  for (size_t begin = 0; begin < table.num_rows; begin += kBatchRows) {
    if (!sink.wanted()) return;
    const size_t end = std::min(table.num_rows, begin + kBatchRows);
    for (size_t row = begin; row < end; ++row) {
      table.cells(row, cells);
      for (size_t c = 0; c < columns.size(); ++c) columns[c].Add(cells[c]);
    }
    for (ColumnWriter& column : columns) column.WriteBatch(sink);
  }
  std::string texts = "{\"texts\":[";
  for (const ColumnWriter& column : columns) {
    if (!column.is_text()) continue;
    if (texts.back() == ']') texts += ',';
    column.AppendTexts(texts);
  }
  sink.Write(texts + "]}\n");
}

}  // namespace

void WriteColumns(const DataDocument& document, util::Sink& sink) {
  std::string head = "{";
  AppendJsonHead(document.kind, document.facts, "", &head);
  head += fmt::format(",\"batch_rows\":{},\"tables\":{{", kBatchRows);
  for (size_t i = 0; i < document.parts.size(); ++i) {
    const DataTable& table = document.parts[i].table;
    if (i > 0) head += ',';
    util::AppendJsonString(table.kind, &head);
    head += ":{";
    AppendJsonColumns(table, &head);
    head += ',';
    AppendJsonCounts(table, &head);
    head += '}';
  }
  sink.Write(head + "}}\n");
  for (const auto& [title, table] : document.parts) WriteTable(table, sink);
}

}  // namespace tfprof::tables

#include "tables/writers/row_indents.h"

#include <algorithm>

#include "fmt/format.h"

namespace tfprof::tables {

RowIndents::RowIndents(const DataTable& table, size_t rows, size_t width) {
  if (!table.depth) return;
  table_ = &table;
  size_t deepest = 0;
  for (size_t row = 0; row < rows; ++row) {
    deepest = std::max<size_t>(deepest, table.depth(row));
  }
  if (width == 0) {
    deepest_ = step_ * deepest;
    return;
  }
  if (step_ * deepest > width / 4) step_ = 1;
  deepest_ = std::min(step_ * deepest, width * 3 / 10);
}

std::string RowIndents::Lead(size_t row) const {
  if (table_ == nullptr || row == kNoRow) return "";
  const size_t depth = table_->depth(row);
  const size_t indent = step_ * depth;
  if (indent <= deepest_) return std::string(indent, ' ');
  const std::string number = fmt::format("{}> ", depth);
  return std::string(deepest_ - std::min(deepest_, number.size()), ' ') +
         number;
}

}  // namespace tfprof::tables

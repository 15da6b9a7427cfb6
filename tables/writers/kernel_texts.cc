#include "tables/writers/kernel_texts.h"

#include <vector>

#include "util/text/kernel_names.h"

namespace tfprof::tables {

KernelTexts::KernelTexts(const DataTable& table, size_t rows) {
  std::vector<DataCell> cells;
  for (size_t row = 0; row < rows; ++row) {
    table.cells(row, cells);
    for (size_t c = 0; c < cells.size(); ++c) {
      const DataColumn& column = table.columns[c];
      if (column.unit != util::Unit::kText || column.prose) continue;
      const auto* text = std::get_if<std::string>(&cells[c]);
      if (text != nullptr && util::ShortKernelName(*text) != *text) {
        shown_.try_emplace(*text);
      }
    }
  }
  std::vector<std::string_view> names;
  for (const auto& [name, shown] : shown_) names.push_back(name);
  const std::vector<std::string> shown = util::ShortKernelNames(names);
  for (size_t i = 0; i < names.size(); ++i) {
    shown_.find(names[i])->second = shown[i];
  }
}

}  // namespace tfprof::tables

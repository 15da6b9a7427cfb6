#include "loaders/perfetto/texts.h"

namespace tfprof::perfetto {

std::optional<TextTable> TableOfField(uint32_t field) {
  switch (field) {
    case 1:
      return TextTable::kCategories;
    case 2:
      return TextTable::kNames;
    case 3:
      return TextTable::kKeys;
    case 24:
      return TextTable::kSpecifications;
    case 29:
      return TextTable::kValues;
    case 1000:
      return TextTable::kKernels;
    default:
      return std::nullopt;
  }
}

void Texts::Set(TextTable table, uint64_t id, std::string_view text) {
  // A larger gap would be memory that the trace did not pay for.
  constexpr uint64_t kMaxGap = 4;
  empty_ = false;
  std::unique_ptr<Table>& of = tables_[static_cast<size_t>(table)];
  if (of == nullptr) of = std::make_unique<Table>();
  if (text.data() == nullptr) text = std::string_view("");
  if (id >= of->dense.size() + kMaxGap) {
    of->sparse[id] = text;
    return;
  }
  if (id >= of->dense.size()) of->dense.resize(id + 1);
  of->dense[id] = text;
}

void Texts::Clear(TextTable table) {
  tables_[static_cast<size_t>(table)] = nullptr;
}

const std::string_view* Texts::FindSparse(const Table& table, uint64_t id) {
  const auto it = table.sparse.find(id);
  return it == table.sparse.end() ? nullptr : &it->second;
}

}  // namespace tfprof::perfetto

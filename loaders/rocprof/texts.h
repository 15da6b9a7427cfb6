// The texts of a table of a database, by id.

#ifndef TFPROF_LOADERS_ROCPROF_TEXTS_H_
#define TFPROF_LOADERS_ROCPROF_TEXTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "loaders/sqlite/tables.h"

namespace tfprof::rocprof {

using Texts = absl::flat_hash_map<int64_t, std::string>;

inline Texts ReadTexts(sqlite::Tables& tables, std::string_view table,
                       std::string_view id, std::string_view text) {
  Texts texts;
  const std::string_view columns[] = {id, text};
  tables.Read(table, columns, [&](const sqlite::Row& row) {
    const std::optional<int64_t> number = row.Int(0);
    const std::optional<std::string_view> value = row.Text(1);
    if (number && value) texts.insert_or_assign(*number, *value);
  });
  return texts;
}

// Returns the text of an id; `otherwise` if the file lacks it.
inline std::string_view TextOf(const Texts& texts, std::optional<int64_t> id,
                               std::string_view otherwise) {
  if (!id) return otherwise;
  const auto text = texts.find(*id);
  return text == texts.end() ? otherwise : std::string_view(text->second);
}

}  // namespace tfprof::rocprof

#endif  // TFPROF_LOADERS_ROCPROF_TEXTS_H_

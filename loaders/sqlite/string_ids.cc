#include "loaders/sqlite/string_ids.h"

namespace tfprof::sqlite {

uint32_t StringIds::Want(std::optional<int64_t> id) {
  if (!id) return profile::kNone;
  const auto [it, is_new] =
      slots_.try_emplace(*id, static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(profile::kNone);
  return it->second;
}

absl::Status StringIds::Read(Database& database, std::string_view table,
                             std::string_view id, std::string_view text,
                             profile::StringPool& strings) {
  const std::string_view columns[] = {id, text};
  return database.Read(table, columns, [&](const Row& row) {
    const std::optional<int64_t> number = row.Int(0);
    const std::optional<std::string_view> value = row.Text(1);
    if (!number || !value) return;
    const auto slot = slots_.find(*number);
    if (slot != slots_.end()) texts_[slot->second] = strings.Intern(*value);
  });
}

}  // namespace tfprof::sqlite

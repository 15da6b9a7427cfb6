// StringIds: the strings of a table (id, text) that other tables name by id.
//
// Only strings that an event names are read into the profile: exports keep the
// environment of the program in the same table, which may have secrets.
//
//   const uint32_t slot = ids.Want(row.Int(kName));
//   ids.Read(database, "StringIds", "id", "value", strings);
//   ids.Get(slot)
//
// Use one thread.

#ifndef TFPROF_LOADERS_SQLITE_STRING_IDS_H_
#define TFPROF_LOADERS_SQLITE_STRING_IDS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "loaders/sqlite/database.h"
#include "profile/tables/string_pool.h"

namespace tfprof::sqlite {

class StringIds {
 public:
  // Returns the slot of an id; kNone for nullopt.
  uint32_t Want(std::optional<int64_t> id);
  // Fills the slots. Those of ids that the table lacks stay kNone.
  absl::Status Read(Database& database, std::string_view table,
                    std::string_view id, std::string_view text,
                    profile::StringPool& strings);
  // kNone: the file does not have the string.
  profile::StringId Get(uint32_t slot) const {
    return slot < texts_.size() ? texts_[slot] : profile::kNone;
  }

 private:
  absl::flat_hash_map<int64_t, uint32_t> slots_;
  std::vector<profile::StringId> texts_;
};

}  // namespace tfprof::sqlite

#endif  // TFPROF_LOADERS_SQLITE_STRING_IDS_H_

#include "loaders/sqlite/tables.h"

#include <fmt/format.h>

namespace tfprof::sqlite {

using loaders::ImportLog;

void Tables::Read(std::string_view table,
                  std::span<const std::string_view> columns,
                  const std::function<void(const Row&)>& visit) {
  if (database_.HasView(table)) {
    log_.Add(ImportLog::kDamage, "view in place of a table",
             fmt::format("{}: {} is a view, which is not run; export the file "
                         "again",
                         path_, table));
  }
  if (database_.HasTable(table)) Check(database_.Read(table, columns, visit));
}

void Tables::Check(const absl::Status& status) {
  if (status.ok()) return;
  if (status_.ok()) status_ = status;
  log_.Add(ImportLog::kDamage, "table of SQLite that is damaged",
           std::string(status.message()));
}

}  // namespace tfprof::sqlite

// Tables: reads tables of a database into a profile, and logs their damage.
//
// A table that the file lacks has no rows. A view of the same name is never
// run, and is damage. A table that ends early is damage, and its rows before
// that are kept. The database and the log must outlive this.

#ifndef TFPROF_LOADERS_SQLITE_TABLES_H_
#define TFPROF_LOADERS_SQLITE_TABLES_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "loaders/core/import_log.h"
#include "loaders/sqlite/database.h"

namespace tfprof::sqlite {

class Tables {
 public:
  // `path` is for messages.
  Tables(Database& database, std::string path, loaders::ImportLog& log)
      : database_(database), path_(std::move(path)), log_(log) {}

  // See Database::Read().
  void Read(std::string_view table, std::span<const std::string_view> columns,
            const std::function<void(const Row&)>& visit);
  // Logs the error of a table.
  void Check(const absl::Status& status);

  // Returns the error of a file in which nothing was usable, or that was
  // cancelled.
  absl::Status Failure(bool has_events) const {
    return status_.code() == absl::StatusCode::kCancelled || !has_events
               ? status_
               : absl::OkStatus();
  }

  const std::string& path() const { return path_; }

 private:
  Database& database_;
  const std::string path_;
  loaders::ImportLog& log_;
  absl::Status status_;  // the first error
};

}  // namespace tfprof::sqlite

#endif  // TFPROF_LOADERS_SQLITE_TABLES_H_

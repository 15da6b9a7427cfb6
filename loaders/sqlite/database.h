// Database: reads the tables of an SQLite file by the names of their columns.
//
// SQLite works on the bytes of the InputFile in memory, so it opens no file,
// writes none and needs no lock. The file is not trusted: only its real tables
// are read, each from its beginning to its end. Views, virtual tables and
// triggers of the file never run, columns that an expression computes count as
// missing, and no library can be loaded. A table cannot have more rows than fit
// into the file, so a damaged one ends.
//
// A file in WAL mode is copied, because SQLite would look for the log beside
// it; what only the log has is not read.
//
// Use one thread. The file must outlive this. Errors: InvalidArgument with the
// path, what SQLite found, and what to do; Cancelled.

#ifndef TFPROF_LOADERS_SQLITE_DATABASE_H_
#define TFPROF_LOADERS_SQLITE_DATABASE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/core/byte_account.h"
#include "loaders/core/input_file.h"
#include "util/run/cancellation.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tfprof::sqlite {

// The first bytes of each SQLite file.
inline constexpr std::string_view kMagic("SQLite format 3\0", 16);

// The current row of a table. Columns are numbered as in Read().
class Row {
 public:
  explicit Row(sqlite3_stmt* statement, bool* dropped = nullptr)
      : statement_(statement), dropped_(dropped) {}

  // Of a floating-point number, the integer below it. nullopt: not a number, or
  // the table has no such column.
  std::optional<int64_t> Int(int column) const;
  // The same for integers and floating-point numbers.
  std::optional<double> Number(int column) const;
  // nullopt: not a text. The view is valid until the next row.
  std::optional<std::string_view> Text(int column) const;

  // Says, in Database::Read(), that the row is lost, for Account().
  void Drop() const { *dropped_ = true; }

 private:
  sqlite3_stmt* statement_;
  bool* dropped_;
};

class Database {
 public:
  static absl::StatusOr<std::unique_ptr<Database>> Open(
      const loaders::InputFile& file, const util::Cancellation* cancellation);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The real tables, in the order of the file.
  const std::vector<std::string>& tables() const { return tables_; }
  bool HasTable(std::string_view table) const;
  // The file has a view of this name, which is not read.
  bool HasView(std::string_view view) const;

  bool HasColumn(std::string_view table, std::string_view column) const;
  // Returns which row was the first that Row::Drop() was called for, from 1 on,
  // when the table was read; 0: none.
  int64_t FirstDropped(std::string_view table) const;

  // Returns about how many rows a table has, to reserve memory. It may be
  // wrong, but is in proportion to the size of the file.
  size_t AboutRows(std::string_view table) const;

  // Calls `visit` for each row of a table that exists. Columns that the table
  // lacks are null in each row. After an error, the rows before the damage have
  // been visited.
  absl::Status Read(std::string_view table,
                    std::span<const std::string_view> columns,
                    const std::function<void(const Row&)>& visit);

  // Says that a table was only counted, for Account().
  void ForgetRead(const std::string& table) { uses_.erase(table); }

  // Returns what became of each byte of the file, by its pages. Read are pages
  // of tables that were read and of the schema; those of other tables and of
  // indexes are of no use. Empty are free pages, and the room that is free in
  // others. Rows that are lost count with the mean size of the rows of their
  // table. Damaged are pages that SQLite cannot read or that nothing refers to.
  loaders::ByteAccount Account();

  // Returns the first damage that SQLite finds in all pages, also of tables and
  // indexes that nobody reads; "": none. Not found is damage of a file whose
  // tables compute something, because no expression of a file runs. Takes some
  // ms per MB.
  std::string FindDamage();

 private:
  Database(const loaders::InputFile& file,
           const util::Cancellation* cancellation)
      : file_(file), cancellation_(cancellation) {}

  absl::Status OpenBytes();
  absl::Status ReadSchema();
  absl::Status Error(std::string_view what) const;
  // The names of the columns that are stored; nullopt: SQLite cannot read them.
  std::optional<std::vector<std::string>> ColumnsOf(
      std::string_view table) const;

  const loaders::InputFile& file_;
  const util::Cancellation* const cancellation_;
  std::string copy_;  // of a file in WAL mode
  sqlite3* db_ = nullptr;
  std::vector<std::string> tables_;
  std::vector<std::string> views_;
  // What Read() read of a table.
  struct TableUse {
    int64_t rows = 0, dropped = 0, first_dropped = 0;
    bool failed = false;
  };
  std::map<std::string, TableUse, std::less<>> uses_;
};

}  // namespace tfprof::sqlite

#endif  // TFPROF_LOADERS_SQLITE_DATABASE_H_

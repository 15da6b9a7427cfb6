#include "loaders/sqlite/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tfprof::sqlite {
namespace {

// SQLite asks this often (in instructions) whether the user has cancelled.
constexpr int kInstructionsBetweenChecks = 100000;
// The longest text or blob that is read, and the longest statement that made a
// table.
constexpr int kMaxValueBytes = 64 << 20;
constexpr int kMaxSqlBytes = 1 << 20;
// The smallest row is a cell of two bytes and its pointer.
constexpr int64_t kMinRowBytes = 4;
// Few bytes for a row of a table of events. The number of the last row may be
// any.
constexpr int64_t kFewRowBytes = 16;
// Where the header has the versions of the format; 2 means WAL mode.
constexpr size_t kHeaderBytes = 100;
constexpr size_t kVersionsAt = 18;
// Where it has the size of a page, big-endian; 1 means 65536.
constexpr size_t kPageSizeAt = 16;
constexpr int64_t kLargestPage = 65536;
// Where it has the number of free pages, whether there are pages that map
// others, and how many bytes at the end of a page are reserved.
constexpr size_t kFreePagesAt = 36, kHasMapAt = 52, kReservedAt = 20;
constexpr int64_t kMapEntryBytes = 5;
// The page with this byte is never used.
constexpr int64_t kLockByte = 1 << 30;
constexpr std::string_view kSchema = "sqlite_schema";

// The column of PRAGMA table_xinfo that is 0 for a stored column.
constexpr int kHiddenColumn = 6;

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
  }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

// The pragmas that list the columns of a table and that check all pages.
constexpr std::string_view kColumnsPragma = "table_xinfo",
                           kCheckPragma = "integrity_check";

// Allows to read columns of tables, to list them and to check pages, and
// nothing else.
int Authorize(void*, int action, const char* what, const char*, const char*,
              const char*) {
  const std::string_view pragma =
      action == SQLITE_PRAGMA && what != nullptr ? what : "";
  const bool known = pragma == kColumnsPragma || pragma == kCheckPragma;
  return known || action == SQLITE_SELECT || action == SQLITE_READ
             ? SQLITE_OK
             : SQLITE_DENY;
}

// The same for the list of pages, which SQLite declares as if it changed its
// schema. Nothing is changed: the file is read only.
int AuthorizePages(void* context, int action, const char* what, const char* of,
                   const char* where, const char* why) {
  return action == SQLITE_UPDATE && what != nullptr &&
                 std::string_view(what) == "sqlite_master"
             ? SQLITE_OK
             : Authorize(context, action, what, of, where, why);
}

int StopIfCancelled(void* cancellation) {
  return util::IsCancelled(static_cast<const util::Cancellation*>(cancellation))
             ? 1
             : 0;
}

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  quoted += '"';
  return quoted;
}

Statement Prepare(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size()), &statement,
                     nullptr);
  return Statement(statement);
}

}  // namespace

// The functions of a value may be used, and cost less than those of a column,
// because the database has no mutex.
std::optional<int64_t> Row::Int(int column) const {
  sqlite3_value* const value = sqlite3_column_value(statement_, column);
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_INTEGER) return sqlite3_value_int64(value);
  if (type != SQLITE_FLOAT) return {};
  // Other doubles are no 64-bit integers.
  constexpr double kLimit = 9.2e18;
  const double number = sqlite3_value_double(value);
  if (!(std::abs(number) < kLimit)) return {};
  return static_cast<int64_t>(std::floor(number));
}

std::optional<double> Row::Number(int column) const {
  sqlite3_value* const value = sqlite3_column_value(statement_, column);
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return {};
  return sqlite3_value_double(value);
}

std::optional<std::string_view> Row::Text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) return {};
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return {};
  return std::string_view(
      reinterpret_cast<const char*>(text),
      static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(
    const loaders::InputFile& file, const util::Cancellation* cancellation) {
  std::unique_ptr<Database> database(new Database(file, cancellation));
  absl::Status status = database->OpenBytes();
  if (status.ok()) status = database->ReadSchema();
  if (!status.ok()) return status;
  return database;
}

Database::~Database() { sqlite3_close(db_); }

absl::Status Database::Error(std::string_view what) const {
  if (util::IsCancelled(cancellation_)) {
    return absl::CancelledError(file_.path());
  }
  return absl::InvalidArgumentError(fmt::format(
      "{}: SQLite cannot read {}: {}; export the file again", file_.path(),
      what, db_ == nullptr ? "no memory" : sqlite3_errmsg(db_)));
}

absl::Status Database::OpenBytes() {
  std::string_view bytes = file_.bytes();
  if (bytes.size() <= kHeaderBytes || !bytes.starts_with(kMagic)) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: an SQLite file has more than {} bytes and begins with its name, "
        "but this one has {}; export the file again",
        file_.path(), kHeaderBytes, bytes.size()));
  }
  const size_t given = size_t{static_cast<uint8_t>(bytes[kPageSizeAt])} << 8 |
                       static_cast<uint8_t>(bytes[kPageSizeAt + 1]);
  const size_t page = given == 1 ? size_t{kLargestPage} : given;
  // SQLite would read zeros after the end.
  if (page == 0 || bytes.size() % page != 0) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: {} bytes are no whole number of pages of {} bytes, so this file "
        "of SQLite is cut; copy or export it again",
        file_.path(), bytes.size(), page));
  }
  if (bytes[kVersionsAt] == 2 || bytes[kVersionsAt + 1] == 2) {
    copy_ = bytes;
    copy_[kVersionsAt] = copy_[kVersionsAt + 1] = 1;
    bytes = copy_;
  }
  // One thread uses the database, so it needs no locks.
  if (sqlite3_open_v2(":memory:", &db_,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                      nullptr) != SQLITE_OK) {
    return Error("anything");
  }
  sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  sqlite3_limit(db_, SQLITE_LIMIT_SQL_LENGTH, kMaxSqlBytes);
  sqlite3_limit(db_, SQLITE_LIMIT_EXPR_DEPTH, 50);
  sqlite3_limit(db_, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db_, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_limit(db_, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  for (const auto& [option, value] :
       {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0}}) {
    if (sqlite3_db_config(db_, option, value, nullptr) != SQLITE_OK) {
      return Error("a file safely");
    }
  }
  // SQLite takes a pointer to bytes that it may write, and does not write them
  // if they are READONLY.
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  if (sqlite3_deserialize(
          db_, "main",
          reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data())),
          size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return Error("the file");
  }
  sqlite3_set_authorizer(db_, Authorize, nullptr);
  sqlite3_progress_handler(
      db_, kInstructionsBetweenChecks, StopIfCancelled,
      const_cast<void*>(static_cast<const void*>(cancellation_)));
  return absl::OkStatus();
}

absl::Status Database::ReadSchema() {
  const Statement statement =
      Prepare(db_, "SELECT type, name, rootpage FROM main.sqlite_schema");
  if (statement == nullptr) return Error("the list of tables");
  int result = SQLITE_OK;
  while ((result = sqlite3_step(statement.get())) == SQLITE_ROW) {
    const Row row(statement.get());
    const std::optional<std::string_view> type = row.Text(0);
    const std::optional<std::string_view> name = row.Text(1);
    if (!type || !name) continue;
    // A virtual table has no pages.
    if (*type == "table" && row.Int(2).value_or(0) > 0) {
      tables_.emplace_back(*name);
    } else if (*type == "view" || *type == "table") {
      views_.emplace_back(*name);
    }
  }
  return result == SQLITE_DONE ? absl::OkStatus() : Error("the list of tables");
}

bool Database::HasTable(std::string_view table) const {
  return std::ranges::find(tables_, table) != tables_.end();
}

bool Database::HasView(std::string_view view) const {
  return std::ranges::find(views_, view) != views_.end();
}

std::string Database::FindDamage() {
  const Statement statement =
      Prepare(db_, fmt::format("PRAGMA main.{}(1)", kCheckPragma));
  if (statement == nullptr) return "";
  if (sqlite3_step(statement.get()) != SQLITE_ROW) {
    return util::IsCancelled(cancellation_) ? "" : sqlite3_errmsg(db_);
  }
  std::string_view found = Row(statement.get()).Text(0).value_or("");
  // A heading may come first.
  if (found.starts_with("***")) {
    found.remove_prefix(std::min(found.find('\n'), found.size() - 1) + 1);
  }
  return found == "ok" ? "" : std::string(found);
}

loaders::ByteAccount Database::Account() {
  const std::string_view bytes = file_.bytes();
  const auto number_at = [&](size_t at, size_t size) {
    int64_t number = 0;
    for (const char c : bytes.substr(at, size)) {
      number = number << 8 | static_cast<uint8_t>(c);
    }
    return number;
  };
  const int64_t given = number_at(kPageSizeAt, 2);
  const int64_t page = given == 1 ? kLargestPage : given;
  const int64_t pages = static_cast<int64_t>(bytes.size()) / page;
  loaders::ByteAccount account;
  // Of a table: the bytes that are not free, and its rows by its pages.
  struct Extent {
    int64_t bytes = 0, rows = 0;
  };
  std::map<std::string, Extent, std::less<>> extents;
  std::vector<bool> seen(static_cast<size_t>(pages) + 1);
  int64_t left = pages;
  sqlite3_set_authorizer(db_, AuthorizePages, nullptr);
  const Statement statement = Prepare(
      db_, "SELECT name, pageno, pagetype, ncell, unused FROM main.dbstat");
  // Damaged pages can refer to each other without an end.
  for (int64_t steps = pages; statement != nullptr && steps > 0; --steps) {
    if (sqlite3_step(statement.get()) != SQLITE_ROW) break;
    const Row row(statement.get());
    const int64_t number = row.Int(1).value_or(0);
    if (number < 1 || number > pages || seen[static_cast<size_t>(number)]) {
      continue;
    }
    seen[static_cast<size_t>(number)] = true;
    --left;
    const std::string_view name = row.Text(0).value_or("");
    const std::string_view type = row.Text(2).value_or("");
    if (type == "corrupted") {
      account.damaged += page;
      continue;
    }
    const int64_t free = std::clamp<int64_t>(row.Int(4).value_or(0), 0, page);
    account.free += free;
    if (name != kSchema && uses_.find(name) == uses_.end()) {
      account.unused += page - free;
      continue;
    }
    account.read += page - free;
    Extent& extent = extents[std::string(name)];
    extent.bytes += page - free;
    if (type == "leaf")
      extent.rows += std::max<int64_t>(row.Int(3).value_or(0), 0);
  }
  sqlite3_set_authorizer(db_, Authorize, nullptr);
  for (const auto& [name, use] : uses_) {
    const Extent& extent = extents[name];
    const int64_t rows = std::max({extent.rows, use.rows, int64_t{1}});
    const int64_t lost =
        use.dropped + (use.failed ? std::max<int64_t>(rows - use.rows, 1) : 0);
    // A double is exact enough for a mean.
    const int64_t size = std::clamp<int64_t>(
        std::llround(static_cast<double>(extent.bytes) *
                     static_cast<double>(lost) / static_cast<double>(rows)),
        0, extent.bytes);
    account.read -= size;
    account.damaged += size;
  }
  // Pages that no table has.
  const auto take = [&](int64_t count, int64_t& part) {
    count = std::clamp<int64_t>(count, 0, left);
    part += count * page;
    left -= count;
  };
  take(number_at(kFreePagesAt, 4), account.free);
  if (pages > kLockByte / page) take(1, account.free);
  if (number_at(kHasMapAt, 4) != 0 && pages > 1) {
    const int64_t mapped = (page - number_at(kReservedAt, 1)) / kMapEntryBytes;
    take((pages - 2) / (std::max<int64_t>(mapped, 0) + 1) + 1, account.unused);
  }
  take(left, account.damaged);
  return account;
}

std::optional<std::vector<std::string>> Database::ColumnsOf(
    std::string_view table) const {
  const Statement list = Prepare(
      db_, fmt::format("PRAGMA main.{}({})", kColumnsPragma, Quoted(table)));
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> has;
  int listed = SQLITE_OK;
  while ((listed = sqlite3_step(list.get())) == SQLITE_ROW) {
    const Row row(list.get());
    // Others are computed by an expression of the file.
    const bool stored = row.Int(kHiddenColumn) == 0;
    if (stored && row.Text(1)) has.emplace_back(*row.Text(1));
  }
  return listed == SQLITE_DONE ? std::optional(std::move(has)) : std::nullopt;
}

bool Database::HasColumn(std::string_view table,
                         std::string_view column) const {
  const auto has = ColumnsOf(table);
  return has && std::ranges::find(*has, column) != has->end();
}

int64_t Database::FirstDropped(std::string_view table) const {
  const auto use = uses_.find(table);
  return use == uses_.end() ? 0 : use->second.first_dropped;
}

size_t Database::AboutRows(std::string_view table) const {
  if (!HasTable(table)) return 0;
  const Statement last = Prepare(
      db_, fmt::format("SELECT rowid FROM main.{} ORDER BY rowid DESC LIMIT 1",
                       Quoted(table)));
  if (last == nullptr || sqlite3_step(last.get()) != SQLITE_ROW) return 0;
  const int64_t number = Row(last.get()).Int(0).value_or(0);
  const auto most = static_cast<int64_t>(file_.bytes().size()) / kFewRowBytes;
  return static_cast<size_t>(std::clamp<int64_t>(number, 0, most));
}

absl::Status Database::Read(std::string_view table,
                            std::span<const std::string_view> columns,
                            const std::function<void(const Row&)>& visit) {
  TableUse& use = uses_[std::string(table)];
  use = {.failed = true};  // until it was read
  const std::string name = Quoted(table);
  const std::string what = fmt::format("the table {}", table);
  const auto has = ColumnsOf(table);
  if (!has) return Error(what);
  std::string sql = "SELECT ";
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) sql += ", ";
    sql += std::ranges::find(*has, columns[i]) == has->end()
               ? "NULL"
               : Quoted(columns[i]);
  }
  sql += " FROM main." + name + " NOT INDEXED";
  const Statement statement = Prepare(db_, sql);
  if (statement == nullptr) return Error(what);
  int64_t left = static_cast<int64_t>(file_.bytes().size()) / kMinRowBytes;
  int result = SQLITE_OK;
  while ((result = sqlite3_step(statement.get())) == SQLITE_ROW) {
    if (--left < 0) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {} has more rows than fit into {} bytes, so its pages are "
          "damaged; export the file again",
          file_.path(), what, file_.bytes().size()));
    }
    bool dropped = false;
    visit(Row(statement.get(), &dropped));
    ++use.rows;
    if (dropped && use.dropped++ == 0) use.first_dropped = use.rows;
  }
  use.failed = result != SQLITE_DONE;
  return use.failed ? Error(fmt::format("{} after row {}", what, use.rows))
                    : absl::OkStatus();
}

}  // namespace tfprof::sqlite

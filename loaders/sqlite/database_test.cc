#include "loaders/sqlite/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loaders/core/input_file.h"
#include "loaders/sqlite/sqlite_testing.h"

namespace tfprof::sqlite {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kColumns[] = {"b", "missing", "a"};

// Reads the table t of a file; a row is "b|missing|a".
absl::StatusOr<std::vector<std::string>> ReadRows(
    const std::string& bytes,
    const util::Cancellation* cancellation = nullptr) {
  const auto file = loaders::InputFile::FromBytes("f.sqlite", bytes);
  auto database = Database::Open(*file, cancellation);
  if (!database.ok()) return database.status();
  std::vector<std::string> rows;
  absl::Status status = (*database)->Read("t", kColumns, [&](const Row& row) {
    std::string text;
    for (int i = 0; i < 3; ++i) {
      if (row.Int(i)) text += std::to_string(*row.Int(i));
      if (row.Text(i)) text += *row.Text(i);
      text += '|';
    }
    rows.push_back(text);
  });
  if (!status.ok()) return status;
  return rows;
}

TEST(Database, ReadsColumnsByNameAndMissingOnesAsNull) {
  const auto rows = ReadRows(
      MakeDatabase("CREATE TABLE t(a, newer, b);"
                   "INSERT INTO t VALUES (1, 2, 'x'), (-5, 0, NULL);"));
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(*rows, ElementsAre("x||1|", "||-5|"));
}

TEST(Database, ReadsUtf16AsUtf8) {
  const auto rows =
      ReadRows(MakeDatabase("PRAGMA encoding='UTF-16le'; CREATE TABLE t(a, b);"
                            "INSERT INTO t VALUES (1, 'grün');"));
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(*rows, ElementsAre("grün||1|"));
}

TEST(Database, ReadsAFileInWalMode) {
  std::string bytes =
      MakeDatabase("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x');");
  bytes[18] = bytes[19] = 2;
  const auto rows = ReadRows(bytes);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(*rows, ElementsAre("x||1|"));
}

TEST(Database, ViewsAndVirtualTablesAreNoTables) {
  const auto file = loaders::InputFile::FromBytes(
      "f.sqlite", MakeDatabase("CREATE TABLE real(a);"
                               "CREATE VIEW seen AS SELECT 1 AS a;"
                               "CREATE VIRTUAL TABLE made USING fts5(a);"));
  const auto database = Database::Open(*file, nullptr);
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_TRUE((*database)->HasTable("real"));
  EXPECT_FALSE((*database)->HasTable("seen"));
  EXPECT_FALSE((*database)->HasTable("made"));
  EXPECT_TRUE((*database)->HasView("seen"));
}

TEST(Database, ComputedColumnsAreMissing) {
  const auto rows = ReadRows(MakeDatabase(
      "CREATE TABLE t(a, b AS (upper(a)));INSERT INTO t(a) VALUES ('x');"));
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(*rows, ElementsAre("||x|"));
}

TEST(Database, GuessesTheRowsOfATable) {
  const auto file = loaders::InputFile::FromBytes(
      "f.sqlite",
      MakeDatabase("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3);"
                   "CREATE TABLE none(a);"
                   "CREATE TABLE huge(a INTEGER PRIMARY KEY);"
                   "INSERT INTO huge VALUES (9223372036854775807);"
                   "CREATE TABLE negative(a INTEGER PRIMARY KEY);"
                   "INSERT INTO negative VALUES (-5);"
                   "CREATE TABLE other(a PRIMARY KEY) WITHOUT ROWID;"
                   "INSERT INTO other VALUES (1);"
                   "CREATE VIEW seen AS SELECT 1 AS a;"));
  const auto database = Database::Open(*file, nullptr);
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_EQ((*database)->AboutRows("t"), 3u);
  EXPECT_EQ((*database)->AboutRows("none"), 0u);
  EXPECT_LE((*database)->AboutRows("huge"), file->bytes().size());
  EXPECT_EQ((*database)->AboutRows("negative"), 0u);
  EXPECT_EQ((*database)->AboutRows("other"), 0u);
  EXPECT_EQ((*database)->AboutRows("seen"), 0u);
  EXPECT_EQ((*database)->AboutRows("missing"), 0u);
}

TEST(Database, AViewCannotBeRead) {
  const auto rows =
      ReadRows(MakeDatabase("CREATE VIEW t AS WITH RECURSIVE r(a) AS (SELECT 1 "
                            "UNION ALL SELECT a + 1 "
                            "FROM r) SELECT a, a AS b FROM r;"));
  EXPECT_FALSE(rows.ok());
}

TEST(Database, RefusesFilesThatAreNone) {
  EXPECT_FALSE(ReadRows("").ok());
  EXPECT_FALSE(ReadRows(std::string(kMagic)).ok());
  EXPECT_FALSE(ReadRows(std::string(4096, 'x')).ok());
}

TEST(Database, CutFilesAreRefused) {
  std::string sql = "PRAGMA page_size=512; CREATE TABLE t(a, b);";
  for (int i = 0; i < 200; ++i) {
    sql += "INSERT INTO t VALUES (" + std::to_string(i) + ", 'some text');";
  }
  const std::string bytes = MakeDatabase(sql);
  for (size_t size = 0; size < bytes.size(); size += 37) {
    EXPECT_FALSE(ReadRows(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_EQ(ReadRows(bytes)->size(), 200u);
}

TEST(Database, AnyByteMayBeWrong) {
  const std::string bytes = MakeDatabase(
      "PRAGMA page_size=512; CREATE TABLE t(a, b);"
      "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, zeroblob(2000));");
  size_t refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string wrong = bytes;
    wrong[at] = static_cast<char>(~wrong[at]);
    const auto rows = ReadRows(wrong);
    refused += rows.ok() ? 0 : 1;
    EXPECT_LE(rows.ok() ? rows->size() : 0, bytes.size());
  }
  EXPECT_GT(refused, 0u);
}

TEST(Database, DamageInTablesThatAreNotReadIsFound) {
  const std::string bytes = MakeDatabase(
      "PRAGMA page_size=512; CREATE TABLE t(a, b); CREATE TABLE other(a);"
      "INSERT INTO t VALUES (1, 'x'); INSERT INTO other VALUES (1);");
  const auto damage_of = [](const std::string& file) {
    const auto input = loaders::InputFile::FromBytes("f", file);
    const auto database = Database::Open(*input, nullptr);
    return database.ok() ? (*database)->FindDamage() : "not open";
  };
  EXPECT_EQ(damage_of(bytes), "");
  std::string wrong = bytes;
  // The last page has the other table; its first byte says what the page is.
  wrong[bytes.size() - 512] = 'x';
  EXPECT_TRUE(ReadRows(wrong).ok());
  EXPECT_THAT(damage_of(wrong), testing::StartsWith("Page 3"));
}

TEST(Database, CancellationStopsReading) {
  std::string sql =
      "CREATE TABLE t(a, b); WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL "
      "SELECT n + 1 FROM r WHERE n < 100000) INSERT INTO t SELECT n, n FROM r;";
  util::Cancellation cancellation;
  cancellation.Request();
  EXPECT_EQ(ReadRows(MakeDatabase(sql), &cancellation).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(Database, AccountsForItsPages) {
  const std::string bytes = MakeDatabase(
      "PRAGMA page_size = 512; CREATE TABLE t(a, b); CREATE TABLE u(a);"
      "CREATE TABLE v(a); CREATE INDEX i ON u(a);"
      "INSERT INTO t VALUES (1, zeroblob(400)), (2, zeroblob(400));"
      "INSERT INTO u VALUES (zeroblob(2000)); INSERT INTO v SELECT * FROM u;"
      "DROP TABLE v;");
  const auto file = loaders::InputFile::FromBytes("f.sqlite", bytes);
  const auto account = [&](bool drops, const std::string& of) {
    const auto changed = loaders::InputFile::FromBytes("f.sqlite", of);
    auto database = Database::Open(*changed, nullptr);
    EXPECT_TRUE(database.ok()) << database.status();
    (void)(*database)->Read("t", kColumns, [&](const Row& row) {
      if (drops && row.Int(2) == 2) row.Drop();
    });
    const loaders::ByteAccount found = (*database)->Account();
    EXPECT_EQ(found.total(), static_cast<int64_t>(of.size()));
    return found;
  };
  const loaders::ByteAccount whole = account(false, bytes);
  EXPECT_EQ(whole.damaged, 0);
  EXPECT_GT(whole.read, 800);
  EXPECT_GT(whole.unused, 4000);
  EXPECT_GT(whole.free, 2000);
  // One of two rows.
  const loaders::ByteAccount dropped = account(true, bytes);
  EXPECT_EQ(dropped.read + dropped.damaged, whole.read);
  EXPECT_GT(dropped.damaged, 400);
  EXPECT_LT(dropped.damaged, 700);
  // The kind of a page of t, or of u.
  for (size_t page = 1024; page < bytes.size(); page += 512) {
    std::string changed = bytes;
    changed[page] = 77;
    account(false, changed);
  }
}

}  // namespace
}  // namespace tfprof::sqlite

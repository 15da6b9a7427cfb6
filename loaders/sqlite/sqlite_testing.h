// Makes SQLite files for tests, in memory.

#ifndef TFPROF_LOADERS_SQLITE_SQLITE_TESTING_H_
#define TFPROF_LOADERS_SQLITE_SQLITE_TESTING_H_

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace tfprof::sqlite {

// Returns the bytes of a database in which these statements ran.
inline std::string MakeDatabase(const std::string& sql) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(db, "main", &size, 0);
  std::string text(reinterpret_cast<const char*>(bytes),
                   static_cast<size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(db);
  return text;
}

}  // namespace tfprof::sqlite

#endif  // TFPROF_LOADERS_SQLITE_SQLITE_TESTING_H_

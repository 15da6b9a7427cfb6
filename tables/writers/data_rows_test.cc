#include "tables/writers/data_rows.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/tables_testing.h"

namespace tfprof::tables {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Counts the pieces that it receives.
class PieceSink final : public util::Sink {
 public:
  void Write(std::string_view bytes) override { pieces.emplace_back(bytes); }
  std::vector<std::string> pieces;
};

TEST(DataRowsTest, EveryRowIsVisitedInOrder) {
  const DataTable table = List("words", "word", {"a", "b", "c"});
  PieceSink sink;
  std::string out;
  std::vector<std::string> seen;
  ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
    seen.push_back(std::to_string(row) + std::get<std::string>(cells[0]));
    return true;
  });
  EXPECT_THAT(seen, ElementsAre("0a", "1b", "2c"));
}

TEST(DataRowsTest, FalseEndsTheWalk) {
  const DataTable table = List("words", "word", {"a", "b", "c"});
  PieceSink sink;
  std::string out;
  int visits = 0;
  ForEachRow(table, out, sink,
             [&](size_t row, const auto&) { return ++visits, row < 1; });
  EXPECT_EQ(visits, 2);
}

TEST(DataRowsTest, LittleTextIsLeftToTheCaller) {
  const DataTable table = List("words", "word", {"a", "b"});
  PieceSink sink;
  std::string out = "head ";
  ForEachRow(table, out, sink, [&](size_t, const auto&) {
    out += "row ";
    return true;
  });
  EXPECT_THAT(sink.pieces, IsEmpty());
  EXPECT_EQ(out, "head row row ");
}

TEST(DataRowsTest, MuchTextIsFlushedBetweenRows) {
  const DataTable table =
      List("words", "word", std::vector<std::string>(10, "w"));
  PieceSink sink;
  std::string out;
  ForEachRow(table, out, sink, [&](size_t, const auto&) {
    out.append(kDataBufferBytes / 2, 'x');
    return true;
  });
  EXPECT_EQ(sink.pieces.size(), 5u);
  for (const std::string& piece : sink.pieces) {
    EXPECT_EQ(piece.size(), kDataBufferBytes);
  }
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace tfprof::tables

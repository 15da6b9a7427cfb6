#include "tables/writers/flat_buffer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::tables {
namespace {

using namespace std::string_view_literals;

TEST(FlatBufferTest, ATableBeginsWithItsListAndHasItsLongestNumberFirst) {
  FlatBuffer buffer;
  const size_t table = buffer.AddTable({{0, 2, 4}, {2, 8, 7}, {3, 1, true}});
  EXPECT_EQ(table, 20u);
  EXPECT_EQ(table % 8, 4u);  // so that the number of 8 bytes is aligned
  EXPECT_EQ(buffer.bytes(),
            "\x14\0\0\0"                          // the root
            "\0\0\0\0"                            // nothing
            "\x0c\0\x0f\0\x0c\0\0\0\x04\0\x0e\0"  // the list of fields
            "\x0c\0\0\0\x07\0\0\0\0\0\0\0\x04\0\x01"sv);
}

TEST(FlatBufferTest, OffsetsCountForwardsFromTheirOwnPlace) {
  FlatBuffer buffer;
  const size_t table = buffer.AddTable({{0, 4}, {1, 4}});
  const size_t text = buffer.AddText("abc");
  const size_t vector = buffer.AddOffsets(2);
  buffer.Point(table, 0, text);
  buffer.Point(table, 1, vector);
  const size_t last = buffer.AddText("");
  buffer.PointElement(vector, 1, last);
  const auto offset = [&](size_t at) {
    return static_cast<uint8_t>(buffer.bytes()[at]);
  };
  EXPECT_EQ(table + 4 + offset(table + 4), text);
  EXPECT_EQ(table + 8 + offset(table + 8), vector);
  EXPECT_EQ(vector + 8 + offset(vector + 8), last);
  EXPECT_EQ(buffer.bytes().substr(text, 8), "\x03\0\0\0abc\0"sv);
  EXPECT_EQ(buffer.bytes().substr(vector, 4), "\x02\0\0\0"sv);
  EXPECT_EQ(buffer.bytes().substr(last), "\0\0\0\0\0"sv);
}

TEST(FlatBufferTest, NumbersOfPairsAreAlignedWhereverTheyAre) {
  for (size_t length = 0; length < 9; ++length) {
    FlatBuffer buffer;
    buffer.AddTable({{0, 4}});
    buffer.AddText(std::string(length, 'x'));
    const std::vector<FlatPair> pairs = {{1, -1}, {2, 3}};
    const size_t vector = buffer.AddPairs(pairs);
    EXPECT_EQ((vector + 4) % 8, 0u) << length;
    EXPECT_EQ(buffer.bytes().substr(vector),
              "\x02\0\0\0\x01\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"
              "\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"sv);
  }
}

TEST(FlatBufferTest, OnlyTheFirstTableIsTheRoot) {
  FlatBuffer buffer;
  const size_t first = buffer.AddTable({});
  buffer.AddTable({{0, 1, 1}});
  EXPECT_EQ(static_cast<uint8_t>(buffer.bytes()[0]), first);
}

}  // namespace
}  // namespace tfprof::tables

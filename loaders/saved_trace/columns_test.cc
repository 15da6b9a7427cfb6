#include "loaders/saved_trace/columns.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/files/wire_writer.h"

namespace tfprof::saved_trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ColumnsTest, NumbersAndColumns) {
  util::WireWriter w;
  const int64_t column[] = {3, -1, 300};
  w.PackedInt64(1, column);
  w.Int64(2, 7);
  w.Int64(200, 7);  // an unknown field
  Columns c;
  ASSERT_TRUE(c.Read(w.bytes()));
  EXPECT_THAT(c[1], ElementsAre(3, -1, 300));
  EXPECT_EQ(c.At(1, 2), 300);
  EXPECT_EQ(c.Number(2), 7);
  EXPECT_EQ(c.Number(3, -1), -1);
  EXPECT_TRUE(c.HaveRows(2, 2, 1));
  EXPECT_FALSE(c.HaveRows(1, 2, 1));
}

TEST(ColumnsTest, AnotherMessageReplacesTheFirst) {
  util::WireWriter w;
  w.Int64(1, 7);
  Columns c;
  ASSERT_TRUE(c.Read(w.bytes()));
  ASSERT_TRUE(c.Read(""));
  EXPECT_THAT(c[1], IsEmpty());
}

TEST(ColumnsTest, Damage) {
  Columns c;
  EXPECT_FALSE(c.Read("\x0a\x01\x80"));
  EXPECT_FALSE(c.Read("\x0a\x7f"));
}

}  // namespace
}  // namespace tfprof::saved_trace

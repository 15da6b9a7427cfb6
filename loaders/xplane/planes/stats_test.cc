#include "loaders/xplane/planes/stats.h"

#include <string>

#include "gtest/gtest.h"
#include "util/files/wire_writer.h"

namespace tfprof::xplane {
namespace {

TEST(ReadStatTest, ReadsEachKind) {
  PlaneStat stat;
  util::WireWriter w;
  w.Int64(1, 9);
  w.Int64(4, -3);
  ASSERT_TRUE(ReadStat(w.bytes(), stat));
  EXPECT_EQ(stat.metadata_id, 9);
  EXPECT_EQ(stat.integer(), -3);
  EXPECT_EQ(stat.number(), -3);

  ASSERT_TRUE(ReadStat(std::string("\x11\0\0\0\0\0\0\xe0\x3f", 9), stat));
  EXPECT_EQ(stat.number(), 0.5);
  EXPECT_FALSE(stat.is_integer());

  w.Truncate(0);
  w.Uint64(3, ~uint64_t{0});
  ASSERT_TRUE(ReadStat(w.bytes(), stat));
  EXPECT_EQ(stat.metadata_id, 0);
  EXPECT_EQ(stat.integer(), -1);  // the same pattern of bits
  EXPECT_EQ(stat.number(), 18446744073709551615.0);
}

TEST(ReadStatTest, ReportsDamage) {
  PlaneStat stat;
  EXPECT_FALSE(ReadStat("\x2a\x05xy", stat));
}

TEST(StatTableTest, TextsAreInTheStatOrInTheTable) {
  StatTable table;
  table.ids = IdTable(std::vector<int64_t>{4});
  table.names = {"pooled"};
  table.roles = {StatRole::kNone};
  PlaneStat stat;
  stat.kind = PlaneStat::Kind::kRef;
  stat.bits = 4;
  EXPECT_EQ(table.TextOf(stat), "pooled");
  stat.bits = 5;
  EXPECT_EQ(table.TextOf(stat), "");
  stat.kind = PlaneStat::Kind::kString;
  stat.text = "own";
  EXPECT_EQ(table.TextOf(stat), "own");
  EXPECT_EQ(StatText(stat, table), "own");
}

TEST(StatTextTest, ShowsNumbersAndSizes) {
  PlaneStat stat;
  stat.kind = PlaneStat::Kind::kUint;
  stat.bits = ~uint64_t{0};
  EXPECT_EQ(StatText(stat, {}), "18446744073709551615");
  stat.kind = PlaneStat::Kind::kInt;
  EXPECT_EQ(StatText(stat, {}), "-1");
  stat.kind = PlaneStat::Kind::kBytes;
  stat.text = "abc";
  EXPECT_EQ(StatText(stat, {}), "<3 bytes>");
  stat.kind = PlaneStat::Kind::kNone;
  EXPECT_EQ(StatText(stat, {}), "");
}

TEST(RoleOfStatTest, KnowsItsNames) {
  EXPECT_EQ(RoleOfStat("step_num"), StatRole::kStepNum);
  EXPECT_EQ(RoleOfStat("memset_details"), StatRole::kCopyDetails);
  EXPECT_EQ(RoleOfStat("18495 out of 25276 (73.17%)"), StatRole::kNone);
}

}  // namespace
}  // namespace tfprof::xplane

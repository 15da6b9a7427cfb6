#include "profile/execution_record.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

// A loader holds millions of records.
static_assert(sizeof(ExecutionRecord) == 64);

TEST(ExecutionRecordTest, ByDefaultThereIsNoStart) {
  EXPECT_FALSE(ExecutionRecord().has_start());
  EXPECT_FALSE(NamedExecution().has_start());
}

TEST(ExecutionRecordTest, AllOtherTimesAreStarts) {
  for (const int64_t start : {INT64_MIN + 1, int64_t{-1}, int64_t{0}}) {
    EXPECT_TRUE((ExecutionRecord{.start = start}).has_start()) << start;
    EXPECT_TRUE((NamedExecution{.start = start}).has_start()) << start;
  }
}

TEST(NodeRangeTest, TheEndIsNotInTheRange) {
  const NodeRange range = {3, 5};
  EXPECT_FALSE(range.Has(2));
  EXPECT_TRUE(range.Has(3));
  EXPECT_TRUE(range.Has(4));
  EXPECT_FALSE(range.Has(5));
}

TEST(NodeRangeTest, AnEmptyRangeHasNoNode) {
  for (const NodeId n : {0u, 3u, kNone}) {
    EXPECT_FALSE(NodeRange().Has(n)) << n;
    EXPECT_FALSE((NodeRange{3, 3}).Has(n)) << n;
  }
}

TEST(NodeRangeTest, NoneIsInNoRange) {
  EXPECT_FALSE((NodeRange{0, 0xfffffffe}).Has(kNone));
  EXPECT_FALSE((NodeRange{5, 9}).Has(kNone));
}

}  // namespace
}  // namespace tfprof::profile

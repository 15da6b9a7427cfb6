#include "util/text/percent.h"

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(PercentTest, HasOneDecimal) {
  EXPECT_EQ(Percent(1, 3), "33.3%");
  EXPECT_EQ(Percent(-1, 2), "-50.0%");
}

TEST(PercentTest, OfNothingIsNothing) { EXPECT_EQ(Percent(5, 0), "0.0%"); }

}  // namespace
}  // namespace tfprof::util

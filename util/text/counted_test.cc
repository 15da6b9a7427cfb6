#include "util/text/counted.h"

#include <cstddef>
#include <cstdint>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(CountedTest, OneHasNoPlural) {
  EXPECT_EQ(Counted(size_t{1}, "step"), "1 step");
  EXPECT_EQ(Counted(int64_t{1}, "more row"), "1 more row");
}

TEST(CountedTest, OthersHave) {
  EXPECT_EQ(Counted(0, "step"), "0 steps");
  EXPECT_EQ(Counted(12, "step"), "12 steps");
}

}  // namespace
}  // namespace tfprof::util

#include "util/run/time_limit.h"

#include <unistd.h>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(TimeLimitDeathTest, EndsWithALineAndTheStatus) {
  const auto wait = [] {
    LimitTime(1, 7);
    for (;;) pause();
  };
  EXPECT_EXIT(wait(), testing::ExitedWithCode(7),
              "longer than --max_seconds allows");
}

TEST(TimeLimitDeathTest, ZeroIsNoLimit) {
  const auto wait = [] {
    LimitTime(0, 7);
    _exit(alarm(0) == 0 ? 3 : 4);
  };
  EXPECT_EXIT(wait(), testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace tfprof::util

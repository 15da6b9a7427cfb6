#include "util/progress.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof {
namespace {

TEST(ProgressTest, Line) {
  EXPECT_EQ(ProgressLine("loading", 250'000'000, 1'000'000'000, 0.5, "B", 80),
            "loading  [#####               ]  25%  500.0 MB/s  2 s left");
  EXPECT_EQ(ProgressLine("writing", 1500, 0, 1, " rows", 80),
            "writing  1.5 k rows  1.5 k rows/s");
  EXPECT_EQ(ProgressLine("writing", 0, 0, 3.2, "B", 80), "writing  3 s");
  EXPECT_EQ(ProgressLine("loading", 5, 4, 1, "B", 20), "loading  [#########");
  EXPECT_EQ(ProgressLine("loading", 0, 4, 0, "B", 0), "");
}

TEST(ProgressTest, NoLineIsWiderThanTheWindow) {
  for (size_t width = 0; width < 90; ++width) {
    for (const int64_t done : {int64_t{0}, int64_t{7}, int64_t{1} << 40}) {
      for (const int64_t total : {int64_t{0}, int64_t{9}, int64_t{1} << 41}) {
        const std::string line =
            ProgressLine("loading", done, total, 2.5, "B", width);
        EXPECT_TRUE(line.size() < width || line.empty()) << line;
      }
    }
  }
}

TEST(ProgressTest, MoreThanTheTotalShowsAsTheTotal) {
  EXPECT_NE(ProgressLine("loading", 90, 30, 1, "B", 80).find("100%"),
            std::string::npos);
}

// stderr of a test is no terminal: nothing is drawn, and nothing waits.
TEST(ProgressTest, BarEndsAtOnce) {
  Progress progress;
  progress.total = 10;
  for (int i = 0; i < 10; ++i) {
    const ProgressBar bar("loading", progress, "B");
    ++progress.done;
  }
  EXPECT_EQ(progress.done, 10);
}

}  // namespace
}  // namespace tfprof

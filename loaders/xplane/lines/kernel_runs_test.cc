#include "loaders/xplane/lines/kernel_runs.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::xplane {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

size_t Period(std::string_view letters) {
  return PeriodOf(std::vector<uint32_t>(letters.begin(), letters.end()));
}

TEST(PeriodOfTest, NamesThatRepeat) {
  EXPECT_EQ(Period("a"), 1u);
  EXPECT_EQ(Period("aaa"), 1u);
  EXPECT_EQ(Period("abab"), 2u);
  EXPECT_EQ(Period("aabcdaabcd"), 5u);
}

TEST(PeriodOfTest, TheLastTimeMayBeCutOff) {
  EXPECT_EQ(Period("ababa"), 2u);
  EXPECT_EQ(Period("abca"), 3u);
}

TEST(PeriodOfTest, NamesThatDoNotRepeat) {
  EXPECT_EQ(Period(""), 0u);
  EXPECT_EQ(Period("abc"), 3u);
  EXPECT_EQ(Period("aab"), 3u);
  EXPECT_EQ(Period("abcabd"), 6u);
}

TEST(PeriodOfTest, ManyEqualNamesTakeLinearTime) {
  std::string names(1'000'000, 'a');
  names += 'b';
  EXPECT_EQ(Period(names), names.size());
}

// A stream of kernels, each "NODE NAME" of one digit and one letter. A target
// with node 0 does not join kernels.
FileLine Stream(const std::vector<std::string_view>& kernels) {
  FileLine line;
  line.use = LineUse::kStream;
  for (const std::string_view kernel : kernels) {
    const auto number = static_cast<uint32_t>(line.events.events.size());
    EventTarget& target = line.targets.emplace_back();
    target.kind = EventTarget::Kind::kNode;
    target.node = static_cast<profile::NodeId>(kernel[0] - '0');
    target.joins_kernels = target.node != 0;
    line.events.keys.push_back(
        {.metadata = static_cast<uint32_t>(kernel[2] - 'a')});
    line.events.events.push_back({.start = 10 * int64_t{number},
                                  .duration = 5,
                                  .key = number,
                                  .group = number});
  }
  return line;
}

TEST(LaterKernelsTest, KernelsThatFollowEachOtherAreOneExecution) {
  EXPECT_THAT(LaterKernels(Stream({"1 a", "2 a", "2 a", "2 b", "1 a"})),
              ElementsAre(2, 3));
}

TEST(LaterKernelsTest, NamesThatRepeatAreSeveralExecutions) {
  EXPECT_THAT(LaterKernels(Stream({"1 a", "1 a", "1 a"})), IsEmpty());
  EXPECT_THAT(LaterKernels(Stream({"1 a", "1 b", "1 a", "1 b"})),
              ElementsAre(1, 3));
}

TEST(LaterKernelsTest, KernelsOfNoOperationPartNothing) {
  EXPECT_THAT(LaterKernels(Stream({"1 a", "0 c", "1 b", "0 c"})),
              ElementsAre(2));
}

TEST(LaterKernelsTest, TheOrderIsThatOfTheStarts) {
  FileLine line = Stream({"1 a", "2 a", "1 b", "2 b"});
  line.events.events[1].start = 25;
  EXPECT_THAT(LaterKernels(line), ElementsAre(2, 3));
}

TEST(LaterKernelsTest, OnlyStreamsHaveKernels) {
  FileLine line = Stream({"1 a", "1 b"});
  line.use = LineUse::kThread;
  EXPECT_THAT(LaterKernels(line), IsEmpty());
}

TEST(LaterKernelsTest, AnEmptyLine) {
  EXPECT_THAT(LaterKernels(Stream({})), IsEmpty());
}

}  // namespace
}  // namespace tfprof::xplane

#include "loaders/chrome_json/kineto/replays/replays.h"

#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A run in which each step replays graphs of one kernel, "k".
class ReplaysTest : public ::testing::Test {
 protected:
  ReplaysTest() {
    events_.device_lanes.push_back(
        {.stream = 7, .kind = profile::LaneKind::kKernels});
  }

  void Step(std::string_view name, int64_t start, int64_t end) {
    events_.host.push_back({.start = start,
                            .duration = end - start,
                            .name = strings_.Intern(name),
                            .category = KinetoCategory::kRange,
                            .is_range = true});
  }
  void Launch(int64_t start) {
    launches_.push_back(static_cast<uint32_t>(events_.host.size()));
    events_.host.push_back({.start = start,
                            .duration = 1,
                            .name = strings_.Intern("cudaGraphLaunch"),
                            .category = KinetoCategory::kLaunch});
    launch_of_.push_back(launches_.back());
    events_.device.push_back(
        {.start = start + 100, .duration = 5, .name = strings_.Intern("k")});
  }
  // A file with captures of one kernel each.
  CaptureFile File(int64_t batch, size_t captures) {
    const profile::StringId kernel = strings_.Intern("k");
    return {batch,
            std::vector<GraphCapture>(captures, {0, {{kernel, kernel}}, {0}})};
  }
  // The file and the capture of each kernel, as 10 * file + capture; -1: none.
  std::vector<int> Sources(const std::vector<CaptureFile>& files) {
    std::vector<const CaptureFile*> pointers;
    for (const CaptureFile& file : files) pointers.push_back(&file);
    const std::vector<Replay> replays =
        FindReplays(events_, strings_, launch_of_, launches_);
    std::vector<int> sources;
    for (const KernelSource& source :
         FindSources(events_, FindSteps(events_, strings_), replays, pointers,
                     WorkKinds(strings_))) {
      sources.push_back(
          source.file == profile::kNone
              ? -1
              : static_cast<int>(10 * source.file + source.capture));
    }
    return sources;
  }

  profile::StringPool strings_;
  KinetoEvents events_;
  std::vector<uint32_t> launches_;
  std::vector<uint32_t> launch_of_;
};

TEST_F(ReplaysTest, NamesOfLaunches) {
  EXPECT_TRUE(IsGraphLaunch("cudaGraphLaunch_v10000"));
  EXPECT_TRUE(IsGraphLaunch("hipGraphLaunch"));
  EXPECT_FALSE(IsGraphLaunch("cudaLaunchKernel"));
  EXPECT_FALSE(IsGraphLaunch("cudaGraphInstantiate"));
}

TEST_F(ReplaysTest, KernelsAreOfTheirLaunchInTheOrderOfTime) {
  Launch(50);
  Launch(10);
  events_.device.push_back({.start = 20});
  launch_of_.push_back(launches_[0]);
  events_.device.push_back({.start = 30});
  launch_of_.push_back(profile::kNone);
  const std::vector<Replay> replays =
      FindReplays(events_, strings_, launch_of_, launches_);
  ASSERT_EQ(replays.size(), 2u);
  EXPECT_THAT(replays[0].kernels, ElementsAre(1));
  EXPECT_THAT(replays[1].kernels, ElementsAre(2, 0));
}

TEST_F(ReplaysTest, TheSmallestBatchThatIsLargeEnough) {
  Step("step[DECODE bs=3]", 0, 10);
  Launch(1);
  Step("step[DECODE bs=8]", 10, 20);
  Launch(11);
  Step("step[DECODE bs=9]", 20, 30);
  Launch(21);
  Launch(41);  // in no step
  EXPECT_THAT(Sources({File(8, 1), File(4, 1), File(-1, 1)}),
              ElementsAre(10, 0, -1, -1));
}

TEST_F(ReplaysTest, AFileWithoutABatchServesAllIfItIsAlone) {
  Step("step[DECODE bs=3]", 0, 10);
  Launch(1);
  EXPECT_THAT(Sources({File(-1, 1)}), ElementsAre(0));
  EXPECT_THAT(Sources({File(-1, 1), File(-1, 1)}), ElementsAre(-1));
}

TEST_F(ReplaysTest, PiecesAreCapturedInTheSameOrder) {
  Step("step[DECODE bs=3]", 0, 10);
  Launch(1);
  Launch(2);
  Step("step[DECODE bs=3]", 10, 20);
  Launch(11);
  EXPECT_THAT(Sources({File(4, 2)}), ElementsAre(0, 1, -1));
  // One capture serves each replay of a step.
  EXPECT_THAT(Sources({File(4, 1)}), ElementsAre(0, 0, 0));
  // If two files have the same batch, the one with the right number of pieces
  // is used.
  EXPECT_THAT(Sources({File(4, 1), File(4, 2)}), ElementsAre(10, 11, 0));
}

TEST_F(ReplaysTest, WithoutStepsAllReplaysAreOne) {
  Launch(1);
  Launch(2);
  EXPECT_THAT(Sources({File(-1, 2)}), ElementsAre(0, 1));
  EXPECT_THAT(Sources({File(-1, 1)}), ElementsAre(0, 0));
  EXPECT_THAT(Sources({File(-1, 3)}), ElementsAre(-1, -1));
  EXPECT_THAT(Sources({File(4, 1)}), ElementsAre(-1, -1));
}

}  // namespace
}  // namespace tfprof::kineto

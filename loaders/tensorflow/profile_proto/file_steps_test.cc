#include "loaders/tensorflow/profile_proto/file_steps.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// An execution of a node, in microseconds.
struct Ran {
  profile::NodeId node;
  std::string_view device;
  int64_t start;
  int64_t duration = 1;
};

class FileStepsTest : public ::testing::Test {
 protected:
  FileStepsTest() {
    for (const std::string_view name : {"a", "b", "c"}) {
      context_.builder.AddNode(name, "Op", profile::kNoRecord);
    }
  }

  // Makes a step of these executions; executions of a node are adjacent.
  FileStep Step(std::initializer_list<Ran> executions, bool listed = true) {
    FileStep step;
    step.listed = listed;
    for (const Ran& ran : executions) {
      if (step.sums.empty() || step.sums.back().node != ran.node) {
        step.sums.emplace_back().node = ran.node;
        step.first_record.push_back(step.records.size());
      }
      ++step.sums.back().run_count;
      step.sums.back().cpu_time += ran.duration;
      step.records.push_back(
          {.node = ran.node,
           .lane = DeviceLane(ran.device, context_.builder.mutable_graph()),
           .start = ran.start,
           .duration = ran.duration});
    }
    return step;
  }
  absl::Status Add(std::map<int64_t, FileStep> steps,
                   const std::string& path = "second") {
    return AddFileSteps(std::move(steps), path, context_);
  }
  // Formats the steps so far as "id: runs", or "(id)" if they are not listed.
  std::vector<std::string> Steps() const {
    std::vector<std::string> lines;
    for (const auto& step : context_.builder.finished_steps()) {
      int64_t runs = 0;
      for (size_t g = 0; g < step->num_groups(); ++g) {
        runs += step->sums.run_count[g];
      }
      lines.push_back(step->listed ? fmt::format("{}: {}", step->id, runs)
                                   : fmt::format("({}): {}", step->id, runs));
    }
    return lines;
  }
  std::vector<std::string> Log() const { return context_.log.Lines(); }

  loaders::LoadContext context_;
};

TEST_F(FileStepsTest, TheFirstFile) {
  ASSERT_TRUE(Add({{3, Step({{0, "/cpu:0", 10}, {1, "/cpu:0", 20}})},
                   {7, Step({}, /*listed=*/true)},
                   {9, Step({{0, "/cpu:0", 30}}, /*listed=*/false)}})
                  .ok());
  EXPECT_THAT(Steps(), ElementsAre("3: 2", "7: 0", "(9): 1"));
  EXPECT_THAT(Log(), IsEmpty());
}

TEST_F(FileStepsTest, AFileWithoutSteps) {
  ASSERT_TRUE(Add({}).ok());
  EXPECT_THAT(Steps(), IsEmpty());
}

TEST_F(FileStepsTest, TheSameExecutionsAreReadOnce) {
  const auto step = [&] {
    return Step({{0, "/cpu:0", 10}, {0, "/cpu:0", 15}, {1, "/cpu:0", 20}});
  };
  ASSERT_TRUE(Add({{3, step()}}, "first").ok());
  ASSERT_TRUE(Add({{3, step()}}).ok());
  EXPECT_THAT(Steps(), ElementsAre("3: 3"));
  EXPECT_THAT(Log(),
              ElementsAre("second: step 3 is in an earlier file, with the same "
                          "executions: read once"));
}

// The file was written before the step was complete.
TEST_F(FileStepsTest, APartOfTheSameExecutionsIsReadOnceToo) {
  ASSERT_TRUE(
      Add({{3,
            Step({{0, "/cpu:0", 10}, {0, "/cpu:0", 15}, {1, "/cpu:0", 20}})}})
          .ok());
  ASSERT_TRUE(Add({{3, Step({{0, "/cpu:0", 15}})}}).ok());
  EXPECT_THAT(Steps(), ElementsAre("3: 3"));
}

TEST_F(FileStepsTest, OtherDevicesAreAnotherWorkersPart) {
  ASSERT_TRUE(Add({{3, Step({{0, "/job:a/cpu:0", 10}})}}).ok());
  ASSERT_TRUE(Add({{3, Step({{0, "/job:b/cpu:0", 10}})}}).ok());
  EXPECT_THAT(Steps(), ElementsAre("3: 2"));
  EXPECT_THAT(Log(), ElementsAre("second: step 3 is in an earlier file, on "
                                 "other devices: added to it"));
}

TEST_F(FileStepsTest, OtherExecutionsAreAnotherStep) {
  ASSERT_TRUE(
      Add({{0, Step({{0, "/cpu:0", 10}})}, {1, Step({{0, "/cpu:0", 20}})}})
          .ok());
  // Both numbers are in use, and the file uses 2 too.
  ASSERT_TRUE(Add({{0, Step({{0, "/cpu:0", 30}})},
                   {1, Step({{0, "/cpu:0", 40}})},
                   {2, Step({{0, "/cpu:0", 50}})}})
                  .ok());
  EXPECT_THAT(Steps(), ElementsAre("0: 1", "1: 1", "2: 1", "3: 1", "4: 1"));
  ASSERT_EQ(Log().size(), 1u);
  EXPECT_THAT(Log()[0],
              HasSubstr("are in an earlier file, with other executions on "
                        "/cpu:0: kept as step"));
}

TEST_F(FileStepsTest, TheSameSumsOfOtherTimesAreOtherExecutions) {
  ASSERT_TRUE(Add({{0, Step({{0, "/cpu:0", 10, 4}})}}).ok());
  ASSERT_TRUE(Add({{0, Step({{0, "/cpu:0", 11, 4}})}}).ok());
  EXPECT_THAT(Steps(), ElementsAre("0: 1", "1: 1"));
}

TEST_F(FileStepsTest, TheSameTimesWithOtherSumsAreOtherExecutions) {
  ASSERT_TRUE(Add({{0, Step({{0, "/cpu:0", 10}})}}).ok());
  FileStep step = Step({{0, "/cpu:0", 10}});
  step.sums[0].peak_bytes = 5;
  ASSERT_TRUE(Add({{0, std::move(step)}}).ok());
  EXPECT_THAT(Steps(), ElementsAre("0: 1", "1: 1"));
}

TEST_F(FileStepsTest, MergedOnRequest) {
  context_.same_step = loaders::SameStep::kMerge;
  ASSERT_TRUE(Add({{5, Step({{0, "/cpu:0", 10}})}}).ok());
  ASSERT_TRUE(Add({{5, Step({{0, "/cpu:0", 30}, {2, "/cpu:0", 40}})}}).ok());
  EXPECT_THAT(Steps(), ElementsAre("5: 3"));
  EXPECT_THAT(Log(), ElementsAre("second: step 5 is in an earlier file, with "
                                 "other executions on /cpu:0: added to it"));
}

TEST_F(FileStepsTest, AnErrorOnRequestAddsNothing) {
  context_.same_step = loaders::SameStep::kError;
  ASSERT_TRUE(Add({{5, Step({{0, "/cpu:0", 10}})}}).ok());
  const absl::Status status =
      Add({{4, Step({{0, "/cpu:0", 1}})}, {5, Step({{0, "/cpu:0", 30}})}});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()),
            "second: step 5 is in an earlier file, with other executions on "
            "/cpu:0; --same_step=renumber keeps both, --same_step=merge adds "
            "them up");
  EXPECT_THAT(Steps(), ElementsAre("5: 1"));
  // The same executions and other devices do not clash.
  EXPECT_TRUE(Add({{5, Step({{0, "/cpu:0", 10}})}}).ok());
  EXPECT_TRUE(Add({{5, Step({{0, "/job:b/cpu:0", 10}})}}).ok());
}

TEST_F(FileStepsTest, AStepWithoutExecutionsIsNoClash) {
  ASSERT_TRUE(Add({{0, Step({})}}).ok());
  ASSERT_TRUE(Add({{0, Step({{0, "/cpu:0", 10}})}}).ok());
  ASSERT_TRUE(Add({{0, Step({})}}).ok());
  EXPECT_THAT(Steps(), ElementsAre("0: 1"));
  EXPECT_THAT(Log(), IsEmpty());
}

// Dropped executions cannot be compared, so both steps are kept.
TEST_F(FileStepsTest, DroppedExecutionsAreOtherExecutions) {
  context_.builder.SetMaxMemory(1);
  ASSERT_TRUE(Add({{0, Step({{0, "/cpu:0", 10}})}}).ok());
  ASSERT_TRUE(Add({{0, Step({{0, "/cpu:0", 10}})}}).ok());
  EXPECT_THAT(Steps(), ElementsAre("0: 1", "1: 1"));
  EXPECT_THAT(Log()[0], HasSubstr("with other executions: kept as step 1"));
}

// No number is larger than the largest one.
TEST_F(FileStepsTest, TheLargestNumberIsRenumberedFromZero) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  ASSERT_TRUE(Add({{kMax, Step({{0, "/cpu:0", 10}})}}).ok());
  ASSERT_TRUE(Add({{kMax, Step({{0, "/cpu:0", 20}})}}).ok());
  EXPECT_EQ(Steps()[0], "0: 1");
  EXPECT_EQ(Steps().size(), 2u);
}

}  // namespace
}  // namespace tfprof::tensorflow

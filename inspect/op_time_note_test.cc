#include "inspect/op_time_note.h"

#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "profile/profile_builder.h"
#include "views/views.h"

namespace tfprof::inspect {
namespace {
namespace sum_note_test {

using ::testing::HasSubstr;

constexpr char kCpu[] = "/job:w/device:CPU:0";

class SumNoteTest : public tensorflow::ProfileTest {
 protected:
  std::string Note(int64_t step = accounting::kAverageOfSteps) {
    profile_ = Build();
    return NoteOf(step);
  }
  std::string NoteOf(int64_t step) {
    views::Views views(profile_);
    views::ViewOptions options;
    options.step = step;
    return SumNote(views.Show(views::View::kOp, options), views);
  }
  profile::Profile profile_;
};

TEST_F(SumNoteTest, SumsWithinTheWallTimeNeedNone) {
  Ran(Node("a", "A"), 1000, 10, 0, kCpu);
  Ran(Node("b", "B"), 1010, 10, 0, kCpu);
  EXPECT_EQ(Note(), "");
}

TEST_F(SumNoteTest, WorkAtTheSameTime) {
  Ran(Node("a", "A"), 1000, 10, 0, kCpu);
  Ran(Node("b", "B"), 1000, 10, 0, kCpu);
  EXPECT_EQ(Note(0),
            "The sum of op times, 20us, is more than the wall time, 10us: "
            "devices and threads work at the same time.");
}

TEST_F(SumNoteTest, AnAverageOverFewerSteps) {
  const profile::NodeId a = Node("a", "A"), b = Node("b", "B");
  for (int step = 0; step < 3; ++step) Ran(a, 1000, 10, step, kCpu);
  Ran(b, 1010, 90, 2, kCpu);
  EXPECT_THAT(
      Note(),
      HasSubstr("100us, is more than the wall time of a step, 40us: the "
                "average of an operation is over the steps in which it "
                "ran"));
  EXPECT_EQ(NoteOf(accounting::kAllSteps), "");
}

// The launch of a kernel and the kernel are two times, each within the wall.
TEST_F(SumNoteTest, LaunchesAndKernelsAreNotOneSum) {
  const profile::NodeId a = Node("a", "A");
  RanOn(a, "/job:w/device:GPU:0", 1000, 50);
  RanOn(a, "/device:GPU:0/stream:all", 1010, 40);
  EXPECT_EQ(Note(), "");
}

TEST_F(SumNoteTest, OnlyTheTimeThatPassesTheWallIsNamed) {
  const profile::NodeId a = Node("a", "A");
  RanOn(a, "/job:w/device:GPU:0", 1000, 50);
  RanOn(a, "/device:GPU:0/stream:all", 1010, 40);
  RanOn(Node("b", "B"), "/job:w/device:CPU:0", 1000, 50);
  EXPECT_THAT(Note(), HasSubstr("The sum of op times, 100us on CPUs, is more "
                                "than the wall time of a step, 50us: "));
}

TEST_F(SumNoteTest, ReplaysThatNothingNames) {
  Ran(Node("a", "A"), 1000, 10, 0, kCpu);
  EXPECT_EQ(ReplayNote(Build()), "");
  profile::ProfileBuilder builder;
  builder.AddGraphReplay({.launches = 1, .kernels = 1, .unnamed_time = 10});
  EXPECT_THAT(ReplayNote(std::move(builder).Build()),
              HasSubstr("100.0% of the accelerators' time is kernels of "
                        "replayed graphs"));
}

TEST_F(SumNoteTest, AGraphAlone) {
  Node("a", "A");
  EXPECT_EQ(Note(), "");
}

}  // namespace sum_note_test
}  // namespace
}  // namespace tfprof::inspect

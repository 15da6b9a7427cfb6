#include "timeline/activity.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/intervals.h"
#include "views/views.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(OpOfLabelTest, Grammar) {
  EXPECT_EQ(OpOfLabel("[cpu 1.3MB 1.3MB] a/b = MatMul(c, d)"), "MatMul");
  EXPECT_EQ(OpOfLabel("_SOURCE = NoOp()"), "NoOp");
  EXPECT_EQ(OpOfLabel("a = b"), "");
  EXPECT_EQ(OpOfLabel("volta_sgemm_32x32 regs:57 (x)"), "");
}

class ActivityTest : public ProfileTest {
 protected:
  // What the devices of step 0 did, each "unit: compute C, …" in that order.
  std::vector<std::string> Devices() {
    profile_ = Build();
    Activities activities(profile_);
    const auto step = activities.Of(*profile_.FindStep(0));
    std::vector<std::string> texts;
    for (const TaskActivity& task : step->tasks) {
      spans_.push_back(task.span);
      for (const DeviceActivity& device : task.devices) {
        std::string text = activities.roles().units()[device.unit].name + ":";
        for (const Track* track : {&device.compute, &device.communication,
                                   &device.copies, &device.launches}) {
          text += " " + std::to_string(track->runs.size()) + "/" +
                  std::to_string(Micros(track->busy));
        }
        texts.push_back(text);
      }
    }
    return texts;
  }
  void Unaccounted(const std::string& name, const std::string& device,
                   int64_t start, int64_t micros) {
    GraphTables& graph = builder_.mutable_graph();
    builder_.AddStep(0);
    builder_.AddOutside(0, {.name = graph.strings.Intern(name),
                            .lane = DeviceLane(device, graph),
                            .start = start,
                            .duration = micros});
  }

  Profile profile_;
  std::vector<int64_t> spans_;
};

// compute, communication, copies, launches: records/microseconds.
TEST_F(ActivityTest, EachKernelCountsOnce) {
  const NodeId a = Node("a", "Conv2D"), b = Node("b", "Conv2D");
  Ran(a, 100, 10);  // on the host, stream:all and stream:0
  RanOn(b, "/job:localhost/replica:0/task:0/device:GPU:0", 105, 2);
  RanOn(b, "/device:GPU:0/stream:all", 105, 10);
  RanOn(b, "/device:GPU:0/stream:7", 105, 10);
  RanOn(b, "/device:GPU:0/memcpy", 120, 5);
  RanOn(b, "/device:GPU:0/stream:7<MemcpyH2D>", 120, 5);
  RanOn(b, "/device:GPU:0/sync", 120, 500);
  EXPECT_THAT(Devices(),
              ElementsAre("/job:localhost/replica:0/task:0/device:gpu:0: 2/15 "
                          "0/0 1/5 2/10"));
  EXPECT_THAT(spans_, ElementsAre(25));
}

TEST_F(ActivityTest, StreamsStandForAllWhereNothingElseDoes) {
  const NodeId a = Node("a", "Conv2D");
  RanOn(a, "/job:w/device:GPU:0", 100, 2);
  RanOn(a, "/device:GPU:0/stream:7", 105, 10);
  RanOn(a, "/device:GPU:0/stream:7<MemcpyD2H>", 120, 5);
  EXPECT_THAT(Devices(), ElementsAre("/job:w/device:gpu:0: 1/10 0/0 1/5 1/2"));
}

TEST_F(ActivityTest, RecordsOutsideTheAccountingCount) {
  const NodeId a = Node("a", "Conv2D");
  RanOn(a, "/job:w/device:CPU:0", 100, 10);
  RanOn(a, "/job:w/device:CPU:1", 120, 10);  // not its canonical device
  RanOn(Node("r", "_Recv"), "/job:w/device:CPU:0", 130, 7);
  RanOn(Node("h", "HorovodAllreduce"), "/job:w/device:CPU:0", 150, 6);
  Unaccounted("RecvTensor", "/job:w/device:CPU:0", 90, 20);
  Unaccounted("MEMCPYHtoD", "/device:GPU:0/memcpy", 100, 3);
  Unaccounted("MEMCPYHtoD", "/device:GPU:0/stream:14", 100, 3);
  EXPECT_THAT(Devices(), ElementsAre("/device:gpu:0: 0/0 0/0 1/3 0/0",
                                     "/job:w/device:cpu:0: 1/10 3/33 0/0 0/0",
                                     "/job:w/device:cpu:1: 1/10 0/0 0/0 0/0"));
  EXPECT_THAT(spans_, ElementsAre(66));
}

TEST_F(ActivityTest, InvalidTimesAreNoRuns) {
  const NodeId a = Node("a", "Conv2D");
  RanOn(a, "/cpu:0", kNoStart, 10);
  RanOn(a, "/cpu:0", 10, -4);
  RanOn(a, "/cpu:0", INT64_MAX - 2, 100);
  Unaccounted("RecvTensor", "/cpu:0", kNoStart, 20);
  EXPECT_THAT(Devices(), IsEmpty());
}

// Two runs in one step: the time between them is not the step's.
TEST_F(ActivityTest, RunsOfAStepAreApart) {
  const NodeId a = Node("a", "Conv2D");
  Unaccounted("_SOURCE", "/cpu:0", 98, 1);
  RanOn(a, "/cpu:0", 100, 10);
  RanOn(a, "/cpu:0", 130, 10);  // idle before it, but no new run
  Unaccounted("_SOURCE", "/cpu:0", 5000, 1);
  RanOn(a, "/cpu:0", 5004, 10);
  Devices();
  EXPECT_THAT(spans_, ElementsAre(42 + 14));
}

// Functions have a _SOURCE too; the op that calls them runs meanwhile.
TEST_F(ActivityTest, ASourceAmidWorkStartsNoRun) {
  const NodeId a = Node("a", "Conv2D");
  Unaccounted("_SOURCE", "/cpu:0", 100, 1);
  RanOn(a, "/cpu:0", 100, 50);
  Unaccounted("_SOURCE", "/cpu:0", 120, 1);
  RanOn(a, "/cpu:0", 170, 10);
  Devices();
  EXPECT_THAT(spans_, ElementsAre(80));
}

TEST_F(ActivityTest, StepsAreKept) {
  Ran(Node("a", "Conv2D"), 10, 5);
  const Profile profile = Build();
  Views views(profile);
  Activities& activities = views.Kept<Activities>();
  EXPECT_EQ(&activities, &views.Kept<Activities>());
  EXPECT_EQ(activities.Of(*profile.FindStep(0)),
            activities.Of(*profile.FindStep(0)));
}

}  // namespace
}  // namespace tfprof

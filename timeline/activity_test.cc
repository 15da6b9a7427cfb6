#include "timeline/activity.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "loaders/tensorflow/profile_testing.h"
#include "profile/details.h"
#include "profile/profile_builder.h"
#include "timeline/intervals.h"
#include "views/views.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ActivityTest : public tensorflow::ProfileTest {
 protected:
  // Returns a text for each device of step 0: its name, the runs and the time
  // of computation, communication and copies, and the time of launching.
  std::vector<std::string> Devices() {
    profile_ = Build();
    Activities activities(profile_);
    const auto step = activities.Of(*profile_.FindStep(0));
    for (const ClockActivity& clock : step->clocks) {
      spans_.push_back(clock.length);
    }
    std::vector<std::string> texts;
    for (const DeviceActivity& device : step->devices) {
      std::string text = activities.units()[device.unit].name + ":";
      for (const auto& [kind, times] :
           {std::pair(RunKind::kCompute, &device.compute),
            std::pair(RunKind::kCommunication, &device.communication),
            std::pair(RunKind::kCopy, &device.copies)}) {
        const auto count = std::count_if(
            device.runs.begin(), device.runs.end(),
            [kind = kind](const DeviceRun& run) { return run.kind == kind; });
        text +=
            " " + std::to_string(count) + "/" + std::to_string(Length(*times));
      }
      texts.push_back(text + " " + std::to_string(Length(device.launching)));
    }
    return texts;
  }
  void Unaccounted(const std::string& name, const std::string& device,
                   int64_t start, int64_t micros) {
    profile::GraphTables& graph = builder_.mutable_graph();
    builder_.AddStep(0);
    builder_.AddOutside(
        0, {.name = graph.strings.Intern(name),
            .lane = tensorflow::LaneOfOutside(
                name, tensorflow::DeviceLane(device, graph), graph),
            .start = start,
            .duration = micros});
  }

  profile::Profile profile_;
  std::vector<int64_t> spans_;
};

TEST_F(ActivityTest, EachKernelCountsOnce) {
  const profile::NodeId a = Node("a", "Conv2D"), b = Node("b", "Conv2D");
  Ran(a, 100, 10);  // on the host, stream:all and stream:0
  RanOn(b, "/job:localhost/replica:0/task:0/device:GPU:0", 105, 2);
  RanOn(b, "/device:GPU:0/stream:all", 105, 10);
  RanOn(b, "/device:GPU:0/stream:7", 105, 10);
  RanOn(b, "/device:GPU:0/memcpy", 120, 5);
  RanOn(b, "/device:GPU:0/stream:7<MemcpyH2D>", 120, 5);
  RanOn(b, "/device:GPU:0/sync", 120, 500);
  EXPECT_THAT(Devices(),
              ElementsAre("/job:localhost/replica:0/task:0/device:gpu:0: 2/15 "
                          "0/0 1/5 10"));
  EXPECT_THAT(spans_, ElementsAre(25));
}

TEST_F(ActivityTest, SingleStreamsCountWhereNoLaneHasAll) {
  const profile::NodeId a = Node("a", "Conv2D");
  RanOn(a, "/job:w/device:GPU:0", 100, 2);
  RanOn(a, "/device:GPU:0/stream:7", 105, 10);
  RanOn(a, "/device:GPU:0/stream:7<MemcpyD2H>", 120, 5);
  EXPECT_THAT(Devices(), ElementsAre("/job:w/device:gpu:0: 1/10 0/0 1/5 2"));
}

TEST_F(ActivityTest, RecordsOutsideTheAccountingCount) {
  const profile::NodeId a = Node("a", "Conv2D");
  RanOn(a, "/job:w/device:CPU:0", 100, 10);
  RanOn(a, "/job:w/device:CPU:1", 120, 10);  // not its canonical device
  RanOn(Node("r", "_Recv"), "/job:w/device:CPU:0", 130, 7);
  RanOn(Node("h", "HorovodAllreduce"), "/job:w/device:CPU:0", 150, 6);
  Unaccounted("RecvTensor", "/job:w/device:CPU:0", 90, 20);
  Unaccounted("MEMCPYHtoD", "/device:GPU:0/memcpy", 100, 3);
  Unaccounted("MEMCPYHtoD", "/device:GPU:0/stream:14", 100, 3);
  EXPECT_THAT(Devices(), ElementsAre("/device:gpu:0: 0/0 0/0 1/3 0",
                                     "/job:w/device:cpu:0: 1/10 3/33 0/0 0",
                                     "/job:w/device:cpu:1: 1/10 0/0 0/0 0"));
  EXPECT_THAT(spans_, ElementsAre(66));
}

TEST_F(ActivityTest, WithoutAStartItIsNoRun) {
  const profile::NodeId a = Node("a", "Conv2D");
  RanOn(a, "/cpu:0", profile::kNoStart, 10);
  Unaccounted("RecvTensor", "/cpu:0", profile::kNoStart, 20);
  EXPECT_THAT(Devices(), IsEmpty());
}

TEST_F(ActivityTest, NegativeLengthsAreZeroAndEndsSaturate) {
  const profile::NodeId a = Node("a", "Conv2D");
  RanOn(a, "/cpu:0", INT64_MAX - 10, -4);
  RanOn(a, "/cpu:0", INT64_MAX - 2, 100);
  EXPECT_THAT(Devices(), ElementsAre("/cpu:0: 2/2 0/0 0/0 0"));
}

// The time between two runs in one step is not part of the step.
TEST_F(ActivityTest, RunsOfAStepAreApart) {
  const profile::NodeId a = Node("a", "Conv2D");
  Unaccounted("_SOURCE", "/cpu:0", 98, 1);
  RanOn(a, "/cpu:0", 100, 10);
  RanOn(a, "/cpu:0", 130, 10);  // idle before it, but not a new run
  Unaccounted("_SOURCE", "/cpu:0", 5000, 1);
  RanOn(a, "/cpu:0", 5004, 10);
  Devices();
  EXPECT_THAT(spans_, ElementsAre(42 + 14));
}

// Functions have a _SOURCE too, while the op that calls them runs.
TEST_F(ActivityTest, ASourceAmidWorkStartsNoRun) {
  const profile::NodeId a = Node("a", "Conv2D");
  Unaccounted("_SOURCE", "/cpu:0", 100, 1);
  RanOn(a, "/cpu:0", 100, 50);
  Unaccounted("_SOURCE", "/cpu:0", 120, 1);
  RanOn(a, "/cpu:0", 170, 10);
  Devices();
  EXPECT_THAT(spans_, ElementsAre(80));
}

TEST_F(ActivityTest, StepsAreKept) {
  Ran(Node("a", "Conv2D"), 10, 5);
  const profile::Profile profile = Build();
  views::Views views(profile);
  Activities& activities = views.Kept<Activities>();
  EXPECT_EQ(&activities, &views.Kept<Activities>());
  EXPECT_EQ(activities.Of(*profile.FindStep(0)),
            activities.Of(*profile.FindStep(0)));
}

TEST(IsCommunicationOpTest, TransfersAndCollectives) {
  for (const std::string_view op :
       {"_Recv", "_Send", "_HostRecv", "_HostSend", "HostRecv", "RecvTensor",
        "CollectiveReduce", "NcclAllReduce", "_NcclReduceSend",
        "HorovodBroadcast", "BytepsPushPull"}) {
    EXPECT_TRUE(IsCommunicationOp(op)) << op;
  }
  for (const std::string_view op :
       {"", "MatMul", "Recv", "_Recv2", "RecvTensor2", "MyHorovod", "nccl"}) {
    EXPECT_FALSE(IsCommunicationOp(op)) << op;
  }
}

TEST_F(ActivityTest, AStepWithoutExecutionsHasNoDevices) {
  builder_.AddStep(0);
  EXPECT_THAT(Devices(), IsEmpty());
}

// A _SOURCE alone does not count as work.
TEST_F(ActivityTest, ADeviceThatRanNothingIsNotListed) {
  Unaccounted("_SOURCE", "/job:w/cpu:0", 5, 1);
  RanOn(Node("a", "Conv2D"), "/job:v/cpu:0", 10, 5);
  EXPECT_THAT(Devices(), ElementsAre("/job:v/cpu:0: 1/5 0/0 0/0 0"));
}

// Processes have their own clocks, so their times are not comparable.
TEST_F(ActivityTest, EachClockHasItsOwnSpan) {
  const profile::NodeId a = Node("a", "Conv2D");
  RanOn(a, "/job:w/task:0/cpu:0", 100, 10);
  RanOn(a, "/job:w/task:1/cpu:0", 9000, 20);
  RanOn(a, "/job:w/task:0/cpu:1", 150, 5);
  EXPECT_THAT(Devices(), ElementsAre("/job:w/task:0/cpu:0: 1/10 0/0 0/0 0",
                                     "/job:w/task:1/cpu:0: 1/20 0/0 0/0 0",
                                     "/job:w/task:0/cpu:1: 1/5 0/0 0/0 0"));
  EXPECT_THAT(spans_, ElementsAre(55, 20));
}

TEST_F(ActivityTest, OverlappingRunsAreBusyOnce) {
  const profile::NodeId a = Node("a", "Conv2D");
  RanOn(a, "/cpu:0", 10, 20);
  RanOn(a, "/cpu:0", 15, 5);
  RanOn(a, "/cpu:0", 25, 10);
  EXPECT_THAT(Devices(), ElementsAre("/cpu:0: 3/25 0/0 0/0 0"));
}

TEST_F(ActivityTest, LaunchesOfCommunicationAreCommunication) {
  RanOn(Node("n", "NcclAllReduce"), "/job:w/device:GPU:0", 10, 5);
  EXPECT_THAT(Devices(), ElementsAre("/job:w/device:gpu:0: 0/0 1/5 0/0 0"));
}

TEST_F(ActivityTest, DroppedExecutionsHaveNoActivity) {
  builder_.SetMaxMemory(1);
  RanOn(Node("a", "Conv2D"), "/cpu:0", 10, 5);
  EXPECT_THAT(Devices(), IsEmpty());
}

TEST_F(ActivityTest, RunsAreByStartThenAsInTheFile) {
  const profile::NodeId a = Node("a", "Conv2D"), b = Node("b", "Conv2D");
  RanOn(b, "/cpu:0", 30, 1);
  RanOn(a, "/cpu:0", 30, 2);
  RanOn(a, "/cpu:0", 10, 3);
  const profile::Profile profile = Build();
  Activities activities(profile);
  const profile::Step& step = *profile.FindStep(0);
  const auto activity = activities.Of(step);
  std::vector<std::string> runs;
  for (const DeviceRun& run : activity->devices.at(0).runs) {
    runs.push_back(std::string(activities.Name(run)) + " " +
                   std::to_string(run.start) + " " +
                   std::to_string(run.length()));
  }
  EXPECT_THAT(runs, ElementsAre("a 10 3", "a 30 2", "b 30 1"));
}

TEST_F(ActivityTest, BusyIsAllButTheLaunches) {
  RanOn(Node("launched", "Conv2D"), "/job:w/device:GPU:0", 1, 100);
  RanOn(Node("kernel", "Conv2D"), "/job:w/device:GPU:0/stream:all", 10, 10);
  RanOn(Node("copy", "Conv2D"), "/job:w/device:GPU:0/memcpy", 15, 10);
  RanOn(Node("r", "_Recv"), "/job:w/device:GPU:0/stream:all", 40, 2);
  const profile::Profile profile = Build();
  Activities activities(profile);
  const auto activity = activities.Of(*profile.FindStep(0));
  EXPECT_THAT(activity->devices.at(0).busy,
              ElementsAre(Interval{10, 25}, Interval{40, 42}));
}

// Returns labels of records by their offsets.
class LabelReader : public profile::DetailReader {
 public:
  profile::AttributeList Attributes(uint64_t) const override { return {}; }
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  bool record_is_group() const override { return false; }
  profile::RecordText Text(uint64_t offset) const override {
    return {.name = offset == 1 ? "a:Conv2D" : "b",
            .label = offset == 1 ? "[cpu 1B 1B] a = _Recv(x)" : "",
            .op = offset == 1 ? "_Recv" : ""};
  }
  profile::Transfer TransferOf(uint64_t offset) const override {
    return {.kind = profile::CopyKind::kToHost,
            .bytes = static_cast<int64_t>(offset),
            .tensor = "x"};
  }
};

class ActivityTextTest : public ::testing::Test {
 protected:
  // Adds a record of a node or, with kNone, of no node.
  void Record(profile::NodeId n, std::string_view name, uint64_t offset) {
    profile::GraphTables& graph = builder_.mutable_graph();
    const profile::LaneId lane = tensorflow::DeviceLane("/job:w/CPU:0", graph);
    const profile::RecordRef record = profile::MakeRecordRef(input_, offset);
    if (n != profile::kNone) {
      builder_.AddExecutions(0,
                             {{.node = n,
                               .lane = lane,
                               .start = 10 * static_cast<int64_t>(offset),
                               .duration = 5,
                               .record = record}},
                             {});
    } else {
      builder_.AddStep(0);
      builder_.AddOutside(0, {.name = graph.strings.Intern(name),
                              .lane = lane,
                              .start = 10 * static_cast<int64_t>(offset),
                              .duration = 5,
                              .record = record});
    }
  }
  profile::NodeId OnlyInRunMetadata(std::string_view name) {
    return builder_.AddNode(name, name, profile::kNoRecord);
  }

  profile::ProfileBuilder builder_ =
      profile::ProfileBuilder(accounting::TfprofRules());
  uint32_t input_ = builder_.AddInput(std::make_shared<LabelReader>());
};

TEST_F(ActivityTextTest, TheOpOfANodeThatIsInRunMetadataOnly) {
  Record(OnlyInRunMetadata("a"), "", 1);  // its label says _Recv
  Record(OnlyInRunMetadata("b"), "", 2);  // without a label
  const profile::Profile profile = std::move(builder_).Build();
  Activities activities(profile);
  const profile::Step& step = *profile.FindStep(0);
  const auto activity = activities.Of(step);
  const auto& runs = activity->devices.at(0).runs;
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].kind, RunKind::kCommunication);
  EXPECT_EQ(activities.Op(runs[0]), "_Recv");
  EXPECT_EQ(runs[1].kind, RunKind::kCompute);
  EXPECT_EQ(activities.Op(runs[1]), "b");
}

// Two tasks have the same operation: the node belongs to the first one.
TEST_F(ActivityTextTest, TheOpOfANodeOfAnotherTask) {
  Record(OnlyInRunMetadata("a"), "", 1);
  Record(profile::kNone, "a", 1);
  const profile::Profile profile = std::move(builder_).Build();
  Activities activities(profile);
  const auto activity = activities.Of(*profile.FindStep(0));
  const auto& runs = activity->devices.at(0).runs;
  ASSERT_EQ(runs.size(), 2u);
  for (const DeviceRun& run : runs) {
    EXPECT_EQ(run.kind, RunKind::kCommunication);
    EXPECT_EQ(activities.Op(run), "_Recv");
  }
}

// A CTF trace has names only.
TEST_F(ActivityTextTest, TheNameSaysTheOp) {
  Record(OnlyInRunMetadata("layer/_Recv"), "", 2);
  Record(OnlyInRunMetadata("sync_token_q_Dequeue"), "", 3);
  Record(OnlyInRunMetadata("layer/_Recv/MatMul_1"), "", 4);
  const profile::Profile profile = std::move(builder_).Build();
  Activities activities(profile);
  const auto activity = activities.Of(*profile.FindStep(0));
  const auto& runs = activity->devices.at(0).runs;
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].kind, RunKind::kCommunication);
  EXPECT_EQ(activities.Op(runs[0]), "layer/_Recv");
  EXPECT_EQ(activities.Title(runs[0]), "_Recv");
  EXPECT_EQ(runs[1].kind, RunKind::kCommunication);
  EXPECT_EQ(runs[2].kind, RunKind::kCompute);
  EXPECT_EQ(activities.TypeOf(runs[2]), "MatMul");
}

TEST_F(ActivityTextTest, ANodeOfTheGraphHasTheOpOfTheGraph) {
  Record(builder_.AddNode("a", "Conv2D", profile::kNoRecord), "", 1);
  const profile::Profile profile = std::move(builder_).Build();
  Activities activities(profile);
  const profile::Step& step = *profile.FindStep(0);
  const auto activity = activities.Of(step);
  const DeviceRun& run = activity->devices.at(0).runs.at(0);
  EXPECT_EQ(activities.Op(run), "Conv2D");
  EXPECT_EQ(activities.NodeName(run), "a");
  EXPECT_EQ(activities.Name(run), "a:Conv2D");
  EXPECT_EQ(activities.DeviceName(run), "/job:w/cpu:0");
  EXPECT_EQ(activities.TransferOf(run).bytes, 1);
  EXPECT_EQ(activities.TransferOf(run).tensor, "x");
  EXPECT_EQ(activities.TransferOf(run).kind, profile::CopyKind::kToHost);
}

TEST_F(ActivityTextTest, TheLaneSaysTheDirectionOfItsCopies) {
  const profile::LaneId copies = tensorflow::DeviceLane(
      "/gpu:0/stream:1<MemcpyH2D>", builder_.mutable_graph());
  builder_.AddStep(0);
  const profile::StringId name =
      builder_.mutable_graph().strings.Intern("copy");
  builder_.AddOutside(0,
                      {name, copies, 10, 5, profile::MakeRecordRef(input_, 1)});
  const profile::Profile profile = std::move(builder_).Build();
  Activities activities(profile);
  const profile::Step& step = *profile.FindStep(0);
  const auto activity = activities.Of(step);
  const DeviceRun& run = activity->devices.at(0).runs.at(0);
  EXPECT_EQ(activities.TransferOf(run).kind, profile::CopyKind::kToDevice);
}

TEST_F(ActivityTextTest, ARecordOfNoNodeHasItsName) {
  Record(profile::kNone, "RecvTensor", 1);
  const profile::Profile profile = std::move(builder_).Build();
  Activities activities(profile);
  const profile::Step& step = *profile.FindStep(0);
  const auto activity = activities.Of(step);
  const DeviceRun& run = activity->devices.at(0).runs.at(0);
  EXPECT_EQ(run.node, profile::kNone);
  EXPECT_EQ(activities.NodeName(run), "RecvTensor");
  EXPECT_EQ(run.kind, RunKind::kCommunication);
}

TEST_F(ActivityTest, StepsAreApart) {
  const profile::NodeId a = Node("a", "Conv2D");
  RanOn(a, "/cpu:0", 10, 5, /*step=*/0);
  RanOn(a, "/cpu:0", 10, 7, /*step=*/1);
  const profile::Profile profile = Build();
  Activities activities(profile);
  const auto first = activities.Of(*profile.FindStep(0));
  const auto second = activities.Of(*profile.FindStep(1));
  EXPECT_EQ(first->clocks.at(0).length, 5);
  EXPECT_EQ(second->clocks.at(0).length, 7);
  EXPECT_GT(first->bytes(), sizeof(DeviceRun));
}

}  // namespace
}  // namespace tfprof::timeline

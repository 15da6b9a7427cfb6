#include "timeline/activity.h"

#include <string>
#include <string_view>
#include <vector>

#include "advisor/advisor_testing.h"
#include "loaders/tensorflow/device_names.h"
#include "timeline/intervals.h"
#include "timeline/transfer_text.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// ---- Intervals

TEST(IntervalsTest, OverlappingAndTouchingOnesBecomeOne) {
  Intervals busy;
  AddInterval(busy, 10, 20);
  AddInterval(busy, 12, 15);
  AddInterval(busy, 20, 25);
  AddInterval(busy, 26, 30);
  EXPECT_THAT(busy, ElementsAre(Interval{10, 25}, Interval{26, 30}));
  EXPECT_EQ(Micros(busy), 19);
}

TEST(IntervalsTest, Sets) {
  const Intervals a = {{0, 10}, {20, 30}, {40, 50}};
  const Intervals b = {{5, 25}, {30, 35}, {44, 46}, {48, 60}};
  EXPECT_THAT(Union(a, b), ElementsAre(Interval{0, 35}, Interval{40, 60}));
  EXPECT_THAT(Intersect(a, b), ElementsAre(Interval{5, 10}, Interval{20, 25},
                                           Interval{44, 46}, Interval{48, 50}));
  EXPECT_THAT(Subtract(a, b), ElementsAre(Interval{0, 5}, Interval{25, 30},
                                          Interval{40, 44}, Interval{46, 48}));
  EXPECT_THAT(Subtract(b, a), ElementsAre(Interval{10, 20}, Interval{30, 35},
                                          Interval{50, 60}));
  EXPECT_THAT(Subtract({{0, 3}, {4, 6}, {7, 9}}, {{1, 8}}),
              ElementsAre(Interval{0, 1}, Interval{8, 9}));
  EXPECT_EQ(Union(a, {}), a);
  EXPECT_EQ(Subtract(a, {}), a);
  EXPECT_THAT(Intersect(a, {}), IsEmpty());
}

TEST(IntervalsTest, UnionOfManySets) {
  UnionOfMany all;
  all.Add({{20, 30}, {40, 50}});
  all.Add({});
  all.Add({{5, 22}, {60, 70}});
  all.Add({{45, 55}});
  EXPECT_THAT(std::move(all).Take(),
              ElementsAre(Interval{5, 30}, Interval{40, 55}, Interval{60, 70}));
  EXPECT_THAT(UnionOfMany().Take(), IsEmpty());
}

TEST(IntervalsTest, OverlapOfManyWithOneSet) {
  const Intervals set = {{10, 20}, {30, 50}};
  const Overlap overlap(set);
  EXPECT_EQ(overlap.Micros(0, 10), 0);
  EXPECT_EQ(overlap.Micros(0, 15), 5);
  EXPECT_EQ(overlap.Micros(15, 35), 10);
  EXPECT_EQ(overlap.Micros(20, 30), 0);
  EXPECT_EQ(overlap.Micros(0, 100), 30);
}

// ---- Labels

TEST(TransferTextTest, Receives) {
  TransferText text = ReadReceiveLabel(
      "[128B] [1.517037Mb/s] edge_11_w2/read from "
      "/job:ps/replica:0/task:0/device:CPU:0 to /job:worker/task:0/cpu:0");
  EXPECT_EQ(text.bytes, 128);
  EXPECT_EQ(text.tensor, "edge_11_w2/read");
  EXPECT_EQ(text.from, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(text.to, "/job:worker/task:0/cpu:0");
  text = ReadReceiveLabel("[1.5MB] x from /a to /b");
  EXPECT_EQ(text.bytes, 1572864);
  text = ReadReceiveLabel("[cpu 1.3MB] a = _Recv(edge_5_b @/job:ps/cpu:0)");
  EXPECT_EQ(text.bytes, -1);
  EXPECT_EQ(text.tensor, "edge_5_b");
  EXPECT_EQ(text.from, "/job:ps/cpu:0");
  EXPECT_EQ(text.to, "");
  // Until 2020 without the bracket.
  text = ReadReceiveLabel("a = _Recv(edge_5_b @/job:ps/cpu:0");
  EXPECT_EQ(text.from, "/job:ps/cpu:0");
}

TEST(TransferTextTest, LabelsThatSayNothing) {
  for (const std::string_view label :
       {"", "[", "[]", "[B] x", "[-4B] x from /a", "[1e300MB] y", "[nanB] z",
        "a = MatMul(b, c)", " to /b from /a", "@/job:ps"}) {
    const TransferText text = ReadReceiveLabel(label);
    EXPECT_EQ(text.bytes, -1) << label;
    EXPECT_EQ(text.from, "") << label;
  }
}

TEST(TransferTextTest, Copies) {
  CopyText text =
      ReadCopyText("edge_3_x:MEMCPYHtoD",
                   "MEMCPYHtoD 4096 bytes (Pinned to Device)", "/gpu:0/memcpy");
  EXPECT_EQ(text.kind, CopyKind::kToDevice);
  EXPECT_EQ(text.bytes, 4096);
  text = ReadCopyText("a", "a:MatMul bytes:77 aync",
                      "/device:gpu:0/stream:15<memcpyd2h>");
  EXPECT_EQ(text.kind, CopyKind::kToHost);
  EXPECT_EQ(text.bytes, 77);
  text = ReadCopyText(
      "a:Cast",
      "MemcpyD2D kind_src:device kind_dst:device size:512 dest:0 async:1",
      "/device:gpu:0/memcpy");
  EXPECT_EQ(text.kind, CopyKind::kOnDevice);
  EXPECT_EQ(text.bytes, 512);
  text = ReadCopyText("MEMCPYPtoP", "", "/gpu:0/memcpy");
  EXPECT_EQ(text.kind, CopyKind::kToPeer);
  EXPECT_EQ(text.bytes, -1);
  text = ReadCopyText("a", "99999999999999999999 bytes", "/gpu:0/memcpy");
  EXPECT_EQ(text.kind, CopyKind::kUnknown);
  EXPECT_EQ(text.bytes, -1);
}

TEST(OpOfLabelTest, Grammar) {
  EXPECT_EQ(OpOfLabel("[cpu 1.3MB 1.3MB] a/b = MatMul(c, d)"), "MatMul");
  EXPECT_EQ(OpOfLabel("_SOURCE = NoOp()"), "NoOp");
  EXPECT_EQ(OpOfLabel("a = b"), "");
  EXPECT_EQ(OpOfLabel("volta_sgemm_32x32 regs:57 (x)"), "");
}

// ---- Device roles

using Role = DeviceRoles::Role;

// The task and name of the physical device, and the role.
std::vector<std::string> RolesOf(std::vector<std::string> names) {
  constexpr std::string_view kNames[] = {
      "host ops", "launches",      "kernels", "stream",
      "copies",   "stream copies", "other",   "nothing"};
  GraphTables graph;
  for (const std::string& name : names) DeviceLane(name, graph);
  const DeviceRoles roles(graph);
  std::vector<std::string> texts;
  for (DeviceId d = 0; d < graph.devices.size(); ++d) {
    const DeviceRoles::Unit& unit = roles.units()[roles.unit(d)];
    texts.push_back(roles.tasks()[unit.task] + " | " + unit.name + " | " +
                    std::string(kNames[static_cast<size_t>(roles.role(d))]) +
                    (unit.accelerator ? " *" : ""));
  }
  return texts;
}

TEST(DeviceRolesTest, OneGpuUnderManyNames) {
  EXPECT_THAT(
      RolesOf({"/job:w/task:0/device:CPU:0", "/job:w/task:0/device:GPU:0",
               "/device:GPU:0/stream:all", "/device:GPU:0/stream:14",
               "/device:GPU:0/stream:14<MemcpyH2D>",
               "/device:GPU:0/stream:14<Memset>", "/device:GPU:0/memcpy",
               "/device:GPU:0/sync", "/device:GPU:0/stream:"}),
      ElementsAre(
          "/job:w/task:0 | /job:w/task:0/device:cpu:0 | host ops",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | launches *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | kernels *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | stream *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | stream copies *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | nothing *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | copies *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | nothing *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | nothing *"));
}

TEST(DeviceRolesTest, OldNamesAndOtherDevices) {
  EXPECT_THAT(RolesOf({"/job:w/gpu:0", "/gpu:0/stream:all",
                       "/job:w/device:GPU:1:stream:all", "/job:w/device:TPU:0",
                       "/job:w/host:CPU"}),
              ElementsAre("/job:w | /job:w/gpu:0 | launches *",
                          "/job:w | /job:w/gpu:0 | kernels *",
                          "/job:w | /job:w/device:gpu:1 | kernels *",
                          "/job:w | /job:w/device:tpu:0 | other",
                          "/job:w | /job:w/host:cpu | other"));
}

TEST(DeviceRolesTest, StreamsWithoutATask) {
  // The only task, though nothing was scheduled there.
  EXPECT_THAT(RolesOf({"/job:w/cpu:0", "/gpu:0/stream:all"}),
              ElementsAre("/job:w | /job:w/cpu:0 | host ops",
                          "/job:w | /gpu:0 | kernels *"));
  // Two tasks have such a GPU: whose they are is not known.
  EXPECT_THAT(RolesOf({"/job:w/task:0/gpu:0", "/job:w/task:1/gpu:0",
                       "/gpu:0/stream:all"}),
              ElementsAre("/job:w/task:0 | /job:w/task:0/gpu:0 | launches *",
                          "/job:w/task:1 | /job:w/task:1/gpu:0 | launches *",
                          " | /gpu:0 | kernels *"));
  // One of two.
  EXPECT_THAT(
      RolesOf({"/job:w/task:0/cpu:0", "/job:w/task:1/gpu:0", "/gpu:0/memcpy"}),
      ElementsAre("/job:w/task:0 | /job:w/task:0/cpu:0 | host ops",
                  "/job:w/task:1 | /job:w/task:1/gpu:0 | launches *",
                  "/job:w/task:1 | /job:w/task:1/gpu:0 | copies *"));
}

// ---- Activity

class ActivityTest : public AdvisorTest {
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
  RanOn(a, "/job:w/device:CPU:1", 120, 10);  // not its home
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

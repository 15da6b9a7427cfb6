#include "advisor/advisor_testing.h"
#include "loaders/tensorflow/device_names.h"

namespace tfprof::advisor {
namespace {
namespace placement_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kChecker[] = "PlacementChecker";
constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:GPU:0";

// The offset of a node is the number of bytes that it outputs in slot 0.
class OutputBytes : public profile::DetailReader {
 public:
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t) const override {
    return {};
  }
  profile::ExecutionDetail Execution(uint64_t offset, bool) const override {
    profile::MemoryDetail m;
    m.outputs = {{.slot = 1, .bytes = 1 << 20},
                 {.slot = 0, .bytes = static_cast<int64_t>(offset)}};
    return {.memory = {m}, .allocations = {}};
  }
  bool record_is_group() const override { return false; }
  profile::RecordText Text(uint64_t) const override { return {}; }
};

class PlacementTest : public AdvisorTest {
 protected:
  PlacementTest()
      : bytes_(builder_.AddInput(std::make_shared<OutputBytes>())) {}

  // A node that ran on `device` and outputs `bytes`.
  profile::NodeId Op(const std::string& name, const std::string& op,
                     const std::vector<std::string>& inputs,
                     const std::string& device, int64_t start, int64_t micros,
                     uint64_t bytes = 8) {
    const profile::NodeId n = builder_.AddNode(name, op, profile::kNoRecord);
    int32_t position = 0;
    for (const std::string& input : inputs) {
      builder_.AddEdge(builder_.mutable_graph().strings.Intern(input),
                       position++, 0, 0);
    }
    const profile::LaneId lane =
        tensorflow::DeviceLane(device, builder_.mutable_graph());
    builder_.AddExecutions(0,
                           {{.node = n,
                             .lane = lane,
                             .start = start,
                             .duration = micros,
                             .record = profile::MakeRecordRef(bytes_, bytes)}},
                           {});
    return n;
  }

  uint32_t bytes_;
};

// 1 of 10 ms; copies 400 bytes to the CPU, 80 back.
TEST_F(PlacementTest, BetweenGpuOps) {
  Op("a", "Conv2D", {}, kGpu, 1000, 1000, 400);
  Op("w", "Where", {"a"}, kCpu, 2000, 1000, 80);
  Op("b", "GatherV2", {"w"}, kGpu, 3000, 8000);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("1 node on the CPU between GPU ops: 1.00ms of step 0 "
                          "(10.0%), 2 copies of 480B; Where 1.00ms"));
  EXPECT_EQ(findings_[0].rule, "cpu_detour_time");
  EXPECT_EQ(findings_[0].subject, "Where");
  EXPECT_NEAR(findings_[0].value, 0.1, 1e-9);
  // The time of the copies, which would be saved too, is unknown.
  EXPECT_EQ(findings_[0].saving_micros, 0);
}

TEST_F(PlacementTest, InputAndResultsAreNoDetour) {
  Op("in", "DecodeJpeg", {}, kCpu, 1000, 1000);
  Op("a", "Conv2D", {"in"}, kGpu, 2000, 1000);
  Op("b", "GatherV2", {"a"}, kGpu, 3000, 8000);
  Op("out", "Where", {"b"}, kCpu, 11000, 1000);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(PlacementTest, ShortDetoursAreAllowed) {
  Op("a", "Conv2D", {}, kGpu, 1000, 1000);
  Op("w", "Where", {"a"}, kCpu, 2000, 490);
  Op("b", "GatherV2", {"w"}, kGpu, 3000, 8000);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// Two nodes that run at the same time take 1 ms together.
TEST_F(PlacementTest, DetoursOfSeveralNodes) {
  Op("a", "Conv2D", {}, kGpu, 1000, 1000, 10);
  Op("w", "Where", {"a"}, kCpu, 2000, 1000, 20);
  Op("u", "Unique", {"w", "table"}, kCpu, 2500, 500, 30);
  Op("table", "DecodeJpeg", {}, kCpu, 1000, 1000, 1000);
  Op("b", "GatherV2", {"u", "u", "table"}, kGpu, 3000, 8000);
  EXPECT_THAT(
      Check(kChecker),
      ElementsAre("2 nodes on the CPU between GPU ops: 1.00ms of step 0 "
                  "(10.0%), 2 copies of 40B; Where 1.00ms, Unique 500us"));
}

TEST_F(PlacementTest, NodesThatDoNothingAreNoDetour) {
  Op("a", "Conv2D", {}, kGpu, 1000, 1000);
  Op("deps", "NoOp", {"a"}, kCpu, 2000, 1000);
  Op("b", "GatherV2", {"deps"}, kGpu, 3000, 8000);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(PlacementTest, AnotherProcessIsNoDetour) {
  Op("a", "Conv2D", {}, kGpu, 1000, 1000);
  Op("w", "Where", {"a"}, "/job:localhost/replica:0/task:1/device:CPU:0", 2000,
     1000);
  Op("b", "GatherV2", {"w"}, kGpu, 3000, 8000);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(PlacementTest, ANodeThatDidNotRunIsNoDetour) {
  Op("a", "Conv2D", {}, kGpu, 1000, 1000);
  builder_.AddNode("w", "Where", profile::kNoRecord);
  builder_.AddEdge(builder_.mutable_graph().strings.Intern("a"), 0, 0, 0);
  Op("b", "GatherV2", {"w"}, kGpu, 3000, 8000);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// `count` detours with one copy each way, 1 us each.
class PlacementCopiesTest : public PlacementTest {
 protected:
  void Detours(int count) {
    Op("a", "Conv2D", {}, kGpu, 1000, 1000);
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      Op("a" + number, "Conv2D", {"a"}, kGpu, 2000, 1);
      Op("w" + number, "Where", {"a" + number}, kCpu, 3000 + i, 1);
      Op("b" + number, "GatherV2", {"w" + number}, kGpu, 4000, 7000);
    }
  }
};

TEST_F(PlacementCopiesTest, FiftyAreReported) {
  Detours(25);
  EXPECT_THAT(Check(kChecker), SizeIs(1));
  EXPECT_EQ(findings_[0].rule, "cpu_detour_copies");
  EXPECT_EQ(findings_[0].value, 50);
}

TEST_F(PlacementCopiesTest, FewerAreFine) {
  Detours(24);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// All towers of this profile run on a GPU, except for some ops.
TEST_F(PlacementTest, RealGraphOnAGpu) {
  EXPECT_THAT(
      CheckFiles({"synth_gpu/graph.pb.gz", "synth_gpu/run_meta_0.gz"},
                 kChecker),
      ElementsAre("38 nodes on the CPU between GPU ops: 673us of step 0 "
                  "(2.2%), 99 copies of 52.14KB; Softmax 294us, "
                  "Conv2DBackpropFilter 157us, StridedSlice 66us, …"));
  EXPECT_EQ(findings_[0].rule, "cpu_detour_copies");
}

TEST_F(PlacementTest, RealProfilesWithoutGpu) {
  for (const char* name :
       {"conv_resnet/profile.pb", "ps_worker/profile.pb.gz",
        "transformer/profile.pb.gz", "code_deep/profile.pb.gz"}) {
    EXPECT_THAT(CheckFiles({name}, kChecker), IsEmpty()) << name;
  }
  EXPECT_THAT(notes_, IsEmpty());
}

}  // namespace placement_test
}  // namespace
}  // namespace tfprof::advisor

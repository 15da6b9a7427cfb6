#include "advisor/advisor_testing.h"

namespace tfprof::advisor {
namespace {
namespace input_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kChecker[] = "InputPipelineChecker";
constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";

class InputPipelineTest : public AdvisorTest {};

// 3 of 10 ms.
TEST_F(InputPipelineTest, InputWithoutOtherWorkIsWaiting) {
  Ran(Node("deq", "QueueDequeueV2"), 1000, 3000, 7, kCpu);
  Ran(Node("mul", "MatMul"), 4000, 7000, 7, kCpu);
  EXPECT_THAT(
      Check(kChecker),
      ElementsAre("/job:localhost/replica:0/task:0: waits for QueueDequeueV2 "
                  "during 30.0% of the step (3.00ms of 10.00ms); with other "
                  "work beside it, input takes 3.00ms"));
  ASSERT_THAT(findings_, SizeIs(1));
  EXPECT_EQ(findings_[0].rule, "input_wait");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].subject, "QueueDequeueV2");
  EXPECT_NEAR(findings_[0].value, 0.3, 1e-9);
  EXPECT_EQ(findings_[0].saving_micros, 3000);
  EXPECT_EQ(findings_[0].evidence,
            "op -step 7 -show_name_regexes QueueDequeueV2 -select "
            "micros,occurrence -order_by micros");
}

TEST_F(InputPipelineTest, InputBesideWorkIsNotWaiting) {
  Ran(Node("deq", "QueueDequeueV2"), 1000, 3000, 7, kCpu);
  Ran(Node("mul", "MatMul"), 1000, 10000, 7, kCpu);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(InputPipelineTest, KernelsAreWork) {
  Ran(Node("next", "IteratorGetNext"), 1000, 3000, 0, kCpu);
  Ran(Node("mul", "MatMul"), 1000, 10000);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(InputPipelineTest, OneTenthIsAllowed) {
  Ran(Node("deq", "QueueDequeueV2"), 1000, 1000, 0, kCpu);
  Ran(Node("mul", "MatMul"), 2000, 9000, 0, kCpu);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// The call and the receive both wait for the input op.
TEST_F(InputPipelineTest, CallsAreNoWork) {
  Ran(Node("call", "StatefulPartitionedCall"), 1000, 10000, 0, kCpu);
  Ran(Node("recv", "_Recv"), 1000, 6000, 0, kCpu);
  Ran(Node("next", "IteratorGetNext"), 1000, 6000, 0, kCpu);
  Ran(Node("mul", "MatMul"), 7000, 4000, 0, kCpu);
  EXPECT_THAT(Check(kChecker), SizeIs(1));
  EXPECT_NEAR(findings_[0].value, 0.6, 1e-9);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
}

TEST_F(InputPipelineTest, StepsWithoutInputDoNotCount) {
  const profile::NodeId deq = Node("deq", "QueueDequeueV2");
  const profile::NodeId mul = Node("mul", "MatMul");
  Ran(deq, 1000, 2000, 0, kCpu);
  Ran(mul, 3000, 8000, 0, kCpu);
  Ran(mul, 20000, 90000, 1, kCpu);
  EXPECT_THAT(Check(kChecker), SizeIs(1));
  EXPECT_NEAR(findings_[0].value, 0.2, 1e-9);
}

TEST_F(InputPipelineTest, WorkOfAnotherProcessIsNoWork) {
  Ran(Node("deq", "ReaderReadV2"), 1000, 2000, 0,
      "/job:worker/replica:0/task:0/device:CPU:0");
  Ran(Node("a", "MatMul"), 3000, 8000, 0,
      "/job:worker/replica:0/task:0/device:CPU:0");
  Ran(Node("b", "MatMul"), 1000, 10000, 0,
      "/job:worker/replica:0/task:1/device:CPU:0");
  EXPECT_THAT(Check(kChecker), SizeIs(1));
  EXPECT_EQ(findings_[0].saving_micros, 2000);
}

TEST_F(InputPipelineTest, DroppedExecutionsAreNoted) {
  builder_.SetMaxMemory(1);
  Ran(Node("deq", "QueueDequeueV2"), 1000, 3000, 7, kCpu);
  EXPECT_THAT(Check(kChecker), IsEmpty());
  EXPECT_THAT(notes_, SizeIs(1));
}

// Without a graph, only labels and names have the types of operations.
TEST_F(InputPipelineTest, ANodeWhoseNameSaysItsType) {
  const auto without_graph = [&](std::string_view name) {
    return builder_.AddNode(name, name, profile::kNoRecord);
  };
  Ran(without_graph("input/QueueDequeueMany_1"), 1000, 3000, 0, kCpu);
  Ran(without_graph("mul"), 4000, 7000, 0, kCpu);
  Check(kChecker);
  ASSERT_THAT(findings_, SizeIs(1));
  EXPECT_EQ(findings_[0].subject, "QueueDequeueMany");
}

TEST_F(InputPipelineTest, ATokenIsNoInput) {
  Ran(Node("sync_rep/Dequeue", "QueueDequeueV2"), 1000, 3000, 0, kCpu);
  Ran(Node("mul", "MatMul"), 4000, 7000, 0, kCpu);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// The iterator creates its first elements; the op view shows 7.33 of 7.53 ms of
// step 1 for it.
TEST_F(InputPipelineTest, RealIterator) {
  EXPECT_THAT(
      CheckFiles({"input_pipeline/graph.pb", "input_pipeline/run_meta_0",
                  "input_pipeline/run_meta_1"},
                 kChecker),
      SizeIs(1));
  EXPECT_EQ(findings_[0].subject, "IteratorGetNext");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
  EXPECT_EQ(findings_[0].saving_micros, 7297);
}

TEST_F(InputPipelineTest, RealProfilesWithoutInputOps) {
  for (const char* name :
       {"conv_resnet/profile.pb", "ps_worker/profile.pb.gz",
        "transformer/profile.pb.gz", "multi_step/profile.pb.gz"}) {
    EXPECT_THAT(CheckFiles({name}, kChecker), IsEmpty()) << name;
  }
  EXPECT_THAT(notes_, IsEmpty());
}

}  // namespace input_test
}  // namespace
}  // namespace tfprof::advisor

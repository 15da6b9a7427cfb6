#include "advisor/advisor_testing.h"
#include "loaders/tensorflow/device_names.h"

namespace tfprof::advisor {
namespace {
namespace job_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kChecker[] = "JobChecker";

// Variables are float at offset 0, and half at any other offset.
class VariableTypes : public tensorflow::DataFormats {
 public:
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t offset) const override {
    return {{"dtype", offset == 0 ? std::string_view("\x30\x01", 2)
                                  : std::string_view("\x30\x13", 2)}};
  }
};

std::string Ps(int task) {
  return "/job:ps/replica:0/task:" + std::to_string(task) + "/device:CPU:0";
}
std::string Worker(int task) {
  return "/job:worker/replica:0/task:" + std::to_string(task) + "/device:CPU:0";
}

class JobTest : public AdvisorTest {
 protected:
  JobTest() : types_(builder_.AddInput(std::make_shared<VariableTypes>())) {}

  // A variable with `elements` elements that ran for 10 us.
  profile::NodeId Variable(const std::string& name, int64_t elements,
                           const std::string& device, uint64_t type = 0) {
    const profile::NodeId n = builder_.AddNode(
        name, "VariableV2", profile::MakeRecordRef(types_, type));
    profile::GraphTables& graph = builder_.mutable_graph();
    graph.nodes.parameter_shape[n] =
        graph.shapes.Intern(std::vector<int64_t>{elements});
    Ran(n, 1000, 10, 0, device);
    return n;
  }

  uint32_t types_;
};

// 6 and 1 MB: 6 is 1.71 times the mean of 3.5.
TEST_F(JobTest, UnevenBytes) {
  Variable("a", 1'500'000, Ps(0));
  Variable("b", 500'000, Ps(1), /*type=*/1);
  Ran(Node("op", "MatMul"), 1000, 10, 0, Worker(0));
  EXPECT_THAT(Check(kChecker),
              ElementsAre("/job:ps/replica:0/task:0 holds 6.00MB of "
                          "parameters, 1.71 times the mean of 2 parameter "
                          "servers (3.50MB)"));
  EXPECT_EQ(findings_[0].rule, "ps_bytes");
  EXPECT_NEAR(findings_[0].value, 6 / 3.5, 1e-9);
  EXPECT_EQ(findings_[0].evidence,
            "op -account_type_regexes /job:ps/replica:0/task:0/.* -select "
            "params,device -order_by params");
}

TEST_F(JobTest, EvenBytes) {
  Variable("a", 1'500'000, Ps(0));
  Variable("b", 1'500'000, Ps(1), /*type=*/1);
  Ran(Node("op", "MatMul"), 1000, 10, 0, Worker(0));
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(JobTest, OneServerHoldsAll) {
  Variable("a", 250'000, Ps(1));
  Ran(Node("add", "Add"), 1000, 10, 0, Ps(0));
  Ran(Node("op", "MatMul"), 1000, 10, 0, Worker(0));
  EXPECT_THAT(Check(kChecker),
              ElementsAre("/job:ps/replica:0/task:1 holds all 1.00MB of "
                          "parameters, the other parameter server none"));
  EXPECT_EQ(findings_[0].rule, "parameters_on_one_ps");
}

TEST_F(JobTest, FewBytesMayBeUneven) {
  Variable("a", 249'999, Ps(1));
  Ran(Node("add", "Add"), 1000, 10, 0, Ps(0));
  Ran(Node("op", "MatMul"), 1000, 10, 0, Worker(0));
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(JobTest, TheOnlyServerHoldsAll) {
  Variable("a", 1'500'000, Ps(0));
  Ran(Node("op", "MatMul"), 1000, 10, 0, Worker(0));
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// 9 and 3 ms: 1.5 times the mean of 6, 3 more.
TEST_F(JobTest, UnevenWorkIsReported) {
  Ran(Node("a", "ApplyAdam"), 1000, 9000, 0, Ps(0));
  Ran(Node("b", "ApplyAdam"), 1000, 3000, 0, Ps(1));
  Ran(Node("op", "MatMul"), 1000, 10, 0, Worker(0));
  EXPECT_THAT(Check(kChecker),
              ElementsAre("/job:ps/replica:0/task:0 is busy 9.00ms per step, "
                          "1.50 times the mean of 2 parameter servers "
                          "(6.00ms)"));
  EXPECT_EQ(findings_[0].rule, "ps_time");
  EXPECT_EQ(findings_[0].saving_micros, 3000);
}

TEST_F(JobTest, EvenWorkIsFine) {
  Ran(Node("a", "ApplyAdam"), 1000, 8900, 0, Ps(0));
  Ran(Node("b", "ApplyAdam"), 1000, 3000, 0, Ps(1));
  Ran(Node("op", "MatMul"), 1000, 10, 0, Worker(0));
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// 2 of 20 MB.
TEST_F(JobTest, ParametersOnWorkers) {
  Variable("a", 4'500'000, Ps(0));
  Variable("b", 375'000, Worker(1));
  Variable("c", 125'000, Worker(0));
  EXPECT_THAT(Check(kChecker),
              ElementsAre("2.00MB of parameters (10.0%) are not on parameter "
                          "servers, 1.50MB of them on "
                          "/job:worker/replica:0/task:1"));
  EXPECT_EQ(findings_[0].rule, "parameters_on_workers");
  EXPECT_NEAR(findings_[0].value, 0.1, 1e-9);
}

TEST_F(JobTest, FewParametersOnWorkers) {
  Variable("a", 4'500'000, Ps(0));
  Variable("b", 374'999, Worker(1));
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// If some variables are marked as trainable, the others may be anywhere.
TEST_F(JobTest, WorkersMayHaveTheirOwnVariables) {
  const profile::NodeId a = Variable("a", 4'500'000, Ps(0));
  Variable("b", 4'500'000, Worker(0));
  builder_.AddType(
      a, builder_.mutable_graph().strings.Intern("_trainable_variables"));
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(JobTest, WithoutParameterServersNothingIsMisplaced) {
  Variable("a", 4'500'000, Worker(0));
  Variable("b", 45, Worker(1));
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

class TransferTest : public JobTest {
 protected:
  // A worker receives for `micros` of 1000 us.
  std::vector<std::string> Receive(int64_t micros, const std::string& device) {
    profile::GraphTables& graph = builder_.mutable_graph();
    Ran(Node("op", "MatMul"), 1000, 1000, 0, Worker(0));
    Ran(Node("v", "Identity"), 1000, 1000, 0, Ps(0));
    builder_.AddOutside(
        0, {.name = graph.strings.Intern("RecvTensor"),
            .lane = tensorflow::LaneOfOutside(
                "RecvTensor", tensorflow::DeviceLane(device, graph), graph),
            .start = 1000,
            .duration = micros});
    return Check(kChecker);
  }
};

TEST_F(TransferTest, OfAWorker) {
  EXPECT_THAT(Receive(100, Worker(0)),
              ElementsAre("job worker: tensors are sent or received in 10.0% "
                          "of the step"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

TEST_F(TransferTest, LittleIsNotReported) {
  EXPECT_THAT(Receive(99, Worker(0)), IsEmpty());
}

TEST_F(TransferTest, ServersWaitAllTheTime) {
  EXPECT_THAT(Receive(1000, Ps(0)), IsEmpty());
}

// One server, one worker on one machine.
TEST_F(JobTest, RealCluster) {
  EXPECT_THAT(
      CheckFiles({"ps_worker/graph.pb", "ps_worker/run_meta_0.gz"}, kChecker),
      ElementsAre("job worker: tensors are sent or received in 22.5% "
                  "of the step"));
}

TEST_F(JobTest, RealSingleMachines) {
  for (const char* name : {"conv_resnet/profile.pb", "multi_cpu/profile.pb.gz",
                           "synth_gpu/profile.pb.gz"}) {
    EXPECT_THAT(CheckFiles({name}, kChecker), IsEmpty()) << name;
  }
  EXPECT_THAT(notes_, IsEmpty());
}

}  // namespace job_test
}  // namespace
}  // namespace tfprof::advisor

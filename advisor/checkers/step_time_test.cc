// The checkers of a step's time. A step here is 10 ms or so, on one task with
// a CPU and a GPU unless a test says otherwise.

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/advisor_testing.h"
#include "loaders/tensorflow/device_names.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Records by number: name and label.
class Words : public DetailReader {
 public:
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t) const override {
    return {};
  }
  ExecutionDetail Execution(uint64_t, bool) const override { return {}; }
  bool record_is_group() const override { return false; }
  RecordText Text(uint64_t offset) const override {
    return {names[offset], labels[offset]};
  }
  std::deque<std::string> names, labels;
};

constexpr char kCpu[] = "/job:w/device:CPU:0";
constexpr char kGpu[] = "/job:w/device:GPU:0";
constexpr char kKernels[] = "/device:GPU:0/stream:all";
constexpr char kStream[] = "/device:GPU:0/stream:14";
constexpr char kMemcpy[] = "/device:GPU:0/memcpy";

class StepTimeTest : public AdvisorTest {
 protected:
  StepTimeTest()
      : words_(std::make_shared<Words>()),
        words_input_(builder_.AddInput(words_)) {}

  // A record with words, of a node or, without one, outside the accounting.
  void Said(std::string_view name, std::string_view label,
            std::string_view device, int64_t start, int64_t micros,
            int64_t step = 0) {
    const RecordRef record = MakeRecordRef(words_input_, words_->labels.size());
    words_->names.emplace_back(name);
    words_->labels.emplace_back(label);
    GraphTables& graph = builder_.mutable_graph();
    const LaneId on = DeviceLane(device, graph);
    const StringId id = graph.strings.Intern(name.substr(0, name.find(':')));
    if (const NodeId n = graph.nodes.Find(id); n != kNone) {
      builder_.AddExecutions(step,
                             {{.node = n,
                               .lane = on,
                               .start = start,
                               .duration = micros,
                               .record = record}},
                             {});
    } else {
      builder_.AddStep(step);
      builder_.AddOutside(step, {id, on, start, micros, record});
    }
  }
  // Started by the host for `launch` microseconds, then a kernel.
  void Kernel(NodeId n, int64_t start, int64_t launch, int64_t kernel_start,
              int64_t micros, int64_t step = 0) {
    RanOn(n, kGpu, start, launch, step);
    RanOn(n, kKernels, kernel_start, micros, step);
    RanOn(n, kStream, kernel_start, micros, step);
  }

  std::shared_ptr<Words> words_;
  uint32_t words_input_;
};

// ---- DeviceIdleChecker

TEST_F(StepTimeTest, IdleAccelerator) {
  const NodeId a = Node("a", "MatMul"), b = Node("b", "Relu");
  const NodeId input = Node("in", "IteratorGetNext");
  RanOn(input, kCpu, 1000, 10000);  // the step: 1000 to 11000
  Kernel(a, 2000, 5, 2000, 3000);   // 30 %
  RanOn(a, kMemcpy, 4000, 1500);    // 500 of it alone: 5 %
  Kernel(b, 9000, 5, 9000, 2000);   // 20 %
  EXPECT_THAT(
      Check("DeviceIdleChecker"),
      ElementsAre("/job:w/device:gpu:0: idle for 45.0% of the step (4.50ms of "
                  "10.00ms); compute 50.0%, only copies 5.0%; longest gap "
                  "3.50ms at 4.50ms of step 0, from a (MatMul) to b (Relu)"));
  ASSERT_THAT(findings_, SizeIs(1));
  EXPECT_EQ(findings_[0].rule, "idle_accelerator");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 4500);
  EXPECT_DOUBLE_EQ(findings_[0].value, 0.45);
  EXPECT_EQ(findings_[0].evidence,
            "graph -step 0 -max_depth 100000 -output "
            "timeline:outfile=timeline.json");
}

TEST_F(StepTimeTest, AcceleratorThatIdlesForLessIsFine) {
  const NodeId a = Node("a", "MatMul");
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 10000);
  Kernel(a, 2000, 5, 2000, 7000);  // idle for exactly 30 %
  EXPECT_THAT(Check("DeviceIdleChecker"), IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(StepTimeTest, IdleIsOfAllSteps) {
  const NodeId a = Node("a", "MatMul");
  const NodeId input = Node("in", "IteratorGetNext");
  for (const int64_t step : {3, 4}) {
    RanOn(input, kCpu, 1000, 10000, step);
    Kernel(a, 2000, 5, 2000, step == 3 ? 8000 : 2000, step);
  }
  RanOn(input, kCpu, 1000, 500, 5);  // too short to say anything
  // 2 of 10 ms and 8 of 10 ms.
  EXPECT_THAT(
      Check("DeviceIdleChecker"),
      ElementsAre("/job:w/device:gpu:0: idle for 50.0% of 2 steps (5.00ms of "
                  "10.00ms); compute 50.0%; longest gap 7.00ms at 3.00ms of "
                  "step 4, from a (MatMul) to the end of the step"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
}

TEST_F(StepTimeTest, OfACpuProfileTheWholeTaskIsJudged) {
  RanOn(Node("a", "MatMul"), "/job:w/cpu:0", 1000, 4000);
  RanOn(Node("b", "MatMul"), "/job:w/cpu:1", 4000, 2000);
  RanOn(Node("c", "MatMul"), "/job:w/cpu:0", 9000, 1000);
  EXPECT_THAT(
      Check("DeviceIdleChecker"),
      ElementsAre("/job:w: idle for 33.3% of the step (3.00ms of 9.00ms); "
                  "compute 66.7%; longest gap 3.00ms at 5.00ms of step 0, from "
                  "b (MatMul) to c (MatMul)"));
  EXPECT_EQ(findings_[0].rule, "idle_host");
}

TEST_F(StepTimeTest, BusyCpusAreFine) {
  RanOn(Node("a", "MatMul"), "/job:w/cpu:0", 1000, 4000);
  RanOn(Node("b", "MatMul"), "/job:w/cpu:1", 4000, 3500);
  RanOn(Node("c", "MatMul"), "/job:w/cpu:0", 9000, 1000);
  EXPECT_THAT(Check("DeviceIdleChecker"), IsEmpty());
}

TEST_F(StepTimeTest, ParameterServersIdleByDesign) {
  RanOn(Node("a", "Assign"), "/job:ps/task:0/cpu:0", 1000, 10);
  RanOn(Node("b", "Assign"), "/job:ps/task:0/cpu:0", 9000, 10);
  EXPECT_THAT(Check("DeviceIdleChecker"), IsEmpty());
}

TEST_F(StepTimeTest, WithoutStreamsNobodyKnows) {
  const NodeId a = Node("a", "MatMul");
  RanOn(a, kGpu, 1000, 10);
  RanOn(a, kGpu, 9000, 10);
  EXPECT_THAT(Check("DeviceIdleChecker"), IsEmpty());
  EXPECT_THAT(
      notes_,
      ElementsAre("Missing GPU stream records. Skip DeviceIdleChecker"));
}

TEST_F(StepTimeTest, DroppedExecutionsAreSaid) {
  builder_.SetMaxMemory(1);
  RanOn(Node("a", "MatMul"), kCpu, 1000, 5000);
  builder_.FinishStep(0);
  EXPECT_THAT(Check("WaitChecker"), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre("Missing single executions, which "
                                  "--max_memory dropped. Skip WaitChecker"));
}

// ---- HostBoundChecker

TEST_F(StepTimeTest, AcceleratorsWaitForTheHost) {
  const NodeId a = Node("a", "MatMul"), b = Node("b", "Relu");
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 4000);  // 3000 before a
  Kernel(a, 3500, 2500, 4000, 3000);  // kernel from 4000 to 7000
  RanOn(Node("shape", "Shape"), kCpu, 7500, 500);
  Kernel(b, 8000, 1000, 9000, 2000);  // 1000 until it starts
  // Of 1000 to 11000: 3000 + 500 + 1000.
  EXPECT_THAT(
      Check("HostBoundChecker"),
      ElementsAre("/job:w: accelerators wait for the host for 45.0% of the "
                  "step (4.50ms of 10.00ms): 35.0% while ops run on a CPU, "
                  "10.0% while ops are started; most of it IteratorGetNext "
                  "3.00ms, Relu 1.00ms, MatMul 500us"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 4500);
  EXPECT_THAT(findings_[0].advice, HasSubstr("input pipeline"));
}

TEST_F(StepTimeTest, HostThatWorksAheadIsFine) {
  const NodeId a = Node("a", "MatMul");
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 10000);
  Kernel(a, 3500, 500, 4000, 7000);  // 3000 of 10000 before it
  EXPECT_THAT(Check("HostBoundChecker"), IsEmpty());
}

// The host waits, too: nothing says that it is the one to blame.
TEST_F(StepTimeTest, IdleHostAndIdleAcceleratorIsNotHostBound) {
  const NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 1010, 1000);
  Kernel(a, 9000, 10, 9010, 1000);
  EXPECT_THAT(Check("HostBoundChecker"), IsEmpty());
  const Profile none;
  EXPECT_THAT(CheckProfile(none, "HostBoundChecker"), IsEmpty());
}

// ---- WaitChecker

TEST_F(StepTimeTest, TransfersThatNothingHides) {
  RanOn(Node("a", "MatMul"), kCpu, 1000, 2000);
  Said("RecvTensor", "[1000B] edge_1_x from /job:ps/cpu:0 to /job:w/cpu:0",
       kCpu, 2000, 4000);  // 3000 of it alone
  Said("RecvTensor", "[24B] edge_2_y from /job:ps/cpu:0 to /job:w/cpu:0", kCpu,
       5000, 1000);  // none of it alone
  Said("RecvTensor", "edge_3_z from /job:v/cpu:0 to /job:w/cpu:0", kCpu, 10000,
       1000);
  RanOn(Node("b", "MatMul"), kCpu, 6000, 4000);
  // The step: 1000 to 11000.
  EXPECT_THAT(
      Check("WaitChecker"),
      ElementsAre(
          "/job:w: only communicates for 40.0% of the step (4.00ms of 10.00ms)",
          "from /job:ps/cpu:0 to /job:w/cpu:0: 2 transfers, 5.00ms in all for "
          "1.02KB, the longest 4.00ms (edge_1_x)",
          "from /job:v/cpu:0 to /job:w/cpu:0: 1 transfer, 1.00ms in all, the "
          "longest 1.00ms (edge_3_z)"));
  EXPECT_EQ(findings_[0].saving_micros, 4000);
  EXPECT_EQ(findings_[1].rule, "slow_link");
  EXPECT_EQ(findings_[1].severity, Finding::Severity::kInfo);
}

TEST_F(StepTimeTest, HiddenTransfersAreFine) {
  RanOn(Node("a", "MatMul"), kCpu, 1000, 8500);
  Said("RecvTensor", "[1000B] edge_1_x from /job:ps/cpu:0 to /job:w/cpu:0",
       kCpu, 1000, 10000);  // 1500 of 10000 alone
  EXPECT_THAT(Check("WaitChecker"), IsEmpty());
}

TEST_F(StepTimeTest, ReceivesAndCollectivesOfAGraph) {
  Node("r", "_Recv");
  RanOn(Node("a", "MatMul"), kCpu, 1000, 6000);
  Said("r", "r = _Recv(edge_5_b @/job:ps/device:CPU:0)", kCpu, 7000, 2000);
  // Only run metadata knows it: its op is in its label.
  builder_.AddNode("all", "all", kNoRecord);
  Said("all", "[cpu 1.3MB] all = HorovodAllreduce(g)", kCpu, 9000, 2000);
  EXPECT_THAT(
      Check("WaitChecker"),
      ElementsAre(
          "/job:w: only communicates for 40.0% of the step (4.00ms of 10.00ms)",
          "HorovodAllreduce on /job:w/device:cpu:0: 1 transfer, 2.00ms in all, "
          "the longest 2.00ms (all)",
          "from /job:ps/device:cpu:0 to /job:w/device:cpu:0: 1 transfer, "
          "2.00ms in all, the longest 2.00ms (edge_5_b)"));
}

// ---- CopyChecker

TEST_F(StepTimeTest, CopiesThatNothingHides) {
  const NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 2000, 9000);
  Said("in:MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kMemcpy, 1000, 1500);
  Said("in:MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kStream, 1000, 1500);
  Said("MEMCPYHtoD", "MEMCPYHtoD 4000 bytes", kMemcpy, 4000, 500);  // hidden
  Said("MEMCPYDtoH", "", kMemcpy, 11000, 1000);
  // The step: 1000 to 12000; alone 1000 + 1000.
  EXPECT_THAT(
      Check("CopyChecker"),
      ElementsAre("/job:w/device:gpu:0: only copies for 18.2% of the step "
                  "(2.00ms of 11.00ms): 2 host to device in 2.00ms for 8.10KB, "
                  "1 device to host in 1.00ms; the longest 1.50ms for 4.10KB "
                  "(in)"));
  EXPECT_EQ(findings_[0].saving_micros, 2000);
}

TEST_F(StepTimeTest, HiddenCopiesAreFine) {
  const NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 2000, 9000);
  Said("MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kMemcpy, 1000, 5000);
  EXPECT_THAT(Check("CopyChecker"), IsEmpty());  // 1000 of 10000 alone
}

// ---- TinyOpsChecker

TEST_F(StepTimeTest, TinyKernelsAndTheGapsBehindThem) {
  const NodeId a = Node("a", "Add"), b = Node("b", "MatMul");
  // 100 kernels of 4 us every 20: 400 + 100 gaps of 16. Then 1000 of work.
  for (int64_t i = 0; i < 100; ++i) {
    Kernel(a, 1000 + 20 * i, 3, 1004 + 20 * i, 4);
  }
  Kernel(b, 3000, 3, 3004, 1000);
  // The step: 1000 to 4004.
  EXPECT_THAT(
      Check("TinyOpsChecker"),
      ElementsAre("/job:w/device:gpu:0: tiny kernels and the gaps behind them "
                  "take 66.6% of the step (2.00ms of 3.00ms); 100 of 101 "
                  "kernels are shorter than 10us, gaps behind them are 53.3%; "
                  "most are Add 100"));
  EXPECT_EQ(findings_[0].saving_micros, 1600);
  EXPECT_EQ(findings_[0].evidence,
            "op -step 0 -order_by occurrence -select "
            "accelerator_micros,occurrence");
}

TEST_F(StepTimeTest, FewTinyKernelsAreFine) {
  const NodeId a = Node("a", "Add"), b = Node("b", "MatMul");
  for (int64_t i = 0; i < 100; ++i) {
    Kernel(a, 1000 + 20 * i, 3, 1004 + 20 * i, 4);
  }
  Kernel(b, 3000, 3, 3004, 5000);  // 2000 of 7004
  EXPECT_THAT(Check("TinyOpsChecker"), IsEmpty());
}

// A kernel that hides the start of the next has no gap behind it.
TEST_F(StepTimeTest, GapsBehindLongKernelsAreNotTheirs) {
  const NodeId a = Node("a", "Add");
  for (int64_t i = 0; i < 100; ++i) {
    Kernel(a, 1000 + 30 * i, 3, 1004 + 30 * i, 10);
  }
  EXPECT_THAT(Check("TinyOpsChecker"), IsEmpty());
}

TEST_F(StepTimeTest, TinyOpsOfTheHost) {
  const NodeId shape = Node("s", "Shape"), b = Node("b", "MatMul");
  // 200 ops of 2 us every 10, while the GPU waits: 2000, less the last gap.
  for (int64_t i = 0; i < 200; ++i) RanOn(shape, kCpu, 1000 + 10 * i, 2);
  Kernel(b, 3000, 10, 3010, 4990);
  EXPECT_THAT(
      Check("TinyOpsChecker"),
      ElementsAre("/job:w: accelerators wait for tiny ops of the host for "
                  "28.5% of the step (1.99ms of 7.00ms); 200 of 200 ops on "
                  "CPUs are shorter than 5us; most are Shape 200"));
  EXPECT_EQ(findings_[0].rule, "tiny_host_ops");
  EXPECT_EQ(findings_[0].saving_micros, 199 * 8);
}

TEST_F(StepTimeTest, TinyOpsBesideABusyAcceleratorAreFine) {
  const NodeId shape = Node("s", "Shape"), b = Node("b", "MatMul");
  for (int64_t i = 0; i < 200; ++i) RanOn(shape, kCpu, 1000 + 10 * i, 2);
  Kernel(b, 1300, 10, 1310, 6690);
  EXPECT_THAT(Check("TinyOpsChecker"), IsEmpty());
}

TEST_F(StepTimeTest, TinyOpsOfACpuProfileAreFine) {
  const NodeId shape = Node("s", "Shape");
  for (int64_t i = 0; i < 200; ++i) RanOn(shape, kCpu, 1000 + 10 * i, 2);
  EXPECT_THAT(Check("TinyOpsChecker"), IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

// ---- Profiles of real programs

constexpr const char* kStepTimeCheckers[] = {"CopyChecker", "DeviceIdleChecker",
                                             "HostBoundChecker",
                                             "TinyOpsChecker", "WaitChecker"};

TEST_F(StepTimeTest, HealthyProfilesHaveNoFinding) {
  const std::vector<std::string> healthy[] = {
      {"code_deep/graph.pb.gz", "code_deep/run_meta_0.gz"},
      {"conv_resnet/profile.pb"},
      {"conv_resnet/graph.pb.gz", "conv_resnet/run_meta_0.gz"},
      {"input_pipeline/graph.pb", "input_pipeline/run_meta_0",
       "input_pipeline/run_meta_1"},
      {"mlp_tiny/graph.pb.gz", "mlp_tiny/run_meta_0.gz"},
      {"multi_cpu/graph.pb.gz", "multi_cpu/run_meta_0.gz",
       "multi_cpu/run_meta_1"},
      {"multi_step/graph.pb", "multi_step/run_meta_10",
       "multi_step/run_meta_20"},
      {"rnn_while/run_meta_0.gz"},
      {"transformer/graph.pb.gz", "transformer/run_meta_0.gz"},
  };
  for (const auto& files : healthy) {
    for (const char* checker : kStepTimeCheckers) {
      EXPECT_THAT(CheckFiles(files, checker), IsEmpty())
          << files[0] << " " << checker;
    }
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(StepTimeTest, AWorkerThatWaitsForItsParameterServer) {
  for (const char* checker : kStepTimeCheckers) {
    CheckFiles({"ps_worker/graph.pb", "ps_worker/run_meta_0.gz"}, checker);
  }
  std::vector<std::string> texts;
  for (const Finding& f : findings_) texts.push_back(f.text);
  EXPECT_THAT(
      texts,
      ElementsAre(
          "/job:worker/replica:0/task:0/device:cpu:0: idle for 72.7% of the "
          "step (2.36ms of 3.24ms); compute 4.8%, only communication 22.5%; "
          "longest gap 2.17ms at 116us of step 0, from "
          "random_uniform_1/RandomUniform (RandomUniform) to RecvTensor",
          "/job:worker/replica:0/task:0: only communicates for 22.5% of the "
          "step (729us of 3.24ms)",
          "from /job:ps/replica:0/task:0/device:cpu:0 to "
          "/job:worker/replica:0/task:0/device:cpu:0: 2 transfers, 806us in "
          "all for 448B, the longest 675us (edge_11_w2/read)"));
}

// A saved profile has no transfers, and that is said.
TEST_F(StepTimeTest, TheSameWithoutItsTransfers) {
  EXPECT_THAT(
      CheckFiles({"ps_worker/profile.pb.gz"}, "DeviceIdleChecker"),
      ElementsAre(HasSubstr("; the profile has no record of transfers")));
  EXPECT_THAT(CheckFiles({"ps_worker/profile.pb.gz"}, "WaitChecker"),
              IsEmpty());
}

// Its kernels were made up as half of the host's times.
TEST_F(StepTimeTest, ASyntheticGpu) {
  for (const char* checker : kStepTimeCheckers) {
    CheckFiles({"synth_gpu/graph.pb.gz", "synth_gpu/run_meta_0.gz"}, checker);
  }
  ASSERT_THAT(findings_, SizeIs(2));
  EXPECT_THAT(
      findings_[0].text,
      HasSubstr("device:gpu:0: idle for 55.1% of the step (16.92ms of 30.70ms);"
                " compute 44.7%, only copies 0.1%; longest gap 11.03ms at "
                "12.94ms of step 0, from MatMul to concat_2 (ConcatV2)"));
  EXPECT_THAT(findings_[1].text,
              HasSubstr("for 52.4% of the step (16.07ms of 30.70ms): 2.2% "
                        "while ops run on a CPU, 50.1% while ops are started; "
                        "most of it MatMul 12.72ms"));
}

TEST_F(StepTimeTest, AGpuWithoutStreams) {
  for (const char* checker : kStepTimeCheckers) {
    EXPECT_THAT(CheckFiles({"synth_nostream/graph.pb.gz",
                            "synth_nostream/run_meta_0.gz"},
                           checker),
                IsEmpty());
  }
  EXPECT_THAT(notes_,
              ElementsAre("Missing GPU stream records. Skip DeviceIdleChecker",
                          "Missing GPU stream records. Skip HostBoundChecker",
                          "Missing GPU stream records. Skip TinyOpsChecker"));
}

}  // namespace
}  // namespace tfprof

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/advisor_testing.h"
#include "advisor/checkers/registry.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(AdvisorTest, CheckersAreInTheReferencesOrder) {
  std::vector<std::string_view> names;
  for (const Checker* checker : Checkers()) {
    if (checker->reference) names.push_back(checker->name);
  }
  EXPECT_THAT(names,
              ElementsAre("AcceleratorUtilizationChecker", "OperationChecker",
                          "ExpensiveOperationChecker"));
}

// The data of the reference's test (spec 17.6), its report (spec 18.10).
TEST_F(AdvisorTest, TwoConvolutionsOnAGpu) {
  Ran(Node("n1", "Conv2D"), 10, 2);
  Ran(Node("n2", "Conv2D", 1), 20, 2);
  EXPECT_THAT(
      Check(),
      ElementsAre("device: /job:localhost/replica:0/task:0/device:gpu:0 low "
                  "utilization: 0.33",
                  "Found operation using NHWC data_format on GPU. Maybe NCHW "
                  "is faster.",
                  "top 1 operation type: Conv2D, cpu: 4us, accelerator: 4us, "
                  "total: 8us (100.00%)"));
  EXPECT_THAT(notes_, ElementsAre("Missing op_log (code traces) for "
                                  "ExpensiveOperationChecker"));
  ASSERT_THAT(findings_, SizeIs(3));
  EXPECT_EQ(findings_[0].rule, "low_utilization");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_NEAR(findings_[0].value, 4.0 / 12, 1e-9);
  EXPECT_EQ(findings_[0].threshold, 0.5);
}

TEST_F(AdvisorTest, BusyAcceleratorIsNotLow) {
  Ran(Node("a", "Conv2D", 1), 10, 5);
  Ran(Node("b", "Conv2D", 1), 15, 5);
  EXPECT_THAT(Check("AcceleratorUtilizationChecker"),
              ElementsAre("device: /job:localhost/replica:0/task:0/device:"
                          "gpu:0 utilization: 1.00"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

TEST_F(AdvisorTest, UtilizationIsOfTheLastStepOfEachDevice) {
  const NodeId a = Node("a", "Conv2D");
  Ran(a, 10, 10, 0);
  Ran(a, 100, 5, 7);
  Ran(Node("b", "Conv2D"), 145, 5, 7);
  Ran(Node("c", "Conv2D"), 10, 4, 7, "/device:GPU:1");
  EXPECT_THAT(
      Check("AcceleratorUtilizationChecker"),
      ElementsAre("device: /device:gpu:1 utilization: 1.00",
                  "device: /job:localhost/replica:0/task:0/device:gpu:0 low "
                  "utilization: 0.20"));
}

TEST_F(AdvisorTest, CpusHaveNoUtilization) {
  Ran(Node("a", "Conv2D"), 10, 5, 0, "/device:CPU:0");
  EXPECT_THAT(Check("AcceleratorUtilizationChecker"), IsEmpty());
}

TEST_F(AdvisorTest, DataFormatMattersOnAcceleratorsOnly) {
  Ran(Node("a", "Conv2D", 0), 10, 5, 0, "/device:CPU:0");
  Ran(Node("b", "Conv2D", 1), 10, 5);
  Node("c", "Conv2D", 0);  // never ran
  EXPECT_THAT(Check("OperationChecker"), IsEmpty());
}

TEST_F(AdvisorTest, BatchNormByNameWithoutTheFusedOp) {
  Node("layer/BatchNorm/mul", "Mul");
  EXPECT_THAT(
      Check("OperationChecker"),
      ElementsAre("Maybe use faster FusedBatchNorm instead of BatchNorm"));
}

TEST_F(AdvisorTest, BatchNormWithTheFusedOp) {
  Node("layer/BatchNorm/mul", "Mul");
  Node("x", "FusedBatchNorm");
  EXPECT_THAT(Check("OperationChecker"), IsEmpty());
}

// The reference does not know the later versions: its text says so, nothing
// else does.
TEST_F(AdvisorTest, BatchNormWithALaterFusedOp) {
  Node("layer/BatchNorm/mul", "Mul");
  Node("x", "FusedBatchNormV3");
  EXPECT_THAT(
      Check("OperationChecker"),
      ElementsAre("Maybe use faster FusedBatchNorm instead of BatchNorm"));
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_FALSE(findings_[0].IsReported());
}

TEST_F(AdvisorTest, ThreeMostExpensive) {
  int64_t start = 1;
  for (const auto& [name, micros] :
       std::vector<std::pair<std::string, int64_t>>{
           {"s/a", 50}, {"s/b", 60}, {"d", 400}, {"e", 300}, {"f", 90}}) {
    Ran(Node(name, "Op_" + name.substr(name.size() - 1)), start, micros, 0,
        "/device:CPU:0");
    start += micros;
  }
  EXPECT_THAT(
      Check("ExpensiveOperationChecker"),
      ElementsAre(
          "top 1 operation type: Op_d, cpu: 400us, accelerator: 0us, total: "
          "400us (44.44%)\n"
          "top 2 operation type: Op_e, cpu: 300us, accelerator: 0us, total: "
          "300us (33.33%)\n"
          "top 3 operation type: Op_f, cpu: 90us, accelerator: 0us, total: "
          "90us (10.00%)",
          // A scope has no time of its own.
          "top 1 graph node: d, cpu: 400us, accelerator: 0us, total: 400us\n"
          "top 2 graph node: e, cpu: 300us, accelerator: 0us, total: 300us\n"
          "top 3 graph node: s, cpu: 0us, accelerator: 0us, total: 0us"));
}

TEST_F(AdvisorTest, CodeThatBranches) {
  GraphTables& graph = builder_.mutable_graph();
  graph.has_code_traces = true;
  const StringId file = graph.strings.Intern("/x/m.py");
  const auto frame = [&](int32_t line) {
    return Frame{.file = file,
                 .function = graph.strings.Intern("f"),
                 .line = file,
                 .lineno = line};
  };
  // One way in to line 2, then three ways on.
  const StackId in =
      graph.stacks.Push(graph.stacks.Push(kNoStack, frame(1)), frame(2));
  int64_t start = 1;
  for (const int64_t micros : {5000, 999, 3000, 2000}) {
    const NodeId n = Node("n" + std::to_string(micros), "Op");
    graph.nodes.stack[n] =
        graph.stacks.Push(in, frame(static_cast<int32_t>(micros)));
    Ran(n, start, micros, 0, "/device:CPU:0");
    start += micros;
  }
  const std::vector<std::string> texts = Check("ExpensiveOperationChecker");
  ASSERT_THAT(texts, SizeIs(3));
  EXPECT_EQ(texts[2],
            "m.py:5000:f, cpu: 5.00ms, accelerator: 0us, total: 5.00ms\n"
            "m.py:3000:f, cpu: 3.00ms, accelerator: 0us, total: 3.00ms\n"
            "m.py:2000:f, cpu: 2.00ms, accelerator: 0us, total: 2.00ms");
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(AdvisorTest, NothingToRead) {
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_THAT(
      notes_,
      ElementsAre("Missing RunMetadata info. Skip ExpensiveOperationChecker",
                  "Missing run_meta for ExpensiveOperationChecker",
                  "Missing op_log (code traces) for "
                  "ExpensiveOperationChecker"));
}

}  // namespace
}  // namespace tfprof

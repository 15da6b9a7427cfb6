#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "advisor/advisor_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using ExpensiveOperationsTest = AdvisorTest;

TEST_F(ExpensiveOperationsTest, ThreeMostExpensive) {
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

TEST_F(ExpensiveOperationsTest, AStepMarkerIsNoOperation) {
  Ran(Node("step", "ProfilerStep*"), 1, 500, 0, "/device:CPU:0");
  int64_t start = 600;
  for (const auto& [name, micros] :
       std::vector<std::pair<std::string, int64_t>>{
           {"a", 50}, {"b", 60}, {"c", 70}}) {
    Ran(Node(name, "Op_" + name), start, micros, 0, "/device:CPU:0");
    start += micros;
  }
  const std::string ops = Check("ExpensiveOperationChecker").at(0);
  EXPECT_EQ(ops.find("ProfilerStep*"), std::string::npos) << ops;
  EXPECT_THAT(ops, testing::HasSubstr("top 3 operation type: Op_a, cpu: 50us"));
}

TEST_F(ExpensiveOperationsTest, CodeThatBranches) {
  profile::GraphTables& graph = builder_.mutable_graph();
  graph.has_code_traces = true;
  const profile::StringId file = graph.strings.Intern("/x/m.py");
  const auto frame = [&](int32_t line) {
    return profile::Frame{.file = file,
                          .function = graph.strings.Intern("f"),
                          .line = file,
                          .lineno = line};
  };
  // One call path leads to line 2, then three branch from it.
  const profile::StackId in = graph.stacks.Push(
      graph.stacks.Push(profile::kNoStack, frame(1)), frame(2));
  int64_t start = 1;
  for (const int64_t micros : {5000, 999, 3000, 2000}) {
    const profile::NodeId n = Node("n" + std::to_string(micros), "Op");
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

TEST_F(ExpensiveOperationsTest, NotesListWhatIsMissing) {
  EXPECT_THAT(Check("ExpensiveOperationChecker"), IsEmpty());
  EXPECT_THAT(
      notes_,
      ElementsAre("Missing RunMetadata info. Skip ExpensiveOperationChecker",
                  "Missing run_meta for ExpensiveOperationChecker",
                  "Missing op_log (code traces) for "
                  "ExpensiveOperationChecker"));
}

TEST_F(ExpensiveOperationsTest, WithoutTimesThereIsNoScope) {
  Node("s/a", "Op");
  EXPECT_THAT(Check("ExpensiveOperationChecker"), IsEmpty());
}

TEST_F(ExpensiveOperationsTest, CodeThatNeverBranchesIsNotListed) {
  profile::GraphTables& graph = builder_.mutable_graph();
  graph.has_code_traces = true;
  const profile::StringId file = graph.strings.Intern("m.py");
  const profile::NodeId n = Node("n", "Op");
  graph.nodes.stack[n] = graph.stacks.Push(
      profile::kNoStack,
      {.file = file, .function = file, .line = file, .lineno = 1});
  Ran(n, 1, 5000, 0, "/device:CPU:0");
  EXPECT_THAT(Check("ExpensiveOperationChecker"), SizeIs(2));
}

}  // namespace
}  // namespace tfprof::advisor

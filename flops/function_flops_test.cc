#include "flops/function_flops.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flops/flops_testing.h"
#include "flops/formulas.h"
#include "fmt/format.h"
#include "gtest/gtest.h"

namespace tfprof::flops {
namespace {
namespace function_flops_test {

// Float operations, and whether they are complete.
using Figure = std::pair<int64_t, bool>;

Figure Of(const profile::Profile& profile, FunctionFlops& functions,
          std::string_view name) {
  const profile::NodeId n = NodeNamed(profile, name);
  const FunctionFlops::Figure figure = functions.OfCall(
      profile.strings().Get(profile.nodes().op[n]), profile.Attributes(n));
  return {figure.flops, figure.complete};
}
Figure Of(const profile::Profile& profile, std::string_view name) {
  FunctionFlops functions(profile);
  return Of(profile, functions, name);
}

// Returns a function of one argument of shape [2, 3].
std::string Function(std::string_view name, const std::string& nodes) {
  return fmt::format(
      "function {{ signature {{ name: '{}' input_arg {{ name: 'a' }} }} "
      "attr {{ key: '_input_shapes' value {{ list {{ shape {{ "
      "dim {{ size: 2 }} dim {{ size: 3 }} }} }} }} }} {} }} ",
      name, nodes);
}
std::string Body(std::string_view name, std::string_view op,
                 std::string_view input, std::string_view rest = "") {
  return fmt::format("node_def {{ name: '{}' op: '{}' input: '{}' {} }} ", name,
                     op, input, rest);
}
std::string Calls(std::string_view key, std::string_view function) {
  return fmt::format("attr {{ key: '{}' value {{ func {{ name: '{}' }} }} }} ",
                     key, function);
}
std::string CallNode(std::string_view name, std::string_view op,
                     const std::string& attributes) {
  return fmt::format("node {{ name: '{}' op: '{}' {} }} ", name, op,
                     attributes);
}

TEST(FunctionFlopsTest, BodiesBranchesAndLoops) {
  const profile::Profile profile = ProfileOfGraph(
      CallNode("call", "PartitionedCall", Calls("f", "six")) +
      CallNode("named", "thirty", "") +
      CallNode("if", "If",
               Calls("then_branch", "six") + Calls("else_branch", "thirty")) +
      CallNode("while", "While",
               Calls("cond", "six") + Calls("body", "thirty")) +
      CallNode("case", "StatelessCase",
               "attr { key: 'branches' value { list { func { name: 'six' } "
               "func { name: 'twice' } } } }") +
      CallNode("nested", "StatefulPartitionedCall", Calls("f", "twice")) +
      "library {" + Function("six", Body("n", "Neg", "a")) +
      Function("thirty", Body("s", "Softmax", "a")) +
      Function("twice",
               Body("x", "PartitionedCall", "a", Calls("f", "thirty")) +
                   Body("y", "thirty", "a")) +
      "}");
  EXPECT_EQ(Of(profile, "call"), Figure(6, true));
  EXPECT_EQ(Of(profile, "named"), Figure(30, true));
  EXPECT_EQ(Of(profile, "if"), Figure(30, true));
  EXPECT_EQ(Of(profile, "while"), Figure(36, true));
  EXPECT_EQ(Of(profile, "case"), Figure(60, true));
  EXPECT_EQ(Of(profile, "nested"), Figure(60, true));
}

TEST(FunctionFlopsTest, WhatHasNoFigureMakesACallPartial) {
  const profile::Profile profile = ProfileOfGraph(
      CallNode("missing", "PartitionedCall", Calls("f", "nowhere")) +
      CallNode("unsaid", "PartitionedCall", "") +
      CallNode("shapeless", "PartitionedCall", Calls("f", "open")) +
      "library {" +
      Function("open", Body("n", "Neg", "a") + Body("m", "Neg", "b:y:0")) +
      "}");
  EXPECT_EQ(Of(profile, "missing"), Figure(0, false));
  EXPECT_EQ(Of(profile, "unsaid"), Figure(0, false));
  EXPECT_EQ(Of(profile, "shapeless"), Figure(6, false));
}

TEST(FunctionFlopsTest, InputsInsideABody) {
  const profile::Profile profile = ProfileOfGraph(
      CallNode("call", "PartitionedCall", Calls("f", "f")) + "library {" +
      Function("f",
               Body("split", "Split", "a", OutputShapesAttr({{2, 1}, {2, 2}})) +
                   Body("left", "Neg", "split:output:0") +
                   Body("right", "Neg", "split:output:1") +
                   // This node has no shapes of its own.
                   Body("sum", "AddV2", "left:y:0', input: 'a")) +
      "}");
  // 2 + 4 + 6; "left" has no `_output_shapes`, so its shape is inferred.
  EXPECT_EQ(Of(profile, "call"), Figure(12, true));
}

TEST(FunctionFlopsTest, ArgumentShapesInEitherPlace) {
  const profile::Profile profile =
      ProfileOfGraph(CallNode("call", "f", "") + R"(library { function {
        signature { name: 'f' input_arg { name: 'a' } input_arg { name: 'b' } }
        arg_attr { key: 1 value { attr { key: '_output_shapes' value {
          list { shape { dim { size: 5 } } } } } } }
        node_def { name: 'n' op: 'Neg' input: 'b' } } })");
  EXPECT_EQ(Of(profile, "call"), Figure(5, true));
}

TEST(FunctionFlopsTest, AFunctionThatCallsItself) {
  const profile::Profile profile = ProfileOfGraph(
      CallNode("self", "f", "") + CallNode("mutual", "g", "") + "library {" +
      Function("f", Body("n", "Neg", "a") + Body("c", "f", "a")) +
      Function("g", Body("n", "Neg", "a") + Body("c", "h", "a")) +
      Function("h", Body("n", "Softmax", "a") + Body("c", "g", "a")) + "}");
  EXPECT_EQ(Of(profile, "self"), Figure(6, false));
  EXPECT_EQ(Of(profile, "mutual"), Figure(36, false));
}

// Each function calls the next one twice: deep enough to overflow the stack,
// with 2^30000 calls.
TEST(FunctionFlopsTest, DeepAndWideCalls) {
  constexpr int kDepth = 30000;
  std::string graph = CallNode("call", "f0", "") + "library {";
  for (int i = 0; i < kDepth; ++i) {
    graph += fmt::format(
        "function {{ signature {{ name: 'f{0}' }} node_def {{ name: 'x' op: "
        "'f{1}' }} node_def {{ name: 'y' op: 'f{1}' }} }}",
        i, i + 1);
  }
  const profile::Profile profile = ProfileOfGraph(
      graph + Function(fmt::format("f{}", kDepth), Body("n", "Neg", "a")) +
      "}");
  EXPECT_EQ(Of(profile, "call"), Figure(kMaxFlops, true));
}

TEST(FunctionFlopsTest, CallsAreOpsWithFunctionsAndFunctions) {
  const profile::Profile profile = ProfileOfGraph(
      CallNode("call", "f", "") + "library {" + Function("f", "") + "}");
  const FunctionFlops functions(profile);
  for (const std::string_view op :
       {"PartitionedCall", "StatefulPartitionedCall", "If", "StatelessIf",
        "Case", "StatelessCase", "While", "StatelessWhile", "f"}) {
    EXPECT_TRUE(functions.IsCall(op)) << op;
  }
  for (const std::string_view op : {"", "g", "MatMul", "if", "F"}) {
    EXPECT_FALSE(functions.IsCall(op)) << op;
  }
}

TEST(FunctionFlopsTest, AnEmptyBodyIsComplete) {
  const profile::Profile profile = ProfileOfGraph(
      CallNode("call", "f", "") + "library {" + Function("f", "") + "}");
  EXPECT_EQ(Of(profile, "call"), Figure(0, true));
}

TEST(FunctionFlopsTest, LaterCallsHaveTheSameFigure) {
  const profile::Profile profile = ProfileOfGraph(
      CallNode("a", "PartitionedCall", Calls("f", "outer")) +
      CallNode("b", "inner", "") + "library {" +
      Function("outer", Body("n", "Neg", "a") + Body("c", "inner", "a")) +
      Function("inner", Body("n", "Softmax", "a")) + "}");
  FunctionFlops functions(profile);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Of(profile, functions, "a"), Figure(36, true));
    EXPECT_EQ(Of(profile, functions, "b"), Figure(30, true));
  }
}

TEST(FunctionFlopsTest, TheFirstOfEquallyNamedFunctionsCounts) {
  const profile::Profile profile =
      ProfileOfGraph(CallNode("call", "f", "") + "library {" +
                     Function("f", Body("n", "Neg", "a")) +
                     Function("f", Body("n", "Softmax", "a")) + "}");
  EXPECT_EQ(Of(profile, "call"), Figure(6, true));
}

TEST(FunctionFlopsTest, AMissingBranchMakesTheOthersPartial) {
  const profile::Profile profile = ProfileOfGraph(
      CallNode("if", "If",
               Calls("then_branch", "six") + Calls("else_branch", "nowhere")) +
      CallNode("half", "If", Calls("then_branch", "six")) + "library {" +
      Function("six", Body("n", "Neg", "a")) + "}");
  EXPECT_EQ(Of(profile, "if"), Figure(6, false));
  EXPECT_EQ(Of(profile, "half"), Figure(6, false));
}

// Only the op's definition would tell which output is meant, and it is missing.
TEST(FunctionFlopsTest, AnOutputNameNeedsEqualShapesUnlessItIsAList) {
  const auto call = [](std::string_view input) {
    const profile::Profile profile = ProfileOfGraph(
        CallNode("call", "f", "") + "library {" +
        Function("f",
                 Body("same", "Op", "a", OutputShapesAttr({{7}, {7}})) +
                     Body("split", "Op", "a", OutputShapesAttr({{2}, {3}})) +
                     Body("n", "Neg", input)) +
        "}");
    return Of(profile, "call");
  };
  EXPECT_EQ(call("same:any:5"), Figure(7, true));
  EXPECT_EQ(call("split:output:1"), Figure(3, true));
  EXPECT_EQ(call("split:output:2"), Figure(0, false));
  EXPECT_EQ(call("split:output:x"), Figure(0, false));
  EXPECT_EQ(call("split:values:1"), Figure(0, false));
  EXPECT_EQ(call("nowhere:output:0"), Figure(0, false));
}

}  // namespace function_flops_test
}  // namespace
}  // namespace tfprof::flops

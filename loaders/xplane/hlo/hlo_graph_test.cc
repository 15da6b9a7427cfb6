#include "loaders/xplane/hlo/hlo_graph.h"

#include <string>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"

namespace tfprof::xplane {
namespace {

class HloGraphTest : public ::testing::Test {
 protected:
  HloGraphTest()
      : builder_(accounting::SelfTimeRules()), graph_(builder_, log_) {}

  void Add(const HloModule& module, std::string_view label = "jit_f(7)",
           int64_t program = 7, uint32_t input = 0) {
    graph_.AddProgram(module, label, program, input, 100, "file");
  }
  profile::NodeId Node(std::string_view name,
                       std::string_view label = "jit_f(7)") {
    const profile::GraphTables& graph = builder_.graph();
    return graph.nodes.Find(graph.modules.Find(graph.strings.Find(label)),
                            graph.strings.Find(name));
  }
  static HloInstruction Instruction(int64_t id, std::string_view name,
                                    std::string_view opcode) {
    HloInstruction i;
    i.id = id;
    i.name = name;
    i.opcode = opcode;
    i.offset = static_cast<uint64_t>(10 * id);
    return i;
  }
  // Adds an instruction with ids.
  static void Append(HloModule& module, HloInstruction i,
                     const std::vector<int64_t>& operands,
                     const std::vector<int64_t>& calls = {}) {
    i.operands = static_cast<uint32_t>(module.ids.size());
    module.ids.insert(module.ids.end(), operands.begin(), operands.end());
    i.controls = i.calls = static_cast<uint32_t>(module.ids.size());
    module.ids.insert(module.ids.end(), calls.begin(), calls.end());
    i.end = static_cast<uint32_t>(module.ids.size());
    module.instructions.push_back(i);
  }
  static HloModule Module() {
    HloModule module;
    module.name = "jit_f";
    module.computations.push_back({.id = 1, .name = "main", .root = 1});
    return module;
  }
  std::vector<std::string> Stack(profile::NodeId n) {
    const profile::GraphTables& graph = builder_.graph();
    std::vector<std::string> lines;
    for (const profile::FrameId id :
         graph.stacks.Frames(graph.nodes.stack[n])) {
      const profile::Frame& frame = graph.stacks.frame(id);
      lines.push_back(frame.function == profile::kNone
                          ? "?"
                          : std::string(graph.strings.Get(frame.function)));
    }
    return lines;
  }

  profile::ProfileBuilder builder_;
  loaders::ImportLog log_;
  HloGraph graph_;
};

TEST_F(HloGraphTest, OperandsAndCalledComputationsAreEdges) {
  HloModule module = Module();
  module.computations.push_back({.id = 2, .name = "fused", .root = 9});
  Append(module, Instruction(1, "p", "parameter"), {});
  Append(module, Instruction(9, "add", "add"), {});
  Append(module, Instruction(3, "fusion", "fusion"), {1}, {2});
  Add(module);
  const profile::NodeTable& nodes = builder_.graph().nodes;
  const profile::NodeId fusion = Node("fusion");
  ASSERT_NE(fusion, profile::kNone);
  ASSERT_EQ(nodes.num_inputs(fusion), 2u);
  EXPECT_EQ(nodes.Source(fusion, nodes.edge_begin[fusion]), Node("p"));
  EXPECT_EQ(nodes.Source(fusion, nodes.edge_begin[fusion] + 1), Node("add"));
  EXPECT_FALSE(log_.damaged());
  EXPECT_EQ(nodes.record[fusion], profile::MakeRecordRef(0, 130));
}

TEST_F(HloGraphTest, WrongIdsAreReported) {
  HloModule module = Module();
  HloInstruction i = Instruction(1, "p", "parameter");
  i.stack_frame = 12;
  Append(module, i, {77}, {88});
  module.buffers.push_back(
      {.size = 4, .instruction = 99, .instruction_name = {}});
  Add(module);
  EXPECT_TRUE(log_.damaged());
  EXPECT_NE(log_.Lines()[0].find("4 ids"), std::string::npos);
  EXPECT_EQ(builder_.graph().nodes.num_inputs(Node("p")), 0u);
}

TEST_F(HloGraphTest, StacksAreRootFirst) {
  HloModule module = Module();
  module.files = {"a.py"};
  module.functions = {"outer", "inner"};
  module.locations = {{1, 1, 5}, {1, 2, 9}};
  module.frames = {{.location = 2, .parent = 2}, {.location = 1, .parent = 0}};
  HloInstruction i = Instruction(1, "x", "add");
  i.stack_frame = 1;
  Append(module, i, {});
  Add(module);
  EXPECT_EQ(Stack(Node("x")), (std::vector<std::string>{"outer", "inner"}));
  EXPECT_TRUE(builder_.graph().has_code_traces);
}

TEST_F(HloGraphTest, FramesThatCallEachOtherAreCut) {
  HloModule module = Module();
  module.functions = {"f"};
  module.locations = {{0, 1, 5}};
  module.frames = {{.location = 1, .parent = 2}, {.location = 1, .parent = 1}};
  HloInstruction i = Instruction(1, "x", "add");
  i.stack_frame = 1;
  Append(module, i, {});
  Add(module);
  EXPECT_TRUE(log_.damaged());
  EXPECT_EQ(Stack(Node("x")).size(), 2u);
}

TEST_F(HloGraphTest, OlderFilesHaveASourceLine) {
  HloModule module = Module();
  HloInstruction i = Instruction(1, "x", "add");
  i.source_file = "b.py";
  i.source_line = 3;
  Append(module, i, {});
  Add(module);
  const profile::GraphTables& graph = builder_.graph();
  const std::vector<profile::FrameId> frames =
      graph.stacks.Frames(graph.nodes.stack[Node("x")]);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(graph.stacks.frame(frames[0]).lineno, 3);
}

TEST_F(HloGraphTest, FindsTheForwardOperation) {
  HloModule module = Module();
  HloInstruction forward = Instruction(1, "dot.1", "dot");
  forward.op_name = "jit(f)/jit(main)/jvp(mlp)/dot_general";
  HloInstruction backward = Instruction(2, "dot.2", "dot");
  backward.op_name = "jit(f)/jit(main)/transpose(jvp(mlp))/dot_general";
  HloInstruction other = Instruction(3, "mul", "multiply");
  other.op_name = "jit(f)/jit(main)/transpose(jvp(mlp))/mul";
  Append(module, backward, {});
  Append(module, forward, {});
  Append(module, other, {});
  Add(module);
  const profile::NodeTable& nodes = builder_.graph().nodes;
  ASSERT_FALSE(nodes.forward_of.empty());
  EXPECT_EQ(nodes.forward_of[Node("dot.2")], Node("dot.1"));
  EXPECT_EQ(nodes.forward_of[Node("dot.1")], profile::kNone);
}

TEST_F(HloGraphTest, TheScopeIsThePathWithoutTheOperation) {
  HloModule module = Module();
  HloInstruction named = Instruction(1, "x", "add");
  named.op_name = "jit(f)/mlp/add";
  Append(module, named, {});
  Append(module, Instruction(2, "copy", "copy"), {});
  Add(module);
  const profile::GraphTables& graph = builder_.graph();
  const auto name_of = [&](profile::NodeId n) {
    return graph.strings.Get(graph.scopes[graph.nodes.scope[n]].name);
  };
  EXPECT_EQ(name_of(Node("x")), "mlp");
  EXPECT_EQ(name_of(Node("copy")), kNoScope);
}

TEST_F(HloGraphTest, FindsExecutedInstructions) {
  HloModule module = Module();
  Append(module, Instruction(1, "x", "add"), {});
  Add(module);
  EXPECT_EQ(graph_.Find(7, "jit_f", "x", "?", ""), Node("x"));
  // The file does not have the program id, so the name of the module is used.
  EXPECT_EQ(graph_.Find(8, "jit_f", "x", "?", ""), Node("x"));
  EXPECT_EQ(graph_.Find(7, "jit_f", "", "?", ""), profile::kNone);
}

TEST_F(HloGraphTest, AddsInstructionsOfUnknownPrograms) {
  const profile::NodeId n =
      graph_.Find(5, "jit_g", "dot", "dot?", "jit(g)/a/dot");
  ASSERT_NE(n, profile::kNone);
  EXPECT_EQ(graph_.Find(5, "jit_g", "dot", "dot?", ""), n);
  EXPECT_EQ(Node("dot", "jit_g(5)"), n);
}

TEST_F(HloGraphTest, FindsTheInstructionOfAKernelByItsName) {
  HloModule module = Module();
  Append(module, Instruction(1, "loop_fusion", "fusion"), {});
  Append(module, Instruction(2, "loop_fusion.1", "fusion"), {});
  Add(module);
  EXPECT_EQ(graph_.FindKernel(7, "jit_f", "loop_fusion"), Node("loop_fusion"));
  EXPECT_EQ(graph_.FindKernel(7, "jit_f", "loop_fusion_1"),
            Node("loop_fusion.1"));
  EXPECT_EQ(graph_.FindKernel(7, "jit_f", "loop_fusion_2"), profile::kNone);
  EXPECT_EQ(graph_.FindKernel(7, "jit_f", ""), profile::kNone);
  EXPECT_EQ(graph_.FindKernel(9, "jit_g", "loop_fusion"), profile::kNone);
}

TEST_F(HloGraphTest, KnowsInstructionsOfProgramsFromAddedOnes) {
  HloModule module = Module();
  Append(module, Instruction(1, "x", "add"), {});
  Add(module);
  ASSERT_NE(graph_.Find(7, "jit_f", "command_buffer_1", "", ""),
            profile::kNone);
  EXPECT_TRUE(graph_.Has(7, "jit_f", "x"));
  EXPECT_FALSE(graph_.Has(7, "jit_f", "command_buffer_1"));
  EXPECT_EQ(graph_.FindKernel(7, "jit_f", "command_buffer_1"), profile::kNone);
}

TEST_F(HloGraphTest, TwoProgramsOfOneNameNeedTheId) {
  HloModule module = Module();
  Append(module, Instruction(1, "x", "add"), {});
  Add(module, "jit_f(7)", 7);
  Add(module, "jit_f(8)", 8);
  EXPECT_EQ(graph_.Find(8, "jit_f", "x", "?", ""), Node("x", "jit_f(8)"));
  const profile::NodeId added = graph_.Find(9, "jit_f", "x", "?", "");
  EXPECT_EQ(added, Node("x", "jit_f(9)"));
  EXPECT_NE(added, profile::kNone);
}

TEST_F(HloGraphTest, HostsShareAProgram) {
  HloModule module = Module();
  Append(module, Instruction(1, "x", "add"), {});
  module.buffers.push_back(
      {.size = 64, .instruction = 1, .instruction_name = {}});
  Add(module, "jit_f(7)", 7, /*input=*/0);
  graph_.BeginFile();
  Add(module, "jit_f(7)", 7, /*input=*/1);
  EXPECT_EQ(builder_.graph().nodes.size(), 1u);
  EXPECT_EQ(graph_.OutputBytes(Node("x")), 64);
  EXPECT_FALSE(log_.damaged());
}

TEST_F(HloGraphTest, ANameThatComesTwiceIsReported) {
  HloModule module = Module();
  Append(module, Instruction(1, "x", "add"), {});
  Append(module, Instruction(2, "x", "multiply"), {});
  Add(module);
  EXPECT_TRUE(log_.damaged());
  EXPECT_EQ(builder_.graph().nodes.size(), 1u);
}

}  // namespace
}  // namespace tfprof::xplane

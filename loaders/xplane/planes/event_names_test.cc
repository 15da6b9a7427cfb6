#include "loaders/xplane/planes/event_names.h"

#include "gtest/gtest.h"

namespace tfprof::xplane {
namespace {

TEST(KindOfEventTest, TfOpsRepeatTheirType) {
  EXPECT_EQ(KindOfEvent("a/b:MatMul", "MatMul"), EventKind::kTfOp);
  EXPECT_EQ(KindOfEvent("a/b:MatMul", ""), EventKind::kRange);
  EXPECT_EQ(KindOfEvent("Iterator::Prefetch::Generator", "Iterator::Generator"),
            EventKind::kRange);
  EXPECT_EQ(KindOfEvent(":MatMul", "MatMul"), EventKind::kRange);
}

TEST(KindOfEventTest, KnowsPythonAndMemory) {
  EXPECT_EQ(KindOfEvent("$a.py:1 f", ""), EventKind::kPython);
  EXPECT_EQ(KindOfEvent("MemoryAllocation", ""), EventKind::kMemory);
  EXPECT_EQ(KindOfEvent("MemoryDeallocation", ""), EventKind::kMemory);
}

TEST(KindOfEventTest, HidesMarksOfTheTracer) {
  EXPECT_EQ(KindOfEvent("end: dot.3", ""), EventKind::kHidden);
  EXPECT_EQ(KindOfEvent("ThreadpoolListener::Record", ""), EventKind::kHidden);
  EXPECT_EQ(KindOfEvent("ThreadpoolListener::Region", ""), EventKind::kRange);
  EXPECT_EQ(KindOfEvent("ending", ""), EventKind::kRange);
}

TEST(WithoutArgumentsTest, CutsThem) {
  EXPECT_EQ(WithoutArguments("f#a=1,b=2#"), "f");
  EXPECT_EQ(WithoutArguments("f"), "f");
  EXPECT_EQ(WithoutArguments("f#1"), "f#1");
  EXPECT_EQ(WithoutArguments("f#"), "f#");
  EXPECT_EQ(WithoutArguments("#a=1#"), "#a=1#");
}

TEST(WithoutNumberTest, CutsIt) {
  EXPECT_EQ(WithoutNumber("fusion.12"), "fusion");
  EXPECT_EQ(WithoutNumber("loop_add_fusion_3"), "loop_add_fusion");
  EXPECT_EQ(WithoutNumber("fusion"), "fusion");
  EXPECT_EQ(WithoutNumber("fusion."), "fusion.");
  EXPECT_EQ(WithoutNumber("conv2"), "conv2");
  EXPECT_EQ(WithoutNumber("_1"), "_1");
  EXPECT_EQ(WithoutNumber("12"), "12");
  EXPECT_EQ(WithoutNumber(""), "");
}

TEST(TfOpOfAnnotationTest, TakesTheInnermostOp) {
  const TfOpName op = TfOpOfAnnotation("a/b:Call#shape=(f[2:3])#::c/d:Mul");
  EXPECT_EQ(op.name, "c/d");
  EXPECT_EQ(op.type, "Mul");
}

TEST(TfOpOfAnnotationTest, IgnoresLevelsWithoutAnOp) {
  const TfOpName op = TfOpOfAnnotation("n/_3:_HostRecv#to=x#::#edge_name=e#");
  EXPECT_EQ(op.name, "n/_3");
  EXPECT_EQ(op.type, "_HostRecv");
  EXPECT_EQ(TfOpOfAnnotation("MakeTensorFromProto").type, "");
  EXPECT_EQ(TfOpOfAnnotation("XlaModule:").type, "");
  EXPECT_EQ(TfOpOfAnnotation("a:1 2").type, "");
  EXPECT_EQ(TfOpOfAnnotation("").type, "");
}

TEST(ParsePythonFrameTest, SplitsFileLineAndFunction) {
  const PythonFrame frame = ParsePythonFrame("$train.py:42 step");
  EXPECT_EQ(frame.file, "train.py");
  EXPECT_EQ(frame.line, 42);
  EXPECT_EQ(frame.function, "step");
}

TEST(ParsePythonFrameTest, FrozenModulesHaveBlanks) {
  const PythonFrame frame = ParsePythonFrame("$<frozen abc>:117 f");
  EXPECT_EQ(frame.file, "<frozen abc>");
  EXPECT_EQ(frame.line, 117);
}

TEST(ParsePythonFrameTest, FunctionsInCHaveNoLine) {
  const PythonFrame frame = ParsePythonFrame("$builtins len");
  EXPECT_EQ(frame.file, "builtins");
  EXPECT_EQ(frame.line, -1);
  EXPECT_EQ(frame.function, "len");
}

TEST(ParsePythonFrameTest, TakesAnything) {
  EXPECT_EQ(ParsePythonFrame("$").function, "");
  EXPECT_EQ(ParsePythonFrame("$f").function, "f");
  EXPECT_EQ(ParsePythonFrame("$a:99999999999 f").line, -1);
  EXPECT_EQ(ParsePythonFrame("$a:-1 f").line, -1);
}

TEST(ParseHloTextTest, FindsOpcodeAndName) {
  const HloText text = ParseHloText(
      "%copy-start.1 = (f32[5]{0:T(8)}, u32[]{:S(2)}) copy-start(f32[5] %p)");
  EXPECT_EQ(text.opcode, "copy-start");
  EXPECT_EQ(text.name, "copy-start.1");
  EXPECT_EQ(ParseHloText("%a = f32[2]{0} add(%b, %c)").opcode, "add");
}

TEST(ParseHloTextTest, OtherTextsHaveNone) {
  EXPECT_EQ(ParseHloText("jit_f(12)").opcode, "");
  EXPECT_EQ(ParseHloText("%a = f32[2]").opcode, "");
  EXPECT_EQ(ParseHloText("%a = f32[2] add").opcode, "");
  EXPECT_EQ(ParseHloText("").name, "");
}

TEST(ProgramIdOfTest, ReadsTheNumberAtTheEnd) {
  int64_t id = 0;
  EXPECT_TRUE(ProgramIdOf("jit_f(12190760917235803885)", id));
  EXPECT_EQ(static_cast<uint64_t>(id), 12190760917235803885u);
  EXPECT_FALSE(ProgramIdOf("jit_f", id));
  EXPECT_FALSE(ProgramIdOf("jit_f(x)", id));
  EXPECT_FALSE(ProgramIdOf("jit_f()", id));
  EXPECT_FALSE(ProgramIdOf("f(99999999999999999999)", id));
}

}  // namespace
}  // namespace tfprof::xplane

#include "loaders/onnx/onnx_names.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(OnnxPathTest, SlashesAtTheEndsMeanNothing) {
  EXPECT_THAT(OnnxPath("/layers.0/norm1/Mul/Fusion/"),
              ElementsAre("layers.0", "norm1", "Mul", "Fusion"));
  EXPECT_THAT(OnnxPath("a//b"), ElementsAre("a", "b"));
  EXPECT_THAT(OnnxPath("Conv_0"), ElementsAre("Conv_0"));
  EXPECT_THAT(OnnxPath("//"), IsEmpty());
}

TEST(OnnxScopeTest, NamesThatRepeatTheOneBefore) {
  EXPECT_THAT(
      OnnxScopeOfProperties("['', 'conv', 'conv.1', 'conv2d_1']", "unused"),
      ElementsAre("conv", "1"));
  EXPECT_THAT(OnnxScopeOfProperties("['', 'a', 'b.c', 'op']", ""),
              ElementsAre("a", "b.c"));
}

TEST(OnnxScopeTest, TheNamespace) {
  EXPECT_THAT(
      OnnxScopeOfProperties("",
                            ": pkg.Net/layer1: pkg.Seq/layer1.0: pkg.Block/"
                            "conv2d_1: aten.conv2d.default"),
      ElementsAre("layer1", "0"));
}

TEST(OnnxScopeTest, NothingSaid) {
  EXPECT_THAT(OnnxScopeOfProperties("", ""), IsEmpty());
  EXPECT_THAT(OnnxScopeOfProperties("['op']", ""), IsEmpty());
  EXPECT_THAT(OnnxScopeOfProperties("['unfinished", ""), IsEmpty());
}

TEST(PythonStackTest, FramesAndTheirSource) {
  const auto frames = ParsePythonStack(
      "File \"/src/net.py\", line 12, in forward\n"
      "    x = self.conv(x)\n"
      "  File \"/lib/conv.py\", line 548, in forward\n"
      "File \"<string>\", line 1, in <lambda>");
  ASSERT_THAT(frames, SizeIs(3));
  EXPECT_EQ(frames[0].file, "/src/net.py");
  EXPECT_EQ(frames[0].line, 12);
  EXPECT_EQ(frames[0].function, "forward");
  EXPECT_EQ(frames[0].source, "x = self.conv(x)");
  EXPECT_EQ(frames[1].line, 548);
  EXPECT_EQ(frames[1].source, "");
  EXPECT_EQ(frames[2].function, "<lambda>");
}

TEST(PythonStackTest, TextThatIsNoStack) {
  EXPECT_THAT(ParsePythonStack(""), IsEmpty());
  EXPECT_THAT(ParsePythonStack("Traceback\nFile \"x\n"), IsEmpty());
  const auto frames = ParsePythonStack("File \"x\", line many, in f");
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].line, -1);
}

}  // namespace
}  // namespace tfprof::onnx

#include "loaders/xplane/hlo/op_name_path.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::xplane {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(OpNamePartsTest, DividesAtSlashes) {
  EXPECT_THAT(OpNameParts("jit(f)/layer0/dot_general"),
              ElementsAre("jit(f)", "layer0", "dot_general"));
}

TEST(OpNamePartsTest, KeepsWhatIsInBrackets) {
  EXPECT_THAT(OpNameParts("jit(f)/(a/b:c/d)/x[0/1]"),
              ElementsAre("jit(f)", "(a/b:c/d)", "x[0/1]"));
  EXPECT_THAT(
      OpNameParts("jit(f)/transpose(jvp(a))/bqhd,bkhd->bhqk/dot"),
      ElementsAre("jit(f)", "transpose(jvp(a))", "bqhd,bkhd->bhqk", "dot"));
}

TEST(OpNamePartsTest, DividesAtEachSlashIfBracketsDoNotMatch) {
  EXPECT_THAT(OpNameParts("a(b/c"), ElementsAre("a(b", "c"));
  EXPECT_THAT(OpNameParts("a)b/(c"), ElementsAre("a)b", "(c"));
}

TEST(OpNamePartsTest, LeavesOutMainOfOldJax) {
  EXPECT_THAT(OpNameParts("jit(step)/jit(main)/add"),
              ElementsAre("jit(step)", "add"));
  EXPECT_THAT(OpNameParts("jit(step)/a/jit(main)/add"),
              ElementsAre("jit(step)", "a", "jit(main)", "add"));
  EXPECT_THAT(OpNameParts("scope/jit(main)/add"),
              ElementsAre("scope", "jit(main)", "add"));
}

TEST(OpNamePartsTest, CutsTheType) {
  EXPECT_THAT(OpNameParts("jit(f)/add:"), ElementsAre("jit(f)", "add"));
  EXPECT_THAT(OpNameParts("net/dense/MatMul:MatMul"),
              ElementsAre("net", "dense", "MatMul"));
  EXPECT_THAT(OpNameParts("a:b/c"), ElementsAre("a:b", "c"));
}

TEST(OpNamePartsTest, HasNoEmptyParts) {
  EXPECT_THAT(OpNameParts("//a//b/"), ElementsAre("a", "b"));
  EXPECT_THAT(OpNameParts(""), IsEmpty());
  EXPECT_THAT(OpNameParts(":"), IsEmpty());
}

TEST(ForwardOpNameTest, UnwrapsTranspose) {
  EXPECT_EQ(ForwardOpName(OpNameParts("jit(f)/transpose(jvp(mlp))/dot")),
            "jit(f)/jvp(mlp)/dot");
  EXPECT_EQ(ForwardOpName(OpNameParts("jit(f)/transpose(jvp())/dot")),
            "jit(f)/jvp()/dot");
}

TEST(ForwardOpNameTest, ForwardOperationsHaveNone) {
  EXPECT_EQ(ForwardOpName(OpNameParts("jit(f)/jvp(mlp)/transpose")), "");
  EXPECT_EQ(ForwardOpName(OpNameParts("jit(f)/transpose()/x")), "");
  EXPECT_EQ(ForwardOpName({}), "");
}

TEST(ForwardOpNameTest, KnowsTheGradientTape) {
  EXPECT_EQ(ForwardOpName(OpNameParts("gradient_tape/net/dense/MatMul/MatMul")),
            "net/dense/MatMul");
  EXPECT_EQ(ForwardOpName(OpNameParts("gradient_tape/net")), "");
}

}  // namespace
}  // namespace tfprof::xplane

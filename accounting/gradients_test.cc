#include "accounting/gradients.h"

#include "gtest/gtest.h"

namespace tfprof::accounting {
namespace {

TEST(GradientsTest, TheForwardNameIsBetweenPrefixAndSuffix) {
  EXPECT_EQ(ForwardName("gradients/conv1_grad/Shape"), "conv1");
  EXPECT_EQ(ForwardName("gradients/tower/conv1_grad/a/b"), "tower/conv1");
  EXPECT_EQ(ForwardName("tower_0/gradients/conv1_grad/Shape"), "conv1");
}

TEST(GradientsTest, OtherNamesAreNotGradients) {
  EXPECT_EQ(ForwardName(""), "");
  EXPECT_EQ(ForwardName("conv1"), "");
  EXPECT_EQ(ForwardName("gradients/conv1"), "");
  EXPECT_EQ(ForwardName("gradients/conv1_grad"), "");
  EXPECT_EQ(ForwardName("conv1_grad/Shape"), "");
  EXPECT_EQ(ForwardName("gradients/_grad/Shape"), "");
}

TEST(GradientsTest, ASuffixBeforeThePrefixIsIgnored) {
  EXPECT_EQ(ForwardName("a_grad/gradients/b"), "b");
}

}  // namespace
}  // namespace tfprof::accounting

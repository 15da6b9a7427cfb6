#include "inspect/nodes/find_node.h"

#include <string>
#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::HasSubstr;
using FindNodeTest = SmallModelTest;

TEST_F(FindNodeTest, ANameInFullIsFoundFromAnywhere) {
  EXPECT_EQ(*FindNode(views_, {}, "DW/read"), Node("DW/read"));
  EXPECT_EQ(*FindNode(views_, At("DW"), "DW2/read"), Node("DW2/read"));
}

TEST_F(FindNodeTest, ANameBelowThePlaceComesFirst) {
  EXPECT_EQ(*FindNode(views_, At("DW"), "read"), Node("DW/read"));
  EXPECT_EQ(*FindNode(views_, At("DW2"), "read"), Node("DW2/read"));
}

TEST_F(FindNodeTest, ASlashInFrontMeansTheNameInFull) {
  EXPECT_EQ(*FindNode(views_, At("DW"), "/zeros"), Node("zeros"));
  EXPECT_FALSE(FindNode(views_, At("DW"), "/read").ok());
}

TEST_F(FindNodeTest, TensorsAndControlInputsMeanTheirNode) {
  EXPECT_EQ(*FindNode(views_, {}, "zeros:0"), Node("zeros"));
  EXPECT_EQ(*FindNode(views_, {}, "^zeros"), Node("zeros"));
  EXPECT_EQ(*FindNode(views_, At("DW"), "read:12"), Node("DW/read"));
  EXPECT_FALSE(FindNode(views_, {}, "zeros:").ok());
  EXPECT_FALSE(FindNode(views_, {}, "zeros:x").ok());
}

TEST_F(FindNodeTest, AScopeIsNotANode) {
  EXPECT_EQ(Message(FindNode(views_, {}, "DW/Initializer").status()),
            "DW/Initializer is a scope, not a node; ls /DW/Initializer lists "
            "its contents");
  EXPECT_THAT(Message(FindNode(views_, At("DW"), "Initializer").status()),
              HasSubstr("DW/Initializer is a scope"));
}

TEST_F(FindNodeTest, AnUnknownNameIsAnErrorWithTheNearest) {
  const absl::Status status = FindNode(views_, {}, "Conv2d").status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(Message(status),
            "no node Conv2d; did you mean Conv2D or Conv2D_1?");
}

TEST_F(FindNodeTest, AShortenedNameIsTheNodeThatItShortens) {
  EXPECT_EQ(*FindNode(views_, {}, "…W2/read"), Node("DW2/read"));
  EXPECT_EQ(*FindNode(views_, {}, "DW2...ad"), Node("DW2/read"));
  EXPECT_EQ(*FindNode(views_, {}, "D…2/r…d"), Node("DW2/read"));
  EXPECT_TRUE(absl::IsNotFound(FindNode(views_, {}, "…x2/read").status()));
  EXPECT_TRUE(absl::IsNotFound(FindNode(views_, {}, "DW2/read…d").status()));
  EXPECT_THAT(Message(FindNode(views_, {}, "…/read").status()),
              HasSubstr("3 nodes are called …/read: "));
}

TEST_F(FindNodeTest, AnEmptyNameIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(FindNode(views_, {}, "").status()));
  EXPECT_TRUE(absl::IsNotFound(FindNode(views_, {}, "/").status()));
  EXPECT_TRUE(absl::IsNotFound(FindNode(views_, {}, "^").status()));
}

TEST(FindNodeInSmallGraphsTest, AnExactNameComesBeforeATensor) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::NodeId plain = builder.AddNode("x", "A", profile::kNoRecord);
  const profile::NodeId colon = builder.AddNode("x:0", "A", profile::kNoRecord);
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  EXPECT_EQ(*FindNode(views, {}, "x:0"), colon);
  EXPECT_EQ(*FindNode(views, {}, "x:1"), plain);
}

TEST(FindNodeInSmallGraphsTest, AKernelIsFoundByTheNameThatTablesShow) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::NodeId fill = builder.AddNode("void ns::fill<float>(float*)",
                                               "fill", profile::kNoRecord);
  const profile::NodeId scan = builder.AddNode("layer/void ns::scan<int>(int*)",
                                               "scan", profile::kNoRecord);
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  for (const std::string_view name : {"fill", "fill [float]", "f…l"}) {
    EXPECT_EQ(*FindNode(views, {}, name), fill) << name;
  }
  for (const std::string_view name : {"scan", "layer/scan", "lay…an"}) {
    EXPECT_EQ(*FindNode(views, {}, name), scan) << name;
  }
  EXPECT_TRUE(absl::IsNotFound(FindNode(views, {}, "ill").status()));
}

TEST(FindNodeInSmallGraphsTest, AnEmptyProfileHasNoNode) {
  const profile::Profile profile;
  views::Views views(profile);
  EXPECT_EQ(Message(FindNode(views, {}, "x").status()), "no node x");
}

}  // namespace
}  // namespace tfprof::inspect

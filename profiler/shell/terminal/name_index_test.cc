#include "profiler/shell/terminal/name_index.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::shell {
namespace {
namespace name_index_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

using Kind = NameIndex::Kind;

profile::Profile NamesProfile() {
  profile::ProfileBuilder builder;
  for (const char* name : {"net/unit_1/conv", "net/unit_1/relu",
                           "net/unit_2/conv", "net/unit_1", "loss"}) {
    profile::AddNodeWithInputs(
        builder, name, name[0] == 'l' ? "SoftmaxLoss" : "Conv2D", {}, {1});
  }
  return std::move(builder).Build();
}

// The answers must be the same while names are scanned and when they are
// sorted: the parameter says whether Prepare() is called.
class NameIndexTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) names_.Prepare();
  }
  std::vector<std::string> Complete(Kind kind, std::string_view stem) {
    return names_.Complete(kind, stem, 10).names;
  }

  const profile::Profile profile_ = NamesProfile();
  NameIndex names_{profile_};
};

INSTANTIATE_TEST_SUITE_P(ScannedAndSorted, NameIndexTest, testing::Bool());

TEST_P(NameIndexTest, NodesAreCompletedPartByPart) {
  EXPECT_THAT(Complete(Kind::kNodes, ""), ElementsAre("loss", "net/"));
  EXPECT_THAT(Complete(Kind::kNodes, "net/"),
              ElementsAre("net/unit_1", "net/unit_1/", "net/unit_2/"));
  EXPECT_THAT(Complete(Kind::kNodes, "net/unit_1/"),
              ElementsAre("net/unit_1/conv", "net/unit_1/relu"));
  EXPECT_THAT(Complete(Kind::kNodes, "nothing"), IsEmpty());
}

TEST_P(NameIndexTest, ScopesAreNodesWithNodesBelow) {
  EXPECT_THAT(Complete(Kind::kScopes, "net/"),
              ElementsAre("net/unit_1/", "net/unit_2/"));
  EXPECT_THAT(Complete(Kind::kScopes, "loss"), IsEmpty());
}

TEST_P(NameIndexTest, AnywhereCompletesPartsOfNames) {
  const auto parts = [&](std::string_view stem) {
    return names_.Complete(Kind::kNodes, stem, 10, /*anywhere=*/true).names;
  };
  EXPECT_THAT(parts("unit"), ElementsAre("unit_1", "unit_2"));
  // Each part once, though two scopes have it.
  EXPECT_THAT(parts("con"), ElementsAre("conv"));
}

TEST_P(NameIndexTest, TheLimitCutsTheListAndNotTheTotal) {
  const NameMatches matches = names_.Complete(Kind::kNodes, "net/", 1);
  EXPECT_THAT(matches.names, ElementsAre("net/unit_1"));
  EXPECT_EQ(matches.total, 3u);
  EXPECT_EQ(matches.common, "net/unit_");
}

TEST_P(NameIndexTest, NearestCorrectsOnePartOfAPath) {
  EXPECT_THAT(names_.Nearest(Kind::kNodes, "los"), ElementsAre("loss"));
  EXPECT_THAT(names_.Nearest(Kind::kNodes, "nte/unit_2/conv"),
              ElementsAre("net/unit_2/conv"));
  EXPECT_THAT(names_.Nearest(Kind::kNodes, "net/unit_1/rleu"),
              ElementsAre("net/unit_1/relu"));
  EXPECT_THAT(names_.Nearest(Kind::kNodes, "something/else"), IsEmpty());
}

TEST_P(NameIndexTest, ANodeAndAScopeOfOneNameAreSuggestedOnce) {
  EXPECT_THAT(names_.Nearest(Kind::kNodes, "net/unti_1"),
              ElementsAre("net/unit_1"));
}

TEST_P(NameIndexTest, FirstWithFindsTheFirstNameThatContainsAText) {
  EXPECT_EQ(names_.FirstWith(Kind::kNodes, "conv"), "net/unit_1/conv");
  EXPECT_EQ(names_.FirstWith(Kind::kNodes, "unit_2/c"), "net/unit_2/conv");
  EXPECT_EQ(names_.FirstWith(Kind::kNodes, "conv2d"), "");
  EXPECT_EQ(names_.FirstWith(Kind::kTypes, "max"), "SoftmaxLoss");
}

TEST_P(NameIndexTest, TypesHaveNoParts) {
  EXPECT_THAT(Complete(Kind::kTypes, ""), ElementsAre("Conv2D", "SoftmaxLoss"));
  EXPECT_THAT(names_.Nearest(Kind::kTypes, "Cnov2D"), ElementsAre("Conv2D"));
}

TEST_P(NameIndexTest, AnEmptyProfileHasNoNames) {
  const profile::Profile empty;
  NameIndex names(empty);
  if (GetParam()) names.Prepare();
  for (const Kind kind :
       {Kind::kNodes, Kind::kScopes, Kind::kTypes, Kind::kCode}) {
    EXPECT_EQ(names.Complete(kind, "", 10).total, 0u);
    EXPECT_THAT(names.Nearest(kind, "x"), IsEmpty());
    EXPECT_EQ(names.FirstWith(kind, ""), "");
  }
}

TEST(NameIndexKindsTest, DevicesAreTypesWithShortNames) {
  const profile::Profile profile = accounting::SmallModel();
  NameIndex names(profile);
  EXPECT_THAT(names.Complete(Kind::kTypes, "/job", 10).names,
              Contains("/job:localhost/replica:0/task:0/gpu:0"));
  EXPECT_THAT(names.Complete(Kind::kTypes, "gpu", 10, /*anywhere=*/true).names,
              Contains("gpu:0"));
}

TEST(NameIndexKindsTest, RowsOfCodeHaveFileLineAndFunction) {
  const profile::Profile profile = accounting::ShapedModel();
  NameIndex names(profile);
  EXPECT_EQ(NameIndex::SeparatorOf(Kind::kCode), ':');
  EXPECT_THAT(names.Complete(Kind::kCode, "train.py:", 10).names,
              UnorderedElementsAre("train.py:10:", "train.py:11:",
                                   "train.py:20:", "train.py:3:"));
  EXPECT_THAT(names.Complete(Kind::kCode, "train.py:20:", 10).names,
              ElementsAre("train.py:20:train"));
  EXPECT_THAT(names.Nearest(Kind::kCode, "trian.py:3:init"),
              ElementsAre("train.py:3:init"));
}

TEST(NameIndexKindsTest, NamesAreThoseThatViewsShow) {
  const profile::Profile profile = accounting::ShapedModel();
  NameIndex names(profile);
  // With modules, and with scopes that are no paths.
  EXPECT_THAT(names.Complete(Kind::kNodes, "jit_init/", 10).names,
              ElementsAre("jit_init/fusion.1"));
  EXPECT_THAT(names.Complete(Kind::kScopes, "jit(step)/v", 10).names,
              ElementsAre("jit(step)/vmap(a/"));
  EXPECT_THAT(names.Nearest(Kind::kNodes, "lauhcn"), ElementsAre("launch"));
  EXPECT_EQ(names.FirstWith(Kind::kNodes, "init/fusion"), "jit_init/fusion.1");
}

TEST(NameIndexKindsTest, PrepareMayBeCalledTwice) {
  const profile::Profile profile = NamesProfile();
  NameIndex names(profile);
  names.Prepare();
  names.Prepare();
  EXPECT_EQ(names.Complete(Kind::kNodes, "", 10).total, 2u);
  EXPECT_EQ(&names.profile(), &profile);
}

}  // namespace name_index_test
}  // namespace
}  // namespace tfprof::shell

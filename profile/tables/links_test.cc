#include "profile/tables/links.h"

#include <vector>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

TEST(LinksTest, NoLinksTakeNoMemory) {
  const Links links;
  EXPECT_EQ(links.size(), 0u);
  EXPECT_EQ(links.bytes(), 0u);
}

TEST(LinksTest, RowsAreWhatWasGiven) {
  const std::vector<Link> given = {
      {{-3, 7}, {-3, 9}, LinkKind::kLaunch},
      {{0, 0xfffffffe}, {int64_t{1} << 40, 0}, LinkKind::kTransfer},
  };
  const Links links(given);
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[0], given[0]);
  EXPECT_EQ(links[1], given[1]);
}

TEST(LinksTest, LinksOfOneStepTakeTheBytesOfTheirIndexes) {
  std::vector<Link> given;
  for (uint32_t i = 0; i < 200; ++i) {
    given.push_back({{5, i}, {5, i + 200}, LinkKind::kData});
  }
  EXPECT_EQ(Links(given).bytes(), 2 * given.size());
}

TEST(LinksTest, KindsHaveNames) {
  EXPECT_EQ(LinkKindName(LinkKind::kLaunch), "launch");
  EXPECT_EQ(LinkKindName(LinkKind::kTransfer), "transfer");
  EXPECT_EQ(LinkKindName(LinkKind::kGradient), "gradient");
  EXPECT_EQ(LinkKindName(LinkKind::kData), "data");
}

TEST(LinksTest, LinksAreOrderedByFromThenToThenKind) {
  const Link link = {{1, 5}, {1, 6}, LinkKind::kTransfer};
  EXPECT_LT(link, (Link{{2, 0}, {0, 0}, LinkKind::kLaunch}));
  EXPECT_LT(link, (Link{{1, 6}, {0, 0}, LinkKind::kLaunch}));
  EXPECT_LT(link, (Link{{1, 5}, {1, 7}, LinkKind::kLaunch}));
  EXPECT_LT(link, (Link{{1, 5}, {1, 6}, LinkKind::kData}));
}

}  // namespace
}  // namespace tfprof::profile

#include "advisor/checker.h"

#include "gtest/gtest.h"

namespace tfprof::advisor {
namespace {

constexpr CheckerOption kOptions[] = {
    {"limit", 0.5, "share", "Below it something is idle."},
    {"count", 3, "count", "So many."},
};

TEST(CheckerSettingsTest, AnOptionHasItsDefaultUntilItIsSet) {
  const CheckerSettings settings(kOptions, {{"limit", 0.8}});
  EXPECT_EQ(settings.Get("limit"), 0.8);
  EXPECT_EQ(settings.Get("count"), 3);
  EXPECT_EQ(CheckerSettings(kOptions).Get("limit"), 0.5);
}

TEST(CheckerSettingsTest, ZeroIsAValueToo) {
  EXPECT_EQ(CheckerSettings(kOptions, {{"count", 0}}).Get("count"), 0);
}

TEST(FindingTest, OnlyFindingsWithATextOfOurOwnAreReported) {
  Finding finding;
  EXPECT_FALSE(finding.IsReported());
  finding.text = "slow";
  EXPECT_TRUE(finding.IsReported());
  finding.reference_text_only = true;
  EXPECT_FALSE(finding.IsReported());
}

}  // namespace
}  // namespace tfprof::advisor

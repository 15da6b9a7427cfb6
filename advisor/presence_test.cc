#include "advisor/presence.h"

#include "gtest/gtest.h"

namespace tfprof::advisor {
namespace {

TEST(PresenceTest, ShareOfNothingIsNothing) {
  EXPECT_EQ(Share(1, 4), 0.25);
  EXPECT_EQ(Share(4, 4), 1);
  EXPECT_EQ(Share(0, 0), 0);
}

TEST(PresenceTest, SomeIsForInformation) {
  const Finding f = PresenceFinding("shapes", 1, 4, "1 of 4", "do it");
  EXPECT_EQ(f.rule, "shapes");
  EXPECT_EQ(f.severity, Finding::Severity::kInfo);
  EXPECT_EQ(f.value, 0.25);
  EXPECT_EQ(f.text, "1 of 4");
  EXPECT_EQ(f.advice, "");
}

TEST(PresenceTest, NoneIsAWarning) {
  const Finding f = PresenceFinding("shapes", 0, 4, "0 of 4", "do it");
  EXPECT_EQ(f.severity, Finding::Severity::kWarning);
  EXPECT_EQ(f.value, 0);
  EXPECT_EQ(f.text, "0 of 4");
  EXPECT_EQ(f.advice, "do it");
}

}  // namespace
}  // namespace tfprof::advisor

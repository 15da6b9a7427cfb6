#include "server/http/rate_limit.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::server {
namespace {

TEST(RateLimitTest, ABurstAndThenARate) {
  RateLimit limit(2, 3);
  EXPECT_TRUE(limit.Admit("a", 100));
  EXPECT_TRUE(limit.Admit("a", 100));
  EXPECT_TRUE(limit.Admit("a", 100));
  EXPECT_FALSE(limit.Admit("a", 100));
  EXPECT_TRUE(limit.Admit("a", 100.5));
  EXPECT_FALSE(limit.Admit("a", 100.5));
}

TEST(RateLimitTest, AddressesDoNotShare) {
  RateLimit limit(1, 1);
  EXPECT_TRUE(limit.Admit("a", 0));
  EXPECT_TRUE(limit.Admit("b", 0));
  EXPECT_FALSE(limit.Admit("a", 0));
}

TEST(RateLimitTest, TooManyAddressesShare) {
  RateLimit limit(1, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(limit.Admit(std::to_string(i), 0));
  EXPECT_TRUE(limit.Admit("x", 0));
  EXPECT_FALSE(limit.Admit("y", 0));
  // Addresses are forgotten when their buckets are full.
  EXPECT_TRUE(limit.Admit("z", 10));
  EXPECT_TRUE(limit.Admit("y", 10));
}

}  // namespace
}  // namespace tfprof::server

#include "util/natural_order.h"

#include "gtest/gtest.h"

namespace tfprof {
namespace {

TEST(NaturalLessTest, NumbersByValue) {
  EXPECT_TRUE(NaturalLess("x_2", "x_10"));
  EXPECT_FALSE(NaturalLess("x_10", "x_2"));
  EXPECT_TRUE(NaturalLess("x", "x_1"));
  EXPECT_FALSE(NaturalLess("x_01", "x_1"));
  EXPECT_FALSE(NaturalLess("x_1", "x_01"));
  EXPECT_TRUE(NaturalLess("x_99999999999999999998", "x_99999999999999999999"));
}

TEST(NaturalLessTest, WhatIsNoNumberByByte) {
  EXPECT_TRUE(NaturalLess("a", "b"));
  EXPECT_TRUE(NaturalLess("Z", "a"));
  EXPECT_TRUE(NaturalLess("z", "\xc3\xa4"));
  EXPECT_TRUE(NaturalLess("1", "a"));
  EXPECT_FALSE(NaturalLess("", ""));
}

}  // namespace
}  // namespace tfprof

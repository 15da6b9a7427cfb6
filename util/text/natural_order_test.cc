#include "util/text/natural_order.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::util {
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

TEST(NaturalLessTest, ZerosInFrontDoNotCount) {
  EXPECT_TRUE(NaturalLess("x_01", "x_2"));
  EXPECT_TRUE(NaturalLess("x_1a", "x_01b"));
  EXPECT_TRUE(NaturalLess("x_000", "x_1"));
  EXPECT_FALSE(NaturalLess("x_000", "x_0"));
  EXPECT_FALSE(NaturalLess("x_0", "x_000"));
}

TEST(NaturalLessTest, APrefixComesFirst) {
  EXPECT_TRUE(NaturalLess("", "a"));
  EXPECT_TRUE(NaturalLess("a1", "a1b"));
  EXPECT_FALSE(NaturalLess("a1b", "a1"));
  EXPECT_TRUE(NaturalLess("a", "a0"));
}

// Sorting needs a strict weak order.
TEST(NaturalLessTest, TheOrderIsConsistent) {
  std::vector<std::string> names;
  for (const char* front : {"", "a", "a0", "0", "00", "1", "9", "10"}) {
    for (const char* back : {"", "a", "_", "0", "01", "2"}) {
      names.push_back(std::string(front) + back);
    }
  }
  const auto equal = [](const std::string& a, const std::string& b) {
    return !NaturalLess(a, b) && !NaturalLess(b, a);
  };
  for (const std::string& a : names) {
    EXPECT_FALSE(NaturalLess(a, a)) << a;
    for (const std::string& b : names) {
      EXPECT_FALSE(NaturalLess(a, b) && NaturalLess(b, a)) << a << " " << b;
      for (const std::string& c : names) {
        if (NaturalLess(a, b) && NaturalLess(b, c)) {
          EXPECT_TRUE(NaturalLess(a, c)) << a << " " << b << " " << c;
        }
        if (equal(a, b) && equal(b, c)) {
          EXPECT_TRUE(equal(a, c)) << a << " " << b << " " << c;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tfprof::util

#include "tables/tensor_text.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::tables {
namespace {

using ::testing::EndsWith;
using ::testing::SizeIs;

constexpr char kOmitted[] = "...omitted from display\n\n";

profile::TensorValue Doubles(std::vector<int64_t> shape,
                             std::vector<double> values) {
  profile::TensorValue tensor;
  tensor.shape = std::move(shape);
  tensor.doubles = std::move(values);
  return tensor;
}

profile::TensorValue Ints(std::vector<int64_t> shape,
                          std::vector<int64_t> values) {
  profile::TensorValue tensor;
  tensor.shape = std::move(shape);
  tensor.ints = std::move(values);
  return tensor;
}

profile::TensorValue Strings(std::vector<std::string> values) {
  profile::TensorValue tensor;
  tensor.shape = {static_cast<int64_t>(values.size())};
  tensor.strings = std::move(values);
  return tensor;
}

TEST(TensorTextTest, ScalarAndVector) {
  EXPECT_EQ(TensorText(Doubles({}, {-2.25})), "[-2.25 ],\n");
  EXPECT_EQ(TensorText(Ints({2}, {7, -7})), "[7 -7 ],\n");
  EXPECT_EQ(TensorText(Ints({1}, {std::numeric_limits<int64_t>::min()})),
            "[-9223372036854775808 ],\n");
}

TEST(TensorTextTest, BracketsNest) {
  EXPECT_EQ(TensorText(Doubles({2, 2}, {1.5, -2.25, 1e-7, 123456789})),
            "[[1.50 -2.25 ],\n[0.00 123457000.00 ],\n],\n");
  EXPECT_EQ(TensorText(Ints({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})),
            "[[[1 2 ],\n[3 4 ],\n],\n[[5 6 ],\n[7 8 ],\n],\n],\n");
}

TEST(TensorTextTest, RoundsToSixDigitsBeforeTwoDecimals) {
  EXPECT_EQ(TensorText(Doubles(
                {4}, {1234567.8, -35000000000.0, 0.0049999999, 99999.951})),
            "[1234570.00 -35000000000.00 0.01 100000.00 ],\n");
  EXPECT_EQ(TensorText(Doubles({1}, {std::numeric_limits<double>::max()})),
            fmt::format("[{:.2f} ],\n", 1.79769e308));
  EXPECT_EQ(
      TensorText(Doubles({1}, {std::numeric_limits<double>::denorm_min()})),
      "[0.00 ],\n");
}

TEST(TensorTextTest, NotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(TensorText(Doubles({4}, {inf, -inf, nan, -0.0})),
            "[inf -inf nan -0.00 ],\n");
}

TEST(TensorTextTest, Empty) {
  EXPECT_EQ(TensorText(Doubles({0, 3}, {})), "[],\n");
  EXPECT_EQ(TensorText(Doubles({2, 0}, {})), "[[],\n[],\n],\n");
  EXPECT_EQ(TensorText(Ints({}, {})), "[],\n");
}

TEST(TensorTextTest, Strings) {
  EXPECT_EQ(TensorText(Strings({"a", "", "it's \\ 'b"})),
            "['a' '' 'it's \\ 'b' ],\n");
}

TEST(TensorTextTest, StringsCanNotControlTheTerminal) {
  EXPECT_EQ(TensorText(Strings({"\x1b[2J\n\x7f"})),
            "['\\x1b[2J\\x0a\\x7f' ],\n");
  const std::string valid = "\u00e4\u20ac\U0001f600";
  EXPECT_EQ(TensorText(Strings({valid})), "['" + valid + "' ],\n");
  // A control character as UTF-8, a lone byte, an overlong form, a surrogate, a
  // truncated sequence.
  EXPECT_EQ(TensorText(Strings(
                {"\u0085", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x82"})),
            "['\\xc2\\x85' '\\xff' '\\xc0\\xaf' '\\xed\\xa0\\x80' "
            "'\\xe2\\x82' ],\n");
}

// A vector of n ones takes "[", 2n bytes and "],\n".
TEST(TensorTextTest, LimitCountsTheLastBracket) {
  const auto text = [](int64_t n) {
    return TensorText(Ints({n}, std::vector<int64_t>(n, 1)));
  };
  EXPECT_THAT(text(4997), SizeIs(9998));
  EXPECT_THAT(text(4997), EndsWith("1 ],\n"));
  // 10000 bytes: nothing is cut, but the remark appears anyway.
  EXPECT_THAT(text(4998), SizeIs(10000 + sizeof(kOmitted) - 1));
  EXPECT_THAT(text(4998), EndsWith(std::string("1 ],\n") + kOmitted));
}

TEST(TensorTextTest, CutsLongText) {
  const std::string text =
      TensorText(Ints({5000}, std::vector<int64_t>(5000, 1)));
  std::string expected = "[";
  while (expected.size() < 10000) expected += "1 ";
  expected.resize(10000);
  EXPECT_EQ(text, expected + "],\n" + kOmitted);
}

TEST(TensorTextTest, CutsNestedTextToOneBracket) {
  const std::vector<int64_t> ones(12000, 1);
  std::string expected = "[";
  for (int row = 0; row < 3; ++row) {
    expected += '[';
    for (int i = 0; i < 4000; ++i) expected += "1 ";
    expected += "],\n";
  }
  expected.resize(10000);
  EXPECT_EQ(TensorText(Ints({3, 4000}, ones)), expected + "],\n" + kOmitted);
}

TEST(TensorTextTest, CostDoesNotGrowWithTheShape) {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(TensorText(Doubles({huge, 0}, {})), EndsWith(kOmitted));
  EXPECT_THAT(TensorText(Doubles(std::vector<int64_t>(1 << 20, 1), {1})),
              EndsWith(kOmitted));
  EXPECT_THAT(TensorText(Strings({std::string(50 << 20, 'x')})),
              SizeIs(10000 + 3 + sizeof(kOmitted) - 1));
}

TEST(TensorTextTest, FewerValuesThanTheShapeSays) {
  EXPECT_EQ(TensorText(Ints({2, 2}, {1, 2, 3})), "[[1 2 ],\n[3 ],\n");
}

TEST(TensorTextTest, Huge) {
  EXPECT_FALSE(IsHugeTensor(Ints({100000}, std::vector<int64_t>(100000))));
  EXPECT_TRUE(IsHugeTensor(Ints({100001}, std::vector<int64_t>(100001))));
  EXPECT_TRUE(IsHugeTensor(Doubles({100001}, std::vector<double>(100001))));
}

}  // namespace
}  // namespace tfprof::tables

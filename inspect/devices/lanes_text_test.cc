// The picture of a chart that is made by hand; lanes_test.cc has those of
// profiles.

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/devices/lanes.h"
#include "util/text/ansi.h"

namespace tfprof::inspect {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// 100 us: communication, then copies, then computing, each for a quarter, and
// nothing.
LaneChart Made() {
  LaneChart chart;
  chart.ticks_per_micro = 1;
  chart.step = 4;
  chart.length = 100;
  chart.devices = {{.name = "gpu:0",
                    .accelerator = true,
                    .busy = 75,
                    .work = {{0, 75}},
                    .compute = {{50, 75}},
                    .communication = {{0, 25}},
                    .copies = {{25, 50}},
                    .recorded = {{0, 100}}}};
  return chart;
}

std::string Line(const std::string& text, std::string_view begin) {
  size_t at = 0;
  while (at < text.size() && !text.substr(at).starts_with(begin)) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  return text.substr(at, text.find('\n', at) - at);
}

TEST(LanesTextTest, KindsOfWorkAreLettersWithoutColor) {
  const std::string text =
      LanesText(Made(), {.width = 80, .height = 24, .unicode = false});
  EXPECT_THAT(Line(text, "gpu:0"), AllOf(HasSubstr("|NNN"), HasSubstr("NCC"),
                                         HasSubstr("C%%"), HasSubstr("  75%")));
  EXPECT_THAT(text, HasSubstr("mostly n communication, c copies"));
  LaneChart chart = Made();
  chart.devices[0].communication.clear();
  EXPECT_THAT(LanesText(chart, {.width = 80, .unicode = false}),
              HasSubstr("; mostly c copies (capital: over half)"));
}

TEST(LanesTextTest, KindsOfWorkHaveColors) {
  const std::string text =
      LanesText(Made(), {.width = 80, .height = 24, .color = true});
  for (const std::string_view color :
       {util::kMagenta, util::kCyan, util::kGreen}) {
    EXPECT_THAT(Line(text, std::string(util::kBold) + "gpu:0"),
                HasSubstr(color));
  }
  EXPECT_THAT(text, Not(HasSubstr("mostly")));
  EXPECT_THAT(LanesText(Made(), {.width = 80}), Not(HasSubstr("\x1b")));
}

TEST(LanesTextTest, LanesThatDoNotFitAreCountedWithTheirTime) {
  LaneChart chart = Made();
  for (int i = 0; i < 30; ++i) {
    chart.devices[0].lanes.push_back(
        {.name = "stream " + std::to_string(i), .busy = {{i, i + 10}}});
  }
  const std::string text = LanesText(chart, {.width = 80, .height = 24});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
  // The device, three kinds of its work, and nine lanes.
  EXPECT_THAT(text, AllOf(HasSubstr("stream 8 "), Not(HasSubstr("stream 9 ")),
                          HasSubstr("+ 21 lanes (210us); lanes DEVICE")));
  EXPECT_THAT(LanesText(chart, {.width = 80}), HasSubstr("stream 29"))
      << "no window: all of them";
}

TEST(LanesTextTest, GapsNameTheirDeviceWhereThereAreSeveral) {
  LaneChart chart = Made();
  chart.num_gaps = 1234;
  chart.gaps = {{.device = 0, .start = 75, .length = 25, .before = "gemm"}};
  EXPECT_THAT(
      LanesText(chart, {.width = 80}),
      AllOf(HasSubstr("Longest of 1.23k gaps:\n"), HasSubstr("25us at 75us"),
            HasSubstr(" after gemm, before the end\n")));
  chart.devices.push_back({.name = "gpu:1", .recorded = {{0, 100}}});
  chart.gaps[0] = {.device = 1, .start = 0, .length = 9, .after = "conv"};
  EXPECT_THAT(LanesText(chart, {.width = 80}),
              HasSubstr("gpu:1: after the start, before conv\n"));
}

TEST(LanesTextTest, TheOnlyStepIsMarkedWhereItIsNotAllOfThePicture) {
  LaneChart chart = Made();
  chart.marks = {{.step = 4, .start = 0, .end = 100}};
  EXPECT_EQ(Line(LanesText(chart, {.width = 80}), "steps"), "");
  chart.marks[0].end = 50;
  EXPECT_THAT(Line(LanesText(chart, {.width = 80}), "steps"),
              AllOf(HasSubstr("▏4"), HasSubstr("▕")));
}

}  // namespace
}  // namespace tfprof::inspect

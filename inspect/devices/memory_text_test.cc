// The picture of a chart that is made by hand; memory_test.cc has those of
// profiles.

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/devices/memory.h"
#include "util/text/ansi.h"

namespace tfprof::inspect {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A level that rises to 1000 bytes in step 7; of them 10 are of the first
// holder, 11 of the second and so on.
MemoryChart MadeChart(int holders = 2) {
  MemoryChart chart;
  chart.step = accounting::kAllSteps;
  chart.length = 100;
  MemoryChart::Series& series = chart.series.emplace_back();
  series.name = "gpu:0";
  series.samples = {{0, 500}, {50, 1000}, {90, 100}};
  series.peak = 1000;
  series.peak_time = 50;
  series.peak_step = 7;
  for (int i = 0; i < holders; ++i) {
    series.holders.push_back({"op" + std::to_string(i), 10 + i});
  }
  return chart;
}

TEST(MemoryTextTest, ThePeakHasItsTimeAndItsStep) {
  MemoryChart chart = MadeChart();
  EXPECT_THAT(MemoryText(chart, {.width = 80}),
              HasSubstr("gpu:0: peak 1.00KB at 50us (step 7)\n"));
  chart.step = 7;
  EXPECT_THAT(MemoryText(chart, {.width = 80}),
              HasSubstr("gpu:0: peak 1.00KB at 50us\n"))
      << "nothing else is shown";
  chart.series[0].peak_time.reset();
  EXPECT_THAT(MemoryText(chart, {.width = 80}),
              HasSubstr("gpu:0: peak 1.00KB\n"));
}

TEST(MemoryTextTest, WhatHeldItAddsUp) {
  MemoryChart chart = MadeChart(20);
  chart.series[0].from_start = 300;
  chart.series[0].unknown = 405;
  const std::string text = MemoryText(chart, {.width = 80});
  EXPECT_THAT(text, HasSubstr("Held at the peak by:\n        10B    1.0%  op0\n"
                              "        11B    1.1%  op1\n"));
  EXPECT_THAT(text,
              HasSubstr("       282B   28.2%  + 12 others\n"
                        "       300B   30.0%  in use at the beginning\n"
                        "       405B   40.5%  held by no recorded operation"));
  chart.series[0].raised = true;
  EXPECT_THAT(MemoryText(chart, {.width = 80}),
              AllOf(HasSubstr("Operations that raised it to the peak"),
                    HasSubstr("raised outside of recorded operations")));
}

TEST(MemoryTextTest, WithoutHoldersItSaysSo) {
  MemoryChart chart = MadeChart(0);
  chart.series[0].unknown = 1000;
  EXPECT_THAT(MemoryText(chart, {.width = 80}),
              AllOf(HasSubstr("The recording does not contain its holders.\n"),
                    Not(HasSubstr("no recorded operation"))));
}

TEST(MemoryTextTest, OnlyColoredPicturesHaveEscapes) {
  MemoryChart chart = MadeChart(20);
  EXPECT_THAT(MemoryText(chart, {.width = 80, .color = true}),
              AllOf(HasSubstr(util::kGreen), HasSubstr(util::kDim)));
  const std::string plain = MemoryText(chart, {.width = 80, .unicode = false});
  EXPECT_TRUE(std::all_of(plain.begin(), plain.end(), [](char c) {
    return c == '\n' || (c >= ' ' && c <= '~');
  })) << plain;
}

TEST(MemoryTextTest, WithoutAllocatorsTheLargestOperationsAreShown) {
  MemoryChart chart;
  for (int i = 0; i < 12; ++i) {
    chart.operations.push_back({"op" + std::to_string(i), 100 - i});
  }
  chart.num_operations = 40;
  EXPECT_THAT(MemoryText(chart, {.width = 80}),
              AllOf(HasSubstr("No allocator reported its bytes in use"),
                    HasSubstr("       100B  op0\n"), HasSubstr("op9\n"),
                    Not(HasSubstr("op10\n")), HasSubstr("  + 30 more: op ")));
  const std::string small = MemoryText(chart, {.width = 80, .height = 6});
  EXPECT_EQ(std::count(small.begin(), small.end(), '\n'), 5) << small;
  chart.operations.resize(1);
  chart.num_operations = 1;
  EXPECT_THAT(MemoryText(chart, {.width = 80}), Not(HasSubstr("more:")));
}

TEST(MemoryTextTest, SeriesBelowTheFirstHaveALineEach) {
  MemoryChart chart = MadeChart();
  for (int i = 1; i < 9; ++i) {
    chart.series.push_back(MadeChart().series[0]);
    chart.series.back().name = "gpu:" + std::to_string(i);
  }
  const std::string text = MemoryText(chart, {.width = 80, .height = 24});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
  EXPECT_THAT(text, HasSubstr("  peak 1.00KB at 50us (step 7)\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("gpu:8"), HasSubstr("▄")));
}

}  // namespace
}  // namespace tfprof::inspect

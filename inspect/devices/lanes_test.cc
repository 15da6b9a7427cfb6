#include "inspect/devices/lanes.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "accounting/node_stats.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/trace_testing.h"
#include "util/text/text_layout.h"

namespace tfprof::inspect {
namespace {
namespace lanes_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kCpu[] = "/job:w/device:CPU:0";

LaneChart ChartOf(views::Views& views, int64_t step = 0,
                  std::string_view device = "") {
  absl::StatusOr<LaneChart> chart = MakeLaneChart(views, step, device);
  EXPECT_TRUE(chart.ok()) << chart.status();
  return chart.ok() ? *std::move(chart) : LaneChart();
}

std::string Line(const std::string& text, std::string_view begin) {
  size_t at =
      text.rfind(begin, 0) == 0 ? 0 : text.find("\n" + std::string(begin)) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

class LanesTest : public tensorflow::ProfileTest {
 protected:
  views::Views& Made() {
    profile_ = Build();
    return views_.emplace(profile_);
  }
  profile::Profile profile_;
  std::optional<views::Views> views_;
};

TEST_F(LanesTest, BusyIsAUnionAndGapsAreNamed) {
  RanOn(Node("a", "MatMul"), kCpu, 100, 30);
  RanOn(Node("b", "MatMul"), kCpu, 110, 10);
  RanOn(Node("c", "MatMul"), kCpu, 170, 30);
  const LaneChart chart = ChartOf(Made());
  ASSERT_EQ(chart.devices.size(), 1u);
  EXPECT_EQ(chart.length, 100);
  EXPECT_EQ(chart.devices[0].busy, 60);
  ASSERT_EQ(chart.gaps.size(), 1u);
  EXPECT_EQ(chart.gaps[0].start, 30);
  EXPECT_EQ(chart.gaps[0].length, 40);
  EXPECT_EQ(chart.gaps[0].before, "a");
  EXPECT_EQ(chart.gaps[0].after, "c");
}

TEST_F(LanesTest, SlicesAreNeverFullerThanFull) {
  for (int i = 0; i < 50; ++i) {
    RanOn(Node("n" + std::to_string(i), "MatMul"), kCpu, 100 + 7 * i, 40);
  }
  const LaneChart chart = ChartOf(Made());
  const tables::DataDocument document = LanesDocument(chart);
  const tables::DataTable* slices = FindTable(document, "slices");
  ASSERT_NE(slices, nullptr);
  double busy = 0;
  for (const std::string& row : Rows(*slices, {"busy_share"})) {
    EXPECT_LE(std::stod(row), 1.0);
  }
  for (const std::string& row : Rows(*slices, {"lane", "busy_micros"})) {
    if (row.starts_with("- ")) busy += std::stod(row.substr(2));
  }
  EXPECT_EQ(busy, static_cast<double>(chart.devices[0].busy));
}

TEST_F(LanesTest, KindsOfWorkAreToldApart) {
  RanOn(Node("a", "MatMul"), kCpu, 100, 30);
  RanOn(Node("r", "_Recv"), kCpu, 120, 40);
  const LaneChart chart = ChartOf(Made());
  const tables::DataDocument document = LanesDocument(chart);
  EXPECT_THAT(
      Rows(*FindTable(document, "lanes"),
           {"device", "busy_micros", "compute_micros", "communication_micros"}),
      ElementsAre("cpu:0 60 30 40", "cpu:0 60 - -"));
  const std::string text = LanesText(chart, {.width = 80, .height = 24});
  EXPECT_THAT(Line(text, "cpu:0"), HasSubstr("█N"));
  EXPECT_THAT(Line(text, "  communication"), HasSubstr("40us"));
  EXPECT_THAT(text, HasSubstr("n communication"));
}

TEST_F(LanesTest, LaunchesAreNoWorkOfTheGpu) {
  const profile::NodeId a = Node("a", "Conv2D");
  RanOn(a, "/job:w/device:GPU:0", 100, 50);
  RanOn(a, "/device:GPU:0/stream:all", 120, 20);
  const LaneChart chart = ChartOf(Made());
  ASSERT_EQ(chart.devices.size(), 1u);
  EXPECT_EQ(chart.devices[0].busy, 20);
  EXPECT_EQ(chart.length, 50);
  EXPECT_THAT(LanesText(chart, {.width = 80}), HasSubstr("launches (host)"));
}

TEST_F(LanesTest, TasksBeginAtTheirOwnStart) {
  RanOn(Node("a", "MatMul"), "/job:worker/task:0/device:CPU:0", 1000, 30);
  RanOn(Node("b", "MatMul"), "/job:worker/task:1/device:CPU:0", 900000, 50);
  const LaneChart chart = ChartOf(Made());
  EXPECT_TRUE(chart.several_clocks);
  EXPECT_EQ(chart.length, 50);
  EXPECT_THAT(LanesText(chart, {.width = 80}), HasSubstr("own clocks"));
}

TEST_F(LanesTest, WithoutAStepATypicalOneIsShown) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(a, kCpu, 100, 30, 1);
  RanOn(a, kCpu, 200, 31, 2);
  RanOn(a, kCpu, 300, 90, 3);
  views::Views& views = Made();
  EXPECT_EQ(ChartOf(views, accounting::kAverageOfSteps).step, 2);
  const LaneChart all = ChartOf(views, accounting::kAllSteps);
  EXPECT_EQ(all.step, accounting::kAllSteps);
  EXPECT_EQ(all.length, 290);
  EXPECT_EQ(all.marks.size(), 3u);
  EXPECT_THAT(Line(LanesText(all, {.width = 80}), "steps"), HasSubstr("▏2"));
  // The time between steps was not recorded, so it is no gap.
  EXPECT_EQ(all.num_gaps, 0u);
}

TEST_F(LanesTest, DevicesThatDoNotFitAreCounted) {
  for (int d = 0; d < 40; ++d) {
    RanOn(Node("n" + std::to_string(d), "MatMul"),
          "/job:w/device:CPU:" + std::to_string(d), 100, 10 + d);
  }
  views::Views& views = Made();
  const LaneChart chart = ChartOf(views);
  EXPECT_EQ(chart.devices[0].name, "cpu:39");
  const std::string text = LanesText(chart, {.width = 80, .height = 20});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 20);
  EXPECT_THAT(text, HasSubstr("+ 31 devices ("));
  EXPECT_EQ(ChartOf(views, 0, "cpu:7").devices.size(), 1u);
  EXPECT_THAT(Message(MakeLaneChart(views, 0, "cpu:77").status()),
              HasSubstr("no device cpu:77"));
}

TEST_F(LanesTest, WithoutTimesThereIsNothingToShow) {
  Node("a", "MatMul");
  views::Views& views = Made();
  EXPECT_THAT(
      Message(MakeLaneChart(views, accounting::kAverageOfSteps, "").status()),
      HasSubstr("no lanes to show"));
}

TEST_F(LanesTest, LongTimesAreDrawn) {
  constexpr int64_t kLong = std::numeric_limits<int64_t>::max() - 10;
  RanOn(Node("a", "MatMul"), kCpu, 1, kLong);
  RanOn(Node("b", "MatMul"), kCpu, 5, -7);
  const LaneChart chart = ChartOf(Made());
  EXPECT_EQ(chart.length, kLong);
  for (const size_t width : {0, 1, 40, 200}) {
    const std::string text = LanesText(chart, {.width = width, .height = 24});
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      EXPECT_LE(util::Columns(text.substr(at, text.find('\n', at) - at)),
                width == 0 ? 80 : std::max<size_t>(width, 40));
    }
  }
}

TEST_F(LanesTest, NamesAreHarmlessAndAsciiIsEnough) {
  RanOn(Node("a\x1b[2J", "MatMul"), kCpu, 100, 30);
  RanOn(Node("b\n", "MatMul"), kCpu, 150, 30);
  const std::string text =
      LanesText(ChartOf(Made()), {.width = 80, .height = 24, .unicode = false});
  EXPECT_THAT(text, HasSubstr("after a\\x1b[2J, before b\\x0a"));
  for (const char c : text) {
    EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << text;
  }
}

// Two streams that overlap, a copy, and a kernel of another step.
profile::Profile TwoStreams() {
  timeline::TraceModel model;
  model.builder().AddStepInterval({.step = 1, .start = 0, .end = 1000});
  model.builder().AddStepInterval({.step = 2, .start = 1000, .end = 2000});
  const profile::LaneId first = model.Stream(0, 7, profile::LaneKind::kKernels);
  const profile::LaneId second =
      model.Stream(0, 9, profile::LaneKind::kCommunication);
  const profile::NodeId mm = model.Op("aten::mm");
  model.Add({.name = "call",
             .node = mm,
             .lane = model.Launches(),
             .start = 1000,
             .duration = 900,
             .step = 2});
  // The kernel is launched in step 1, but runs during step 2.
  model.Add({.name = "late",
             .node = mm,
             .lane = first,
             .start = 1000,
             .duration = 100,
             .step = 1});
  model.Add({.name = "gemm",
             .node = mm,
             .lane = first,
             .start = 1200,
             .duration = 300,
             .step = 2});
  model.Add({.name = "gemm",
             .node = mm,
             .lane = model.Stream(0, 11, profile::LaneKind::kKernels),
             .start = 1250,
             .duration = 250,
             .step = 2});
  model.Add({.name = "nccl",
             .node = model.Op("all_reduce"),
             .lane = second,
             .start = 1400,
             .duration = 400,
             .step = 2});
  return std::move(model).Build();
}

TEST(TraceLanesTest, WorkOfOtherStepsIsNoGap) {
  const profile::Profile profile = TwoStreams();
  views::Views views(profile);
  const LaneChart chart = ChartOf(views, 2);
  const LaneChart::Device& gpu = chart.devices.at(0);
  EXPECT_EQ(gpu.name, "gpu:0");
  EXPECT_EQ(gpu.busy, 600);
  EXPECT_THAT(gpu.other_steps, ElementsAre(timeline::Interval{1000, 1100}));
  EXPECT_EQ(chart.length, 1000);
  ASSERT_EQ(chart.gaps.size(), 2u);
  EXPECT_EQ(chart.gaps[0].start, 800);
  EXPECT_EQ(chart.gaps[0].before, "all_reduce");
  EXPECT_EQ(chart.gaps[0].after, "");
  EXPECT_EQ(chart.gaps[1].start, 100);
  EXPECT_EQ(chart.gaps[1].before, "aten::mm");
  EXPECT_THAT(LanesText(chart, {.width = 80}), HasSubstr("░▒ other"));
}

TEST(TraceLanesTest, EachStreamHasARow) {
  const profile::Profile profile = TwoStreams();
  views::Views views(profile);
  const std::string text =
      LanesText(ChartOf(views, 2), {.width = 80, .height = 24});
  EXPECT_THAT(Line(text, "  compute"), HasSubstr("30%"));
  EXPECT_THAT(Line(text, "  communication"), HasSubstr("40%"));
  EXPECT_THAT(Line(text, "  stream 11"), HasSubstr("25%"));
  // Stream 9 has all of the communication, so its row is left out.
  EXPECT_THAT(text, Not(HasSubstr("stream 9")));
  EXPECT_THAT(Line(text, "  launches"), HasSubstr("90%"));
}

TEST(TraceLanesTest, TheWholeFileHasAllSteps) {
  const profile::Profile profile = TwoStreams();
  views::Views views(profile);
  const LaneChart chart = ChartOf(views, accounting::kAllSteps);
  EXPECT_EQ(chart.devices.at(0).busy, 700);
  EXPECT_EQ(chart.marks.size(), 2u);
  EXPECT_THAT(LanesText(chart, {.width = 80}), Not(HasSubstr("other steps")));
}

}  // namespace lanes_test
}  // namespace
}  // namespace tfprof::inspect

#include "inspect/devices/lane_chart.h"

#include <limits>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Names(const LaneChart& chart) {
  std::vector<std::string> names;
  for (const LaneChart::Device& device : chart.devices) {
    names.push_back(device.name);
  }
  return names;
}

LaneChart Named(const std::vector<std::string>& names) {
  LaneChart chart;
  for (const std::string& name : names) chart.devices.push_back({.name = name});
  return chart;
}

TEST(LaneNameTest, IsTheBestOneThatTheFileHas) {
  timeline::TraceModel model;
  profile::GraphTables& graph = model.graph();
  const profile::StringId worker = graph.strings.Intern("worker");
  struct Case {
    profile::Lane lane;
    const char* name;
  };
  const Case cases[] = {
      {{.name = worker, .kind = profile::LaneKind::kCompute, .thread = 4},
       "worker"},
      {{.kind = profile::LaneKind::kKernels, .stream = 7}, "stream 7"},
      {{.kind = profile::LaneKind::kCompute, .thread = 4}, "thread 4"},
      {{.kind = profile::LaneKind::kCompute}, "lane 3"},
      // A stream has a lane for each kind of work.
      {{.kind = profile::LaneKind::kCopies, .stream = 7}, "stream 7 copies"},
      {{.name = graph.strings.Intern("copies"),
        .kind = profile::LaneKind::kCopies},
       "copies"},
      {{.device = graph.devices.Intern("/job:w/device:gpu:0", {})},
       "device:gpu:0"}};
  for (const Case& c : cases) graph.lanes.Add(c.lane);
  const profile::Profile profile = std::move(model).Build();
  for (profile::LaneId lane = 0; lane < std::size(cases); ++lane) {
    EXPECT_EQ(LaneName(profile, lane), cases[lane].name);
  }
}

TEST(SortLanesTest, TheBusiestIsFirstAndNamesMeanOneLane) {
  LaneChart::Device device;
  device.lanes = {{.name = "a", .busy = {{0, 1}}},
                  {.name = "b", .busy = {{0, 2}, {5, 7}}},
                  {.name = "a", .busy = {{0, 3}}},
                  {.name = "a", .busy = {}}};
  SortLanes(device);
  std::vector<std::string> names;
  for (const LaneChart::Lane& lane : device.lanes) names.push_back(lane.name);
  EXPECT_THAT(names, ElementsAre("b", "a", "a #2", "a #3"));
}

TEST(SortDevicesTest, AcceleratorsAreBeforeBusierHosts) {
  LaneChart chart;
  chart.devices = {{.name = "cpu", .busy = 90},
                   {.name = "gpu:0", .accelerator = true, .busy = 10},
                   {.name = "gpu:1", .accelerator = true, .busy = 20}};
  SortDevices(chart);
  EXPECT_THAT(Names(chart), ElementsAre("gpu:1", "gpu:0", "cpu"));
}

TEST(KeepDeviceTest, AWholeNameIsBeforeTheEndsOfOthers) {
  const std::vector<std::string> all = {"rank 0 gpu:0", "rank 1 gpu:0",
                                        "rank 1 gpu:1"};
  struct Case {
    const char* name;
    std::vector<std::string> kept;
  };
  for (const Case& c : {Case{"", all}, Case{"rank 1 gpu:0", {"rank 1 gpu:0"}},
                        Case{"gpu:0", {"rank 0 gpu:0", "rank 1 gpu:0"}},
                        Case{"1 gpu:1", {"rank 1 gpu:1"}}}) {
    LaneChart chart = Named(all);
    EXPECT_TRUE(KeepDevice(c.name, chart).ok()) << c.name;
    EXPECT_EQ(Names(chart), c.kept) << c.name;
  }
  LaneChart chart = Named({"gpu:0", "/job:w/gpu:0"});
  EXPECT_TRUE(KeepDevice("gpu:0", chart).ok());
  EXPECT_THAT(Names(chart), ElementsAre("gpu:0"));
}

TEST(KeepDeviceTest, PartsOfANameAreNoDevice) {
  for (const char* name : {"pu:0", ":0", "pu", "gpu:00", " gpu:0"}) {
    LaneChart chart = Named({"rank 0 gpu:0"});
    const absl::Status status = KeepDevice(name, chart);
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << name;
    EXPECT_EQ(chart.devices.size(), 1u) << "all stay";
  }
  LaneChart chart = Named({"gpu:0"});
  EXPECT_THAT(Message(KeepDevice("gpu:1", chart)),
              HasSubstr("no device gpu:1 that did anything"));
}

TEST(FindGapsTest, OnlyTheRecordedTimeOfThoseThatMatterHasGaps) {
  LaneChart chart;
  chart.devices = {{.name = "gpu",
                    .accelerator = true,
                    .origin = 100,
                    .work = {{110, 120}, {130, 140}},
                    .other_steps = {{150, 170}},
                    .recorded = {{100, 140}, {145, 175}}},
                   {.name = "cpu", .work = {}, .recorded = {{0, 1000}}}};
  FindGaps(chart);
  std::vector<std::string> gaps;
  for (const LaneChart::Gap& gap : chart.gaps) {
    gaps.push_back(fmt::format("{}: {}+{}", gap.device, gap.start, gap.length));
  }
  EXPECT_THAT(gaps, ElementsAre("0: 0+10", "0: 20+10", "0: 45+5", "0: 70+5"));
  EXPECT_EQ(chart.num_gaps, 4u);
}

TEST(FindGapsTest, TheTenLongestOfManyAreKept) {
  LaneChart chart;
  LaneChart::Device& device = chart.devices.emplace_back();
  int64_t at = 0;
  for (int64_t i = 1; i <= 1000; ++i) {
    at += (i * 37) % 1000 + 1;  // each length once
    device.work.push_back({at, at + 1});
    at += 1;
  }
  device.recorded = {{0, at}};
  FindGaps(chart);
  EXPECT_EQ(chart.num_gaps, 1000u);
  std::vector<int64_t> lengths;
  for (const LaneChart::Gap& gap : chart.gaps) lengths.push_back(gap.length);
  EXPECT_THAT(lengths,
              ElementsAre(1000, 999, 998, 997, 996, 995, 994, 993, 992, 991));
}

TEST(GapNamesTest, TheLongestNeighboursGiveTheirNames) {
  LaneChart chart;
  chart.gaps = {{.unit = 3, .begin = 1010, .length = 5},
                {.unit = 4, .begin = 10, .length = 5},
                {.unit = 3, .begin = 1010, .length = 7}};
  GapNames names(std::vector{&chart.gaps[0], &chart.gaps[1], &chart.gaps[2]});
  const auto add = [&](int64_t start, int64_t end, const char* name) {
    names.Add(3, start, end, [&] { return std::string(name); });
  };
  add(1008, 1010, "short");
  add(1000, 1010, "long");
  add(1009, 1010, "shorter");
  add(1000, 1011, "over it");
  add(1015, 1016, "next");
  add(5, 10, "of another device");
  EXPECT_EQ(chart.gaps[0].before, "long");
  EXPECT_EQ(chart.gaps[0].after, "next");
  EXPECT_EQ(chart.gaps[1].before, "");
  EXPECT_EQ(chart.gaps[2].before, "long");
  EXPECT_EQ(chart.gaps[2].after, "");
}

TEST(BoundsTest, TimesThatAreTooFarApartHaveTheLongestLength) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Bounds bounds;
  EXPECT_FALSE(bounds.any());
  bounds.Add(timeline::Intervals());
  EXPECT_FALSE(bounds.any());
  bounds.Add(timeline::Intervals{{5, 7}, {9, 11}});
  EXPECT_EQ(bounds.start(), 5);
  EXPECT_EQ(bounds.length(), 6);
  bounds.Add(-kMost, kMost);
  EXPECT_EQ(bounds.length(), kMost);
}

}  // namespace
}  // namespace tfprof::inspect

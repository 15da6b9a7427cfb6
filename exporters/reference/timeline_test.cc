#include "exporters/reference/timeline.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/exporters_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "util/files/sink.h"
#include "views/views.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string GraphTrace(const profile::Profile& profile,
                       TimelineResult* result) {
  views::Views views(profile);
  util::StringSink sink;
  *result =
      WriteGraphTimeline(views.Show(views::View::kGraph, AllRows(0)), 0, sink);
  return sink.text();
}

TEST(GraphTimelineTest, DevicesRegionsAndPeak) {
  Maker maker;
  const profile::NodeId n1 = maker.Node("n1");
  const profile::NodeId n2 = maker.Node("n2", {n1});
  const std::string stream = std::string(kGpu) + ":stream:all";
  maker.Run(n1, kGpu, 10, 2);
  maker.Run(n1, stream, 10, 2);
  maker.Run(n2, kGpu, 20, 2);
  maker.Run(n2, stream, 20, 2);
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  std::string expected =
      R"({"traceEvents":[{"args":{"name":"Op scheduling threads: D"},"name":"process_name","ph":"M","pid":0},{"args":{"name":"Op execution threads: D:stream:all"},"name":"process_name","ph":"M","pid":1},{"args":{"name":"n1"},"cat":"Op","dur":2,"name":"n1","ph":"X","pid":0,"tid":0,"ts":10},{"args":{"name":"n2"},"cat":"Op","dur":2,"name":"n2","ph":"X","pid":0,"tid":0,"ts":20},{"args":{"name":"n1"},"cat":"Op","dur":2,"name":"n1","ph":"X","pid":1,"tid":0,"ts":10},{"args":{"name":"n2"},"cat":"Op","dur":2,"name":"n2","ph":"X","pid":1,"tid":0,"ts":20},{"args":{"name":"mem usage on:D"},"name":"process_name","ph":"M","pid":2},{"args":{"name":"mem usage on:D allocations"},"name":"process_name","ph":"M","pid":3}]})"
      "\n";
  for (size_t at = 0; (at = expected.find(" D", at)) != expected.npos ||
                      (at = expected.find(":D")) != expected.npos;) {
    expected.replace(at + 1, 1, kGpu);
  }
  EXPECT_EQ(text, expected);
  EXPECT_THAT(result.peak_lines,
              ElementsAre(std::string(kGpu) + " peak memory: 0.00 MB\n"));
  EXPECT_FALSE(result.over_200mb);
}

TEST(GraphTimelineTest, FlowsBetweenDevices) {
  Maker maker;
  const profile::NodeId source = maker.Node("a\"b");
  const profile::NodeId same = maker.Node("same", {source});
  const profile::NodeId other = maker.Node("other", {source, source});
  maker.Run(source, kCpu0, 100, 5);
  maker.Run(same, kCpu0, 102, 5);  // overlaps: the next lane
  maker.Run(same, kCpu0, 105, 9);  // the first lane is free again
  maker.Run(other, kCpu1, 200, 0);
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  EXPECT_THAT(text, HasSubstr(R"("pid":1,"tid":1,"ts":102})"));
  EXPECT_THAT(text, HasSubstr(R"("pid":1,"tid":0,"ts":105})"));
  // Rows are sorted by name: "other" on cpu:1 is first. Two inputs give two
  // arrows.
  EXPECT_THAT(
      text,
      HasSubstr(
          R"("tid":1,"ts":102},)"
          R"({"cat":"DataFlow","id":1,"name":"a\"b_flow","ph":"s","pid":1,"tid":0,"ts":105},)"
          R"({"cat":"DataFlow","id":1,"name":"a\"b_flow","ph":"t","pid":0,"tid":0,"ts":200},)"
          R"({"cat":"DataFlow","id":2,"name":"a\"b_flow","ph":"s","pid":1,"tid":0,"ts":105},)"
          R"({"cat":"DataFlow","id":2,"name":"a\"b_flow","ph":"t","pid":0,"tid":0,"ts":200}]})"));
  EXPECT_THAT(result.peak_lines, IsEmpty());
}

TEST(GraphTimelineTest, FirstNodeOfATimeStays) {
  Maker maker;
  maker.Run(maker.Node("b"), kCpu0, 100, 5);
  maker.Run(maker.Node("a"), kCpu0, 100, 7);
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  EXPECT_THAT(text, HasSubstr(R"("dur":7,"name":"a")"));
  EXPECT_THAT(text, Not(HasSubstr(R"("name":"b")")));
}

TEST(GraphTimelineTest, MemoryCounters) {
  Maker maker;
  auto details = std::make_shared<FakeRecords>();
  // Bytes in use of the allocator at the end of an op.
  const auto memory = [](int64_t micros, int64_t in_use, int64_t persistent) {
    profile::MemoryDetail m;
    m.micros = micros;
    m.allocator_bytes_in_use = in_use;
    m.accelerator_persistent_bytes = persistent;
    return m;
  };
  details->executions[1] = {{memory(1000, 5000000, 1500000)},
                            {{900, 1000000}, {1100, -1000000}}};
  details->executions[2] = {{memory(1050, 6000000, 0)}, {{950, 2500000}}};
  details->executions[3] = {{memory(2000, 4000000, 0)}, {{1500, 700}}};
  const uint32_t input = maker.builder().AddInput(details);
  maker.Run(maker.Node("a"), kGpu, 990, 10, profile::MakeRecordRef(input, 1));
  maker.Run(maker.Node("b"), kGpu, 1040, 10, profile::MakeRecordRef(input, 2));
  maker.Run(maker.Node("c"), kGpu, 1990, 10, profile::MakeRecordRef(input, 3));
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  std::string rest;
  for (int i = 2; i < 10; ++i) {
    rest += fmt::format(R"("Top Allocation {:02}":"N/A")", i);
    if (i < 9) rest += ',';
  }
  const auto counters = [&](int64_t time, std::string_view bytes,
                            std::string_view first, std::string_view second,
                            std::string_view hidden) {
    return fmt::format(
        R"({{"args":{{"Allocator Bytes in Use":{}}},"cat":"Memory",)"
        R"("name":"Allocated Bytes","ph":"C","pid":1,"tid":0,"ts":{}}},)"
        R"({{"args":{{"Not Displayed":"{} MB","Top Allocation 00":"{}",)"
        R"("Top Allocation 01":"{}",{}}},"cat":"Memory",)"
        R"("name":"Top Allocations","ph":"C","pid":2,"tid":0,"ts":{}}})",
        bytes, time, hidden, first, second, rest, time);
  };
  // The point at 1050 is too close to the one before, but still is the peak. c
  // holds the bytes of its first allocation from the beginning.
  EXPECT_THAT(text, HasSubstr(counters(1000, "5000000", "2.5 MB from a",
                                       "2.5 MB from b", "0.00") +
                              "," +
                              counters(2000, "4000000", "2.5 MB from b",
                                       "1.5 MB from a", "0.00")));
  EXPECT_THAT(result.peak_lines,
              ElementsAre(std::string(kGpu) + " peak memory: 6.00 MB\n"));
}

// A node that holds `megabytes` from 900 on, and ends at 1000, when `in_use`
// megabytes are allocated.
void Hold(Maker& maker, FakeRecords& details, uint32_t input,
          const std::string& name, int64_t megabytes, int64_t in_use) {
  const uint64_t offset = details.executions.size() + 1;
  profile::MemoryDetail m;
  m.micros = 1000;
  m.allocator_bytes_in_use = in_use * 1000000;
  details.executions[offset] = {{m}, {{900, megabytes * 1000000}}};
  maker.Run(maker.Node(name), kGpu, 990, 10,
            profile::MakeRecordRef(input, offset));
}

TEST(GraphTimelineTest, TheTenLargestAllocations) {
  Maker maker;
  auto details = std::make_shared<FakeRecords>();
  const uint32_t input = maker.builder().AddInput(details);
  for (int i = 1; i <= 12; ++i) {
    Hold(maker, *details, input, fmt::format("n{:02}", i), i, 100);
  }
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  // 12 + 11 + … + 3 of 100.
  EXPECT_THAT(text, HasSubstr(R"("Not Displayed":"25.00 MB",)"
                              R"("Top Allocation 00":"12 MB from n12",)"));
  EXPECT_THAT(text, HasSubstr(R"("Top Allocation 09":"3 MB from n03"})"));
  EXPECT_THAT(text, Not(HasSubstr("Top Allocation 10")));
}

TEST(GraphTimelineTest, AnAllocationThatDoesNotFitIsNotListed) {
  Maker maker;
  auto details = std::make_shared<FakeRecords>();
  const uint32_t input = maker.builder().AddInput(details);
  Hold(maker, *details, input, "a", 4, 5);
  Hold(maker, *details, input, "b", 3, 5);  // 4 + 3 is more than 5
  Hold(maker, *details, input, "c", 1, 5);
  TimelineResult result;
  EXPECT_THAT(GraphTrace(maker.Build(), &result),
              HasSubstr(R"("Not Displayed":"0.00 MB",)"
                        R"("Top Allocation 00":"4 MB from a",)"
                        R"("Top Allocation 01":"1 MB from c",)"
                        R"("Top Allocation 02":"N/A")"));
}

TEST(GraphTimelineTest, PersistentMemoryOfOtherStepsIsHeldFromTheBeginning) {
  Maker maker;
  auto details = std::make_shared<FakeRecords>();
  const uint32_t input = maker.builder().AddInput(details);
  Hold(maker, *details, input, "a", 0, 50);
  profile::MemoryDetail m;
  m.accelerator_persistent_bytes = 7000000;
  details->executions[2] = {{m}, {}};
  maker.builder().AddExecutions(
      1,
      {{.node = 0,
        .lane = tensorflow::DeviceLane(kGpu, maker.builder().mutable_graph()),
        .start = 5000,
        .duration = 1,
        .record = profile::MakeRecordRef(input, 2)}},
      {});
  TimelineResult result;
  EXPECT_THAT(GraphTrace(maker.Build(), &result),
              HasSubstr(R"("Top Allocation 00":"7 MB from a")"));
}

TEST(GraphTimelineTest, ACpuHasNoMemoryCounters) {
  Maker maker;
  auto details = std::make_shared<FakeRecords>();
  const uint32_t input = maker.builder().AddInput(details);
  profile::MemoryDetail m;
  m.micros = 1000;
  m.allocator_bytes_in_use = 5;
  details->executions[1] = {{m}, {{900, 5}}};
  maker.Run(maker.Node("a"), kCpu0, 990, 10, profile::MakeRecordRef(input, 1));
  TimelineResult result;
  EXPECT_THAT(GraphTrace(maker.Build(), &result),
              Not(HasSubstr("mem usage on:")));
  EXPECT_THAT(result.peak_lines, IsEmpty());
}

TEST(GraphTimelineTest, EachTurnOfALoopHasAnArrowToEachTurn) {
  Maker maker;
  const profile::NodeId source = maker.Node("source");
  const profile::NodeId reader = maker.Node("reader", {source});
  for (int turn = 0; turn < 3; ++turn) {
    maker.Run(source, kCpu0, 100 + 10 * turn, 5);
    maker.Run(reader, kCpu1, 200 + 10 * turn, 5);
  }
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  EXPECT_THAT(text, HasSubstr(R"("id":9,)"));
  EXPECT_THAT(text, Not(HasSubstr(R"("id":10,)")));
}

TEST(GraphTimelineTest, HiddenNodesHaveNeitherRegionsNorArrows) {
  Maker maker;
  const profile::NodeId source = maker.Node("source");
  const profile::NodeId reader = maker.Node("reader", {source});
  maker.Run(source, kCpu0, 100, 5);
  maker.Run(reader, kCpu1, 200, 5);
  const profile::Profile profile = maker.Build();
  views::Views views(profile);
  views::ViewOptions options = AllRows(0);
  options.hide_names = {"reader"};
  util::StringSink sink;
  WriteGraphTimeline(views.Show(views::View::kGraph, options), 0, sink);
  EXPECT_THAT(sink.text(), HasSubstr(R"("name":"source","ph":"X")"));
  EXPECT_THAT(sink.text(), Not(HasSubstr("reader")));
  EXPECT_THAT(sink.text(), Not(HasSubstr("DataFlow")));
}

TEST(GraphTimelineTest, ExecutionsWithoutAStartAreNotDrawn) {
  Maker maker;
  const profile::NodeId n = maker.Node("n");
  maker.Run(n, kCpu0, profile::kNoStart, 7);
  maker.Run(n, kCpu0, 100, 5);
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  EXPECT_THAT(text, HasSubstr(R"("dur":5)"));
  EXPECT_THAT(text, Not(HasSubstr(R"("dur":7)")));
}

// Lanes and flows by brute force would take minutes and gigabytes.
TEST(GraphTimelineTest, ManyOverlappingRegions) {
  constexpr int kRuns = 100000;
  Maker maker;
  const profile::NodeId n = maker.Node("n");
  std::vector<profile::ExecutionRecord> records(kRuns);
  const profile::LaneId lane =
      tensorflow::DeviceLane(kCpu0, maker.builder().mutable_graph());
  for (int i = 0; i < kRuns; ++i) {
    records[i].node = n;
    records[i].lane = lane;
    records[i].start = 1 + i;
    records[i].duration = kRuns;
  }
  maker.builder().AddExecutions(0, records, {});
  TimelineResult result;
  const std::string text = GraphTrace(maker.Build(), &result);
  EXPECT_THAT(
      text.substr(text.size() - 100),
      HasSubstr(fmt::format(R"("tid":{},"ts":{}}}]}})", kRuns - 1, kRuns)));
}

TEST(GraphTimelineTest, NothingToDraw) {
  Maker maker;
  maker.Node("n");
  maker.builder().AddStep(0);
  const profile::Profile profile = maker.Build();
  views::Views views(profile);
  for (const int64_t step : {0, 7}) {
    util::StringSink sink;
    WriteGraphTimeline(views.Show(views::View::kGraph, AllRows(-1)), step,
                       sink);
    EXPECT_EQ(sink.text(), "{\"traceEvents\":[]}\n");
  }
}

TEST(NestedTimelineTest, ChildrenFillTheirParent) {
  Maker maker;
  maker.Run(maker.Node("a/x"), kCpu0, 10, 3);
  maker.Run(maker.Node("a/y"), kCpu0, 20, 4);
  maker.Node("idle/z");
  maker.Run(maker.Node("b/x"), kCpu0, 30, 5);
  const profile::Profile profile = maker.Build();
  views::Views views(profile);
  util::StringSink sink;
  WriteNestedTimeline(views.Show(views::View::kScope, AllRows(-1)), sink);
  const auto region = [](std::string_view name, int depth, int start,
                         int duration) {
    return fmt::format(
        R"({{"args":{{"name":"{0}","op":"{0}"}},"cat":"Op","dur":{3},)"
        R"("name":"{0}","ph":"X","pid":{1},"tid":0,"ts":{2}}})",
        name, depth, start, duration);
  };
  const auto level = [](int depth) {
    return fmt::format(R"({{"args":{{"name":"Scope:{0}"}},)"
                       R"("name":"process_name","ph":"M","pid":{0}}})",
                       depth);
  };
  EXPECT_EQ(sink.text(),
            "{\"traceEvents\":[" + level(0) + "," +
                region("_TFProfRoot", 0, 0, 12) + "," + level(1) + "," +
                region("a", 1, 0, 7) + "," + level(2) + "," +
                region("a/x", 2, 0, 3) + "," + region("a/y", 2, 3, 4) + "," +
                region("b", 1, 7, 5) + "," + region("b/x", 2, 7, 5) + "]}\n");
}

TEST(NestedTimelineTest, LinesOfCode) {
  Maker maker;
  const profile::NodeId a = maker.Node("a"), b = maker.Node("b");
  maker.Stack(a, {{"m.py", 1, "f", 1}, {"m.py", 2, "\"g\"", 1}});
  maker.Stack(b, {{"m.py", 1, "f", 1}, {"m.py", 3, "h", 1}});
  maker.Run(a, kCpu0, 10, 3);
  maker.Run(b, kCpu0, 20, 4);
  const profile::Profile profile = maker.Build();
  views::Views views(profile);
  util::StringSink sink;
  EXPECT_FALSE(
      WriteNestedTimeline(views.Show(views::View::kCode, AllRows(-1)), sink)
          .over_200mb);
  EXPECT_THAT(sink.text(),
              HasSubstr(R"("cat":"Op","dur":7,"name":"m.py:1:f","ph":"X",)"
                        R"("pid":1,"tid":0,"ts":0})"));
  EXPECT_THAT(sink.text(),
              HasSubstr(R"("dur":3,"name":"m.py:2:\"g\"","ph":"X","pid":2,)"
                        R"("tid":0,"ts":0})"));
  EXPECT_THAT(sink.text(),
              HasSubstr(R"("dur":4,"name":"m.py:3:h","ph":"X","pid":2,)"
                        R"("tid":0,"ts":3})"));
}

TEST(NestedTimelineTest, ARootWithoutTimeIsDrawn) {
  const profile::Profile profile;
  views::Views views(profile);
  util::StringSink sink;
  WriteNestedTimeline(views.Show(views::View::kScope, AllRows(-1)), sink);
  EXPECT_THAT(sink.text(), HasSubstr(R"("dur":0,"name":"_TFProfRoot")"));
}

}  // namespace
}  // namespace tfprof::exporters

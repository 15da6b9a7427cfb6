#include "inspect/pictures/overview.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/trace_testing.h"
#include "util/text/text_layout.h"
#include "views/views.h"

namespace tfprof::inspect {
namespace {
namespace overview_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kCpu[] = "/job:w/device:CPU:0";

std::string TextOf(const Overview& overview, size_t width = 80) {
  tables::TextLook look;
  look.width = width;
  return OverviewText(overview, look);
}

class OverviewTest : public tensorflow::ProfileTest {
 protected:
  Overview Make(OverviewAdvice advice = {}) {
    profile_ = Build();
    views_.emplace(profile_);
    return MakeOverview(*views_, {{"dir/profile.pb", "ProfileProto"}},
                        std::move(advice));
  }
  // Five steps. Step 3 takes ten times longer because of a second operation.
  void OddSteps() {
    const profile::NodeId a = Node("a", "MatMul"), b = Node("b", "Svd");
    for (int step = 0; step < 5; ++step) Ran(a, 100, 10, step, kCpu);
    Ran(b, 110, 90, 3, kCpu);
  }

  profile::Profile profile_;
  std::optional<views::Views> views_;
};

TEST_F(OverviewTest, NamesTheFrameworkOfTheFile) {
  OddSteps();
  const Overview overview = Make();
  EXPECT_EQ(overview.framework, "TensorFlow 1");
  EXPECT_THAT(TextOf(overview),
              HasSubstr("File      dir/profile.pb (TensorFlow 1, ProfileProto; "
                        "2 nodes)"));
}

TEST_F(OverviewTest, NamesTheOddStep) {
  OddSteps();
  const Overview overview = Make();
  ASSERT_TRUE(overview.odd);
  EXPECT_EQ(overview.odd->step->id, 3);
  EXPECT_EQ(overview.num_odd, 1u);
  EXPECT_THAT(TextOf(overview),
              HasSubstr("step 3 took 100us, 10.0 times the median\n"));
  EXPECT_EQ(overview.next[0].command, "explain step 3");
}

TEST_F(OverviewTest, EvenStepsHaveNoOddOne) {
  const profile::NodeId a = Node("a", "MatMul");
  for (int step = 0; step < 5; ++step) Ran(a, 100, 10 + step, step, kCpu);
  const Overview overview = Make();
  EXPECT_FALSE(overview.odd);
  EXPECT_THAT(TextOf(overview), Not(HasSubstr("times the median")));
  ASSERT_TRUE(overview.typical);
  EXPECT_EQ(overview.typical->ticks, 12);
}

// The times of one thread are rounded, each by itself.
TEST(OverviewRoundingTest, ARoundedSumIsWithinTheWall) {
  Overview overview;
  overview.measure = Overview::Measure::kTime;
  overview.ops_wall = 37480;
  overview.all_ops.ticks = 37489;
  EXPECT_TRUE(overview.shares_wall(&Overview::Op::ticks));
  overview.all_ops.ticks = 38000;
  EXPECT_FALSE(overview.shares_wall(&Overview::Op::ticks));
}

TEST_F(OverviewTest, NoShareIsAboveTheWhole) {
  Ran(Node("a", "MatMul"), 0, 1000, 0, kCpu);
  Overview overview = Make();
  overview.ops_wall = 996;
  ASSERT_TRUE(overview.shares_wall(&Overview::Op::ticks));
  EXPECT_THAT(TextOf(overview), HasSubstr("1.00ms     100.0%\n"));
}

TEST_F(OverviewTest, OperationsHaveSharesOfTheWallTimeOfAllSteps) {
  OddSteps();
  const Overview overview = Make();
  ASSERT_THAT(overview.ops, SizeIs(2));
  EXPECT_EQ(overview.ops[0].name, "Svd");
  EXPECT_EQ(overview.ops[0].ticks, 90);
  EXPECT_EQ(overview.ops_wall, 140);
  EXPECT_TRUE(overview.shares_wall(&Overview::Op::ticks));
  EXPECT_THAT(TextOf(overview), HasSubstr("90us      64.3%\n"));
}

TEST_F(OverviewTest, WhatRanInNoStepHasNoWallTime) {
  const profile::NodeId a = Node("a", "MatMul");
  for (int step = 0; step < 3; ++step) Ran(a, 100, 10, step, kCpu);
  Ran(a, 5000, 4000, profile::kOutsideSteps, kCpu);
  const Overview overview = Make();
  EXPECT_EQ(overview.walls.size(), 3u);
  EXPECT_EQ(overview.ops_wall, 30) << "as `steps` has it";
  EXPECT_EQ(overview.outside.ticks, 4000);
  EXPECT_THAT(TextOf(overview), HasSubstr("4.00ms of it ran in no step"));
}

TEST_F(OverviewTest, SumsAboveTheWallTimeAreExplained) {
  const profile::NodeId a = Node("a", "MatMul"), b = Node("b", "Add");
  RanOn(a, "/job:w/device:CPU:0", 100, 30);
  RanOn(b, "/job:w/device:CPU:0", 100, 30);
  const Overview overview = Make();
  EXPECT_FALSE(overview.shares_wall(&Overview::Op::ticks));
  const std::string text = TextOf(overview);
  EXPECT_THAT(text, HasSubstr("of all ops\n"));
  EXPECT_THAT(text, HasSubstr("      50.0%\n"));
  EXPECT_THAT(text, HasSubstr("all ops 60us in 30us of wall time: devices and "
                              "threads overlap"));
}

// The launch of a kernel and the kernel pass at the same time.
TEST_F(OverviewTest, TimesOfAcceleratorsAndHostsAreTwoColumns) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(a, "/job:w/device:GPU:0", 1000, 90);
  RanOn(a, "/device:GPU:0/stream:all", 1010, 80);
  const Overview overview = Make();
  ASSERT_THAT(overview.ops, SizeIs(1));
  EXPECT_EQ(overview.ops[0].accelerator, 80);
  EXPECT_EQ(overview.ops[0].cpu, 90);
  const std::string text = TextOf(overview);
  EXPECT_THAT(text, HasSubstr("accelerator of wall         cpu of wall\n"));
  EXPECT_THAT(text, HasSubstr("80us   88.9%        90us  100.0%\n"));
  EXPECT_THAT(text, Not(HasSubstr("170us")));
}

// Threads wait at the same time, and what they wait for is the cause.
TEST_F(OverviewTest, WaitsAreBesideTheWork) {
  Ran(Node("a", "MatMul"), 1000, 60, 0, kCpu);
  RanOn(Node("b", "NEGOTIATE_ALLREDUCE"), kCpu, 1000, 90);
  RanOn(Node("c", "NEGOTIATE_ALLREDUCE"), kCpu, 1000, 100);
  const Overview overview = Make();
  ASSERT_THAT(overview.ops, SizeIs(1));
  EXPECT_EQ(overview.ops[0].name, "MatMul");
  const std::string text = TextOf(overview);
  EXPECT_THAT(text, HasSubstr("60us      60.0%\n"));
  EXPECT_THAT(text, HasSubstr("waits, no work: 190us  NEGOTIATE_ALLREDUCE\n"));
}

TEST_F(OverviewTest, SaysWhatItLeavesOut) {
  for (int i = 0; i < 8; ++i) {
    Ran(Node("n" + std::to_string(i), "Op" + std::to_string(i)), 100 + 10 * i,
        10, 0, kCpu);
  }
  const Overview overview = Make();
  EXPECT_THAT(overview.ops, SizeIs(5));
  EXPECT_THAT(TextOf(overview), HasSubstr("+ 3 more types, 30us (37.5%)"));
}

TEST_F(OverviewTest, AGraphWithoutTimesShowsItsOperations) {
  Node("a", "MatMul");
  Node("b", "Add");
  Node("c", "Add");
  const Overview overview = Make();
  EXPECT_EQ(overview.measure, Overview::Measure::kNodes);
  ASSERT_THAT(overview.ops, SizeIs(2));
  EXPECT_EQ(overview.ops[0].name, "Add");
  EXPECT_THAT(TextOf(overview),
              HasSubstr("no execution was recorded, so there are no times"));
}

TEST_F(OverviewTest, AnEmptyProfileSaysSo) {
  const Overview overview = Make();
  EXPECT_THAT(TextOf(overview), HasSubstr("nothing to show"));
  EXPECT_FALSE(overview.next.empty());
}

TEST_F(OverviewTest, ShowsTheWorstProblem) {
  OddSteps();
  const Overview overview = Make({.severity = "critical",
                                  .rule = "idle",
                                  .text = "cpu:0 waits",
                                  .evidence = "steps",
                                  .problems = 2,
                                  .checkers = 9,
                                  .lacking = 0});
  EXPECT_THAT(TextOf(overview), HasSubstr("Critical  cpu:0 waits\n"));
  EXPECT_THAT(TextOf(overview), HasSubstr("all 2 problems, and what to do"));
}

TEST_F(OverviewTest, SaysWhatToDoIfThereIsRoom) {
  OddSteps();
  const std::string text = TextOf(Make({.severity = "warning",
                                        .rule = "idle",
                                        .text = "cpu:0 waits",
                                        .advice = "Give it work.",
                                        .problems = 1,
                                        .checkers = 9}));
  EXPECT_THAT(text, HasSubstr("Warning   cpu:0 waits\n"
                              "Do        Give it work.\n"
                              "Next      "));
}

TEST_F(OverviewTest, WhatStandsOutIsNoProblem) {
  OddSteps();
  const Overview overview = Make({.severity = "info",
                                  .rule = "dominant_node",
                                  .text = "b takes most",
                                  .checkers = 9});
  const std::string text = TextOf(overview);
  EXPECT_THAT(text, HasSubstr("Problems  none found by 9 checkers"));
  EXPECT_THAT(text, HasSubstr("Note      b takes most\n"));
  EXPECT_THAT(text, Not(HasSubstr("Warning")));
  const tables::DataDocument document = OverviewDocument(overview);
  EXPECT_THAT(Rows(document.parts[5].table, {"rule"}), SizeIs(0));
  EXPECT_THAT(Rows(document.parts[6].table, {"rule", "text"}),
              ElementsAre("dominant_node b takes most"));
}

TEST_F(OverviewTest, SaysHowManyCheckersLookedForProblems) {
  OddSteps();
  const Overview overview = Make({.checkers = 9, .lacking = 2});
  EXPECT_THAT(
      TextOf(overview),
      HasSubstr("none found by 7 checkers; 2 others cannot judge this file"
                " (advise all)"));
}

TEST_F(OverviewTest, FitsOnTheSmallestScreen) {
  std::vector<profile::NodeId> nodes;
  for (int i = 0; i < 30; ++i) {
    const std::string number = std::to_string(i);
    nodes.push_back(Node("a_long_scope/with_a_name_" + number,
                         "OperationTypeWithALongName" + number));
  }
  for (int step = 0; step < 40; ++step) {
    for (int i = 0; i < 30; ++i) {
      const std::string device =
          "/job:w/task:" + std::to_string(i % 7) + "/device:CPU:0";
      Ran(nodes[i], 100 + 20 * i, step == 9 ? 400 : 10, step, device);
    }
  }
  std::string problem = "a problem";
  for (int i = 0; i < 60; ++i) problem += " that is described at length";
  const Overview overview = Make({.severity = "warning",
                                  .rule = "r",
                                  .text = problem,
                                  .problems = 3,
                                  .checkers = 5});
  const std::string text = TextOf(overview);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'),
            static_cast<ptrdiff_t>(kOverviewLines))
      << text;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    EXPECT_LE(util::Columns(text.substr(at, end - at)), 80u)
        << text.substr(at, end - at);
    at = end + 1;
  }
}

TEST_F(OverviewTest, NamesCannotMoveTheCursor) {
  Ran(Node("a", "Op\x1b[2J"), 100, 10, 0, kCpu);
  EXPECT_THAT(TextOf(Make()), Not(HasSubstr("\x1b[2J")));
}

TEST_F(OverviewTest, IsDataToo) {
  OddSteps();
  const tables::DataDocument document = OverviewDocument(Make());
  EXPECT_EQ(Fact(document.facts, "odd_step"), "3");
  EXPECT_EQ(Fact(document.facts, "median_wall_micros"), "10");
  EXPECT_EQ(Fact(document.facts, "op_wall_micros"), "140");
  EXPECT_THAT(
      Rows(document.parts[1].table, {"step", "wall_micros", "role"}),
      ElementsAre("0 10 typical", "1 10 -", "2 10 -", "3 100 odd", "4 10 -"));
  EXPECT_THAT(Rows(document.parts[2].table, {"name", "busy_micros"}),
              ElementsAre("cpu:0 10"));
  EXPECT_THAT(Rows(document.parts[4].table, {"op", "op_micros", "wall_share"}),
              ElementsAre("Svd 90 0.643", "MatMul 50 0.357"));
}

TEST(OverviewTraceTest, SaysThatReplaysHaveNoNames) {
  for (const int64_t unnamed : {int64_t{0}, int64_t{300'000}}) {
    timeline::TraceModel model;
    model.Add({.name = "kernel",
               .node = model.Op("cudaGraphLaunch"),
               .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
               .start = 1000,
               .duration = 400'000});
    model.builder().AddGraphReplay({.process = model.process(),
                                    .launches = 1,
                                    .kernels = 1,
                                    .time = 400'000,
                                    .unnamed_time = unnamed});
    const profile::Profile profile = std::move(model).Build();
    views::Views views(profile);
    const std::string text = TextOf(MakeOverview(views, {}, {}));
    const bool says =
        text.find("75.0% of accelerator time is graphs without names") !=
        text.npos;
    EXPECT_EQ(says, unnamed > 0) << text;
  }
}

TEST(OverviewTraceTest, TimesAreAveragesAsInTheViews) {
  timeline::TraceModel model;
  model.graph().self_times = true;
  const profile::NodeId mm = model.Op("aten::mm");
  for (int step = 0; step < 4; ++step) {
    model.Add({.name = "mm",
               .node = mm,
               .lane = model.Ops(),
               .start = int64_t{1000} * step,
               .duration = 500,
               .step = step});
  }
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const Overview overview =
      MakeOverview(views, {{"trace.json", "Kineto trace"}}, {});
  EXPECT_EQ(overview.framework, "PyTorch");
  EXPECT_TRUE(overview.average);
  EXPECT_EQ(overview.all_ops.ticks, 500);
  EXPECT_EQ(overview.ops_wall, 500);
  EXPECT_EQ(overview.outside.ticks, 0);
}

// Work counts where it ran, so busy and idle add up to the wall time even if
// kernels end after their step.
TEST(OverviewTraceTest, BusyAndIdleAddUpToTheWallTime) {
  timeline::TraceModel model;
  model.graph().self_times = true;
  const profile::NodeId mm = model.Op("aten::mm");
  const profile::LaneId gpu = model.Stream(0, 7, profile::LaneKind::kKernels);
  for (int step = 0; step < 3; ++step) {
    const int64_t begin = int64_t{1000} * step;
    model.builder().AddStepInterval(
        {.step = step, .start = begin, .end = begin + 1000});
    model.Add({.name = "gemm",
               .node = mm,
               .lane = gpu,
               .start = begin + 600,
               .duration = 800,
               .step = step});
  }
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const Overview overview =
      MakeOverview(views, {{"trace.json", "Kineto trace"}}, {});
  for (const DeviceSplit& device : overview.split) {
    EXPECT_EQ(device.busy + device.idle, device.wall);
  }
  EXPECT_EQ(overview.account.devices, 1u);
  EXPECT_EQ(overview.account.sum.wall, 1000);
  const std::string text = TextOf(overview);
  EXPECT_THAT(text, HasSubstr("Account   not recorded"));
  EXPECT_THAT(text, HasSubstr("matrix products             0.40us  40.0%  "
                              "aten::mm\n"));
}

// What all names of ranks begin and end with would hide in what they differ.
TEST_F(OverviewTest, LongNamesOfRanksCanBeToldApart) {
  OddSteps();
  Overview overview = Make();
  ASSERT_FALSE(overview.split.empty());
  overview.split.resize(1);
  overview.split.push_back(overview.split[0]);
  overview.split[0].name = "profile_node0_rank1.sqlite gpu:0";
  overview.split[1].name = "profile_node1_rank2.sqlite gpu:0";
  const std::string text = TextOf(overview);
  EXPECT_THAT(text, HasSubstr("node0…ank1 gpu:0"));
  EXPECT_THAT(text, HasSubstr("node1…ank2 gpu:0"));
  // What is short stays.
  overview.split[0].name = "r_1.json gpu:0";
  overview.split[1].name = "r_2.json gpu:0";
  EXPECT_THAT(TextOf(overview), HasSubstr("r_1.json gpu:0"));
}

// A file may have other records than executions.
TEST(OverviewRecordsTest, ALogOfACompilerIsNotEmpty) {
  timeline::TraceModel model(/*ticks_per_micro=*/1000);
  profile::CompileLogs logs;
  logs.logs = {{"a.log", -1}};
  logs.compilations = {{.id = "0/0",
                        .function = "f",
                        .file = "m.py",
                        .line = 7,
                        .duration = 2'000'000,
                        .longest = 2'000'000}};
  model.builder().SetCompileLogs(std::move(logs));
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const Overview overview =
      MakeOverview(views, {{"a.log", "log of torch.compile"}}, {});
  EXPECT_EQ(overview.framework, "PyTorch");
  EXPECT_EQ(overview.next[0].command, "compiles");
  const std::string text = TextOf(overview, 120);
  EXPECT_THAT(text,
              HasSubstr("Compiler  1 compilation, 2.00ms in all: 0 again"));
  EXPECT_THAT(text, HasSubstr("longest: f (m.py:7), 2.00ms"));
  EXPECT_THAT(text, Not(HasSubstr("nothing to show")));
}

// What is in use is the peak, although the allocator has more from the device;
// of the devices, the one that used most.
TEST(OverviewMemoryTest, ThePeakIsWhatWasInUse) {
  timeline::TraceModel model(/*ticks_per_micro=*/1000);
  profile::StringPool& strings = model.graph().strings;
  const profile::StringId unit = strings.Intern("bytes");
  const auto add = [&](std::string_view name,
                       std::vector<profile::CounterSample> samples) {
    model.builder().AddCounter({.name = strings.Intern(name),
                                .unit = unit,
                                .process = model.process()},
                               std::move(samples));
  };
  model.Add({.node = model.Op("op"), .lane = model.Ops(), .duration = 900});
  add("gpu:0 allocated", {{0, 10}, {500, 1'500'000'000}, {600, 20}});
  add("gpu:0 reserved", {{0, 2'000'000'000}});
  model.NextRank(1);
  add("gpu:0 reserved", {{0, 3'000'000'000}});
  add("gpu:0 allocated", {{0, 20}});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  EXPECT_THAT(TextOf(MakeOverview(views, {}, {})),
              HasSubstr("Memory    peak 1.50GB in use on gpu:0, 2.00GB "
                        "reserved\n"));
}

TEST(OverviewRecordsTest, AllocatorsAndDumps) {
  timeline::TraceModel model(/*ticks_per_micro=*/1000);
  model.builder().SetAllocators({{.name = "gpu:0"}, {.name = "gpu:1"}});
  profile::CollectiveRecords records;
  records.dumps = {{.rank = 0}};
  model.builder().SetCollectiveRecords(std::move(records));
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const Overview overview = MakeOverview(views, {}, {});
  ASSERT_THAT(overview.records, SizeIs(3));
  EXPECT_EQ(overview.records[0].text,
            "0 recorded calls of 1 rank in 0 groups; nothing was compared, no "
            "collective has calls of two ranks");
  EXPECT_EQ(overview.records[1].text,
            "gpu:0: 0B allocated and 0B reserved at the end");
  EXPECT_EQ(overview.records[2].label, "");
  EXPECT_EQ(overview.next[0].command, "collectives");
  EXPECT_EQ(overview.next[1].command, "memory");
}

}  // namespace overview_test
}  // namespace
}  // namespace tfprof::inspect

#include "profile/check.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::profile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CheckTest, WhatIsBuiltAsItShouldBeIsWell) {
  EXPECT_EQ(CheckProfile(Profile()), absl::OkStatus());
  EXPECT_EQ(CheckProfile(accounting::SmallModel()), absl::OkStatus());
  EXPECT_EQ(CheckProfile(accounting::ShapedModel()), absl::OkStatus());
}

struct Fault {
  std::string_view error;
  std::function<void(ProfileBuilder&)> make;
};

GraphTables& GraphOf(ProfileBuilder& builder) {
  return builder.mutable_graph();
}

// A step with one execution of node 0.
void AddExecution(ProfileBuilder& builder, ExecutionRecord record) {
  record.node = 0;
  builder.AddGroups(7, {{.node = 0, .run_count = 1}}, {record});
}

class FaultTest : public testing::TestWithParam<Fault> {};

// Each fault is the only one of a profile that has most tables.
TEST_P(FaultTest, IsFound) {
  ProfileBuilder builder(NoAccounting(), accounting::ShapedModel());
  GetParam().make(builder);
  const Profile profile = std::move(builder).Build();
  const absl::Status status = CheckProfile(profile);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Graph, FaultTest,
    testing::Values(
        Fault{"nodes, row 1: op 999 of ",
              [](ProfileBuilder& b) { GraphOf(b).nodes.op[1] = 999; }},
        Fault{"nodes, row 0: op 4294967295 of ",
              [](ProfileBuilder& b) { GraphOf(b).nodes.op[0] = kNone; }},
        Fault{"nodes, row 0: types 99 of ",
              [](ProfileBuilder& b) { GraphOf(b).nodes.types[0] = 99; }},
        Fault{"nodes, row 0: parameter shape 99 of ",
              [](ProfileBuilder& b) {
                GraphOf(b).nodes.parameter_shape[0] = 99;
              }},
        Fault{"nodes, row 0: device 99 of ",
              [](ProfileBuilder& b) { GraphOf(b).nodes.device[0] = 99; }},
        Fault{"nodes, row 0: stack 99 of ",
              [](ProfileBuilder& b) { GraphOf(b).nodes.stack[0] = 99; }},
        Fault{"nodes, row 0: input 3 of ",
              [](ProfileBuilder& b) {
                GraphOf(b).nodes.record[0] = MakeRecordRef(3, 5);
              }},
        Fault{"nodes, row 0: the column float operations has 1 values for ",
              [](ProfileBuilder& b) { GraphOf(b).nodes.float_ops = {1}; }},
        Fault{"nodes, row 0: forward node 99 of ",
              [](ProfileBuilder& b) { b.SetForward(0, 99); }},
        Fault{"nodes, row 0: scope 99 of ",
              [](ProfileBuilder& b) { b.SetScope(0, 99); }},
        Fault{"nodes, row 0: node of a name 99 of ",
              [](ProfileBuilder& b) { GraphOf(b).nodes.by_name = {99}; }},
        Fault{"nodes, row 0: the column same texts has 1 values for ",
              [](ProfileBuilder& b) { GraphOf(b).nodes.same_texts = {1}; }},
        Fault{"edges, row 2: begin is not ascending",
              [](ProfileBuilder& b) { GraphOf(b).nodes.edge_begin[1] = 99; }},
        Fault{"edges, row 0: source 999 of ",
              [](ProfileBuilder& b) {
                NodeTable& nodes = GraphOf(b).nodes;
                ASSERT_FALSE(nodes.edge_source.empty());
                nodes.edge_source[0] = 999;
              }},
        Fault{"edges, row 0: the column position has 1 values for ",
              [](ProfileBuilder& b) {
                b.AddNode("reader", "Add", kNoRecord);
                b.AddEdge(0, 0, 0, 0);
                b.AddEdge(0, 1, 0, 0);
                GraphOf(b).nodes.edge_position = {1};
              }},
        Fault{"output shapes, row 0: shape 99 of ",
              [](ProfileBuilder& b) {
                NodeTable& nodes = GraphOf(b).nodes;
                nodes.output_shape.push_back({0, 99});
                nodes.shape_begin.back() =
                    static_cast<uint32_t>(nodes.output_shape.size());
                std::swap(nodes.output_shape.front(),
                          nodes.output_shape.back());
              }},
        Fault{"scopes, row 4: parent 77 of 4",
              [](ProfileBuilder& b) { GraphOf(b).scopes.Push(77, 0); }},
        Fault{"scopes, row 4: name 999 of ",
              [](ProfileBuilder& b) { GraphOf(b).scopes.Push(0, 999); }},
        Fault{"modules, row 3: name 999 of ",
              [](ProfileBuilder& b) { GraphOf(b).modules.Intern(999); }},
        Fault{"file 999 of ",
              [](ProfileBuilder& b) {
                GraphOf(b).stacks.Push(kNoStack, Frame{.file = 999});
              }},
        Fault{"caller 77 of ",
              [](ProfileBuilder& b) { GraphOf(b).stacks.Push(77, Frame{}); }},
        Fault{"frame 99 of ",
              [](ProfileBuilder& b) {
                GraphOf(b).stacks.Push(kNoStack, FrameId{99});
              }},
        Fault{"physical devices, row ", [](ProfileBuilder& b) {
                GraphOf(b).lanes.InternPhysical(99, "gpu:7", "gpu:7");
              }}));

// Returns a fault of a lane that is added.
Fault OfLane(std::string_view error, Lane lane) {
  return {error, [lane](ProfileBuilder& builder) {
            LaneTable& lanes = GraphOf(builder).lanes;
            const LaneId id = lanes.Add({});
            lanes.mutable_lane(id) = lane;
            if (lane.repeats == 0) lanes.mutable_lane(id).repeats = id;
          }};
}

INSTANTIATE_TEST_SUITE_P(
    Lanes, FaultTest,
    testing::Values(OfLane("process 99 of ", {.process = 99}),
                    OfLane("name 999 of ", {.name = 999}),
                    OfLane("device 99 of ", {.device = 99}),
                    OfLane("physical device 99 of ", {.physical = 99}),
                    OfLane("repeated lane 99 of ", {.repeats = 99}),
                    OfLane("the lane repeats itself", {.repeats = 0})));

INSTANTIATE_TEST_SUITE_P(
    Steps, FaultTest,
    testing::Values(
        Fault{"executions of step 7, row 0: lane 99 of ",
              [](ProfileBuilder& b) { AddExecution(b, {.lane = 99}); }},
        Fault{"executions of step 7, row 0: input 9 of ",
              [](ProfileBuilder& b) {
                AddExecution(b, {.lane = 0, .record = MakeRecordRef(9, 0)});
              }},
        Fault{"executions of step 7, row 0: name 999 of ",
              [](ProfileBuilder& b) {
                b.AddOutside(7, {.name = 999, .lane = 0});
              }},
        Fault{"counters, row 1: name 999 of ",
              [](ProfileBuilder& b) { b.AddCounter({.name = 999}, {}); }},
        Fault{"counters, row 1: process 99 of ",
              [](ProfileBuilder& b) {
                b.AddCounter({.name = 0, .process = 99}, {});
              }},
        Fault{"counters, row 1: lane 99 of ",
              [](ProfileBuilder& b) {
                b.AddCounter({.name = 0, .lane = 99}, {});
              }},
        Fault{"step intervals, row 2: process 99 of ",
              [](ProfileBuilder& b) {
                b.AddStepInterval({.step = 90, .process = 99});
              }},
        Fault{"step intervals, row 2: name 999 of ",
              [](ProfileBuilder& b) {
                b.AddStepInterval({.step = 90, .name = 999});
              }},
        Fault{"step intervals, row 2: the end, 4, is before the start, 5",
              [](ProfileBuilder& b) {
                b.AddStepInterval({.step = 90, .start = 5, .end = 4});
              }},
        Fault{"step phases, row 0: process 99 of ",
              [](ProfileBuilder& b) {
                b.AddStep(90);
                b.AddStepPhase({.step = 90, .process = 99});
              }},
        Fault{"graph replays, row 0: process 99 of ",
              [](ProfileBuilder& b) {
                b.AddStep(90);
                b.AddGraphReplay({.step = 90, .process = 99});
              }},
        Fault{"pipeline operations, row 0: type 999 of ",
              [](ProfileBuilder& b) {
                b.AddStep(90);
                b.AddPipelineOp({.step = 90, .type = 999});
              }},
        Fault{"pipeline operations, row 0: rank -1 of stage 0",
              [](ProfileBuilder& b) {
                b.AddStep(90);
                b.AddPipelineOp({.step = 90, .dp = -1, .type = 0});
              }}));

INSTANTIATE_TEST_SUITE_P(
    OtherTables, FaultTest,
    testing::Values(
        Fault{"kernel counters, row 0: name 999 of ",
              [](ProfileBuilder& b) {
                b.SetKernelCounters({.counters = {{.name = 999}}});
              }},
        Fault{"kernel counters, row 0: node 99 of ",
              [](ProfileBuilder& b) {
                b.SetKernelCounters({.kernels = {{.name = 0, .node = 99}}});
              }},
        Fault{"kernel counters, row 0: the column value has 0 values for 1",
              [](ProfileBuilder& b) {
                b.SetKernelCounters(
                    {.counters = {{.name = 0}}, .kernels = {{.name = 0}}});
              }},
        Fault{"allocator events of gpu:0, row 0: event 9 of 1",
              [](ProfileBuilder& b) {
                b.SetAllocators({{.name = "gpu:0", .events = {{.pair = 9}}}});
              }},
        Fault{"blocks of gpu:0, row 0: stack 99 of ",
              [](ProfileBuilder& b) {
                b.SetAllocators({{.name = "gpu:0", .blocks = {{.stack = 99}}}});
              }},
        Fault{"segments of gpu:0, row 0: last block 3 of 1",
              [](ProfileBuilder& b) {
                b.SetAllocators(
                    {{.name = "gpu:0",
                      .segments = {{.first_block = 1, .num_blocks = 2}}}});
              }},
        Fault{"ranges of gpu:0, row 0: the end is before the start",
              [](ProfileBuilder& b) {
                b.SetAllocators(
                    {{.name = "gpu:0",
                      .ranges = {{.name = 0, .start = 2, .end = 1}}}});
              }},
        Fault{"groups of collectives, row 0: name 3 of 0",
              [](ProfileBuilder& b) {
                b.SetCollectiveRecords({.groups = {{.name = 3}}});
              }},
        Fault{
            "collective calls, row 0: dump 0 of 0",
            [](ProfileBuilder& b) { b.SetCollectiveRecords({.calls = {{}}}); }},
        Fault{"progress of collectives, row 0: dump 0 of 0",
              [](ProfileBuilder& b) {
                b.SetCollectiveRecords({.progress = {{}}});
              }},
        Fault{"compilations, row 0: log 0 of 0",
              [](ProfileBuilder& b) {
                b.SetCompileLogs({.compilations = {{}}});
              }},
        Fault{"phases of compilers, row 0: log 0 of 0",
              [](ProfileBuilder& b) { b.SetCompileLogs({.phases = {{}}}); }}));

// Steps are made of columns, which no builder makes wrong.
TEST(CheckTest, ColumnsOfStepsFit) {
  struct StepFault {
    std::string_view error;
    std::function<void(Step&)> make;
  };
  const Profile profile = accounting::ShapedModel();
  const Step& step = *profile.steps()[0];
  const size_t groups = step.num_groups(), records = step.num_records();
  ASSERT_GT(groups, 2u);
  ASSERT_GE(records, groups);
  const std::vector<StepFault> faults = {
      {"row 0: node 99 of ",
       [&](Step& s) { s.node = IntColumn::Repeat(groups, 99); }},
      {"row 1: node 2 after node 2",
       [&](Step& s) { s.node = IntColumn::Repeat(groups, 2); }},
      {"the column of a sum has 1 values",
       [&](Step& s) { s.sums.cpu_time = IntColumn::Repeat(1, 0); }},
      {"the column last end has 1 values",
       [&](Step& s) { s.sums.end = TimeColumn(IntColumn::Repeat(1, 0), 1); }},
      {"the column has start has 1 values",
       [&](Step& s) { s.exec_has_start = IntColumn::Repeat(1, 0); }},
      {"the column duration has 1 values",
       [&](Step& s) {
         s.exec_duration = TimeColumn(IntColumn::Repeat(1, 0), 1);
       }},
      {"the column record has 1 values",
       [&](Step& s) { s.exec_record = IntColumn::Repeat(1, -1); }},
      {"row 0: lane -1 of ",
       [&](Step& s) { s.exec_lane = IntColumn::Repeat(records, -1); }},
      {"the column first execution has 2 values",
       [&](Step& s) { s.first_exec = IntColumn::Repeat(2, 0); }},
      {"0 of ",
       [&](Step& s) { s.first_exec = IntColumn::Repeat(groups + 1, 0); }},
      {"row 1: first execution ",
       [&](Step& s) {
         s.first_exec = IntColumn(groups + 1, [&](size_t i) {
           return static_cast<int64_t>(groups - i);
         });
       }},
      {"99 executions of no node, of ",
       [&](Step& s) { s.outside_name = IntColumn::Repeat(99, 0); }},
  };
  for (const StepFault& fault : faults) {
    auto wrong = std::make_shared<Step>(step);
    fault.make(*wrong);
    const absl::Status status =
        CheckProfile(profile.WithSteps({std::move(wrong)}));
    EXPECT_THAT(std::string(status.message()),
                AllOf(StartsWith("executions of step 1, row "),
                      HasSubstr(fault.error)));
  }
}

TEST(CheckTest, StepsAreInTheirOrder) {
  const Profile profile = accounting::ShapedModel();
  const absl::Status status =
      CheckProfile(profile.WithSteps({profile.steps()[1], profile.steps()[0]}));
  EXPECT_EQ(status.message(), "steps, row 1: step 1 after step 2");
}

// A builder drops links without ends, unless a loader says that they are well.
TEST(CheckTest, LinksHaveTwoEnds) {
  for (const auto& [link, error] : std::vector<std::pair<Link, std::string>>{
           {{.from = {0, 0}, .to = {0, 1}}, ""},
           {{.from = {0, 0}, .to = {0, 2}},
            "links, row 0: step 0 has 2 executions, not 2"},
           {{.from = {5, 0}, .to = {0, 1}}, "links, row 0: there is no step 5"},
       }) {
    ProfileBuilder builder;
    builder.AddNode("a", "A", kNoRecord);
    builder.mutable_graph().lanes.Add({});
    builder.AddGroups(0, {{.node = 0, .run_count = 2}},
                      {{.node = 0, .lane = 0}, {.node = 0, .lane = 0}});
    builder.AddSortedLinks(Links(std::span(&link, 1)));
    const Profile profile = std::move(builder).Build();
    EXPECT_THAT(std::string(CheckProfile(profile).message()),
                StartsWith(error));
    EXPECT_EQ(CheckProfile(profile).ok(), error.empty());
  }
}

}  // namespace
}  // namespace tfprof::profile

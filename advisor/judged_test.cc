#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "accounting/small_model_testing.h"
#include "advisor/can_judge.h"
#include "advisor/checkers/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/ranks/pipeline_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::HasSubstr;

std::string WhyNot(const profile::Profile& profile, std::string_view name) {
  const loaders::ImportLog log;
  views::Views views(profile);
  const Checker* checker = FindChecker(name);
  EXPECT_NE(checker, nullptr) << name;
  return WhyNotJudged(*checker, CheckerSettings(checker->options),
                      {views, log});
}

using JudgedTest = tensorflow::ProfileTest;

TEST_F(JudgedTest, AGraphAloneHasNoTimes) {
  Node("a", "MatMul");
  const profile::Profile profile = Build();
  for (const std::string name :
       {"IdleChecker", "StepVarianceChecker", "IdleChecker"}) {
    EXPECT_EQ(WhyNot(profile, name), "no execution was recorded") << name;
  }
  // The checker judges graphs.
  EXPECT_EQ(WhyNot(profile, "OperationChecker"), "");
}

TEST_F(JudgedTest, ShortStepsAreNamed) {
  Ran(Node("a", "MatMul"), 100, 10, 0, "/job:w/device:CPU:0");
  EXPECT_EQ(WhyNot(Build(), "IdleChecker"),
            "judges steps of 1.00ms and more; the longest takes 10us");
}

TEST_F(JudgedTest, FewSteps) {
  Ran(Node("a", "MatMul"), 100, 5000, 0, "/job:w/device:CPU:0");
  const profile::Profile profile = Build();
  EXPECT_EQ(WhyNot(profile, "StepVarianceChecker"),
            "needs 4 steps with times, the profile has 1");
  EXPECT_EQ(WhyNot(profile, "IdleChecker"), "");
  EXPECT_EQ(WhyNot(profile, "JobChecker"), "one process");
}

TEST_F(JudgedTest, WhatIsMissingIsNamed) {
  Ran(Node("a", "MatMul"), 100, 5000, 0, "/job:w/device:CPU:0");
  const profile::Profile ops = Build();
  EXPECT_EQ(WhyNot(ops, "IdleChecker"), "");
  EXPECT_EQ(WhyNot(ops, "CopyChecker"),
            "no kernels and no copies of an accelerator");
  EXPECT_EQ(WhyNot(ops, "WallChecker"), "no calls of a host");
  EXPECT_EQ(WhyNot(ops, "MemoryGrowthChecker"), "no counter in bytes");

  timeline::TraceModel model;
  model.Add({.name = "mm",
             .node = model.Op("aten::mm"),
             .lane = model.Ops(),
             .start = 0,
             .duration = 100});
  const profile::Profile calls = std::move(model).Build();
  EXPECT_EQ(WhyNot(calls, "InputPipelineChecker"),
            "no ops that are recorded one by one");
  EXPECT_EQ(WhyNot(calls, "IdleChecker"), "");
  EXPECT_EQ(WhyNot(calls, "ScalarReadChecker"),
            "no kernels and no copies of an accelerator");
  EXPECT_EQ(WhyNot(calls, "RecompilationChecker"), "");
  EXPECT_THAT(WhyNot(calls, "ThreadChecker"), HasSubstr("of PyTorch"));
  EXPECT_EQ(WhyNot(calls, "NegotiationChecker"), "no negotiation of Horovod");
}

TEST_F(JudgedTest, AMemorySnapshotHasNoTimes) {
  const profile::NodeId node = Node("a", "MatMul");
  builder_.SetAllocators({profile::AllocatorHistory{.name = "gpu:0"}});
  builder_.AddStep(0);
  builder_.AddGroups(0, {{.node = node, .run_count = 1, .peak_bytes = 8}},
                     {{.node = node, .lane = 0, .peak_bytes = 8}});
  const profile::Profile profile = Build();
  EXPECT_EQ(WhyNot(profile, "SiblingChecker"),
            "a memory snapshot has no times");
  EXPECT_EQ(WhyNot(profile, "IdleChecker"), "a memory snapshot has no times");
  EXPECT_EQ(WhyNot(profile, "SnapshotChecker"), "");
  EXPECT_THAT(WhyNot(profile, "StartTimesChecker"), HasSubstr("no runs"));
  EXPECT_EQ(WhyNot(profile, "MemoryChecker"), "");
}

TEST_F(JudgedTest, SeveralRanks) {
  timeline::TraceModel model;
  model.Add({.name = "mm",
             .node = model.Op("aten::mm"),
             .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
             .start = 0,
             .duration = 100});
  EXPECT_EQ(WhyNot(std::move(model).Build(), "SkewChecker"),
            "one process and at most one accelerator");
}

TEST_F(JudgedTest, WaitingInPipelinesIsNotRecorded) {
  // Checkers ask for executions first.
  profile::ProfileBuilder builder(accounting::SelfTimeRules(),
                                  timeline::PipelineJob().Build());
  const profile::LaneId lane = builder.mutable_graph().lanes.Add(
      {.process = builder.mutable_graph().lanes.InternProcess("p"),
       .kind = profile::LaneKind::kCompute});
  const profile::NodeId node =
      builder.AddNode("a", "MatMul", profile::kNoRecord);
  const std::vector<profile::ExecutionRecord> records = {
      {.node = node, .lane = lane, .start = 0, .duration = 5000}};
  builder.AddExecutions(10, records, {});
  builder.FinishAllSteps();
  const profile::Profile profile = std::move(builder).Build();
  for (const std::string name : {"IdleChecker", "OverlapChecker", "SkewChecker",
                                 "StepVarianceChecker"}) {
    EXPECT_THAT(WhyNot(profile, name), HasSubstr("waiting of a pipeline"))
        << name;
  }
  EXPECT_EQ(WhyNot(profile, "PipelineChecker"), "");
  EXPECT_EQ(WhyNot(profile, "LayoutChecker"), "");
  EXPECT_EQ(WhyNot(accounting::SmallModel(), "PipelineChecker"),
            "no workers of a pipeline-parallel job");
}

}  // namespace
}  // namespace tfprof::advisor

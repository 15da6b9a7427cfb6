#include "timeline/ranks/pipeline.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "timeline/ranks/pass_sizes.h"
#include "timeline/ranks/pipeline_testing.h"
#include "timeline/ranks/pipeline_what_if.h"

namespace tfprof::timeline {
namespace {
namespace pipeline_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// The tolerance covers rounding to nanoseconds.
constexpr double kMicro = 1;

Pipeline MakePipeline(const profile::Profile& profile) {
  absl::StatusOr<Pipeline> made = Pipeline::Make(profile);
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? *std::move(made) : Pipeline();
}

double OwnTime(const Pipeline& pipeline, size_t step) {
  std::vector<double> lengths;
  for (size_t t = 0; t < pipeline.tasks().size(); ++t) {
    for (size_t dp = 0; dp < pipeline.dps().size(); ++dp) {
      lengths.push_back(pipeline.Own(step, t, dp));
    }
  }
  return pipeline.StepTime(lengths, pipeline.dps().size());
}

TEST(PipelineTest, StepsTakeWhatTheyTook) {
  struct Shape {
    int dps, stages, batches;
  };
  for (const Shape& shape : {Shape{4, 4, 8}, Shape{1, 3, 6}, Shape{2, 1, 4},
                             Shape{3, 6, 2}, Shape{5, 2, 1}}) {
    PipelineJob job;
    job.dps = shape.dps;
    job.stages = shape.stages;
    job.batches = shape.batches;
    job.noise = 0.3;
    const profile::Profile profile = job.Build();
    const Pipeline pipeline = MakePipeline(profile);
    ASSERT_EQ(pipeline.steps().size(), 4u);
    for (size_t step = 0; step < 4; ++step) {
      EXPECT_NEAR(OwnTime(pipeline, step), pipeline.Recorded(step), kMicro)
          << shape.dps << " ranks, " << shape.stages << " stages";
    }
  }
}

TEST(PipelineTest, AWrongClockChangesNoLength) {
  PipelineJob job;
  const profile::Profile right = job.Build();
  job.clocks = {0, 5'000};
  const profile::Profile wrong = job.Build();
  EXPECT_NEAR(OwnTime(MakePipeline(right), 0), OwnTime(MakePipeline(wrong), 0),
              kMicro);
}

TEST(PipelineTest, IdealLengthsAreMeansOfComputingAndMediansOfTransfers) {
  PipelineJob job;
  job.dps = 2;
  job.stages = 1;
  job.batches = 1;
  job.steps = 2;
  job.noise = 0;
  // One of four is three times as long.
  job.plant = [](const PipelineJob::Where& op, double micros) {
    return op.step == 1 && op.dp == 1 ? 3 * micros : micros;
  };
  const profile::Profile profile = job.Build();
  const Pipeline pipeline = MakePipeline(profile);
  for (size_t t = 0; t < pipeline.tasks().size(); ++t) {
    if (pipeline.tasks()[t].kind == PipelineKind::kForward) {
      EXPECT_DOUBLE_EQ(pipeline.Ideal(t), 150'000);
    } else if (pipeline.tasks()[t].kind == PipelineKind::kReduce) {
      EXPECT_DOUBLE_EQ(pipeline.Ideal(t), 80'000);
    }
  }
}

TEST(PipelineTest, NothingToModel) {
  EXPECT_THAT(
      std::string(Pipeline::Make(profile::Profile()).status().message()),
      HasSubstr("no execution says its data-parallel rank"));
}

TEST(PipelineTest, AnInterleavedPipelineIsRefused) {
  PipelineJob job;
  job.model_chunks = 2;
  EXPECT_THAT(std::string(Pipeline::Make(job.Build()).status().message()),
              HasSubstr("several model chunks"));
}

// Returns the profile without the operations for which drops(op) is true.
template <typename Drops>
profile::Profile Without(const profile::Profile& profile, Drops drops) {
  profile::ProfileBuilder builder;
  for (size_t i = 0; i < profile.pipeline_ops().size(); ++i) {
    profile::PipelineOp op = profile.pipeline_ops()[i];
    if (drops(op)) continue;
    op.type =
        builder.mutable_graph().strings.Intern(profile.strings().Get(op.type));
    builder.AddStep(op.step);
    builder.AddPipelineOp(op);
  }
  builder.FinishAllSteps();
  return std::move(builder).Build();
}

TEST(PipelineTest, StepsThatWereCutAreLeftOut) {
  const profile::Profile profile =
      Without(PipelineJob().Build(), [](const profile::PipelineOp& op) {
        return (op.step == 10 && op.start < 500'000'000) ||
               (op.step == 13 && op.dp == 2 && op.sequence == 7);
      });
  const Pipeline pipeline = MakePipeline(profile);
  EXPECT_THAT(pipeline.steps(), ElementsAre(11, 12));
  EXPECT_THAT(pipeline.left_out(), ElementsAre(10, 13));
}

TEST(PipelineTest, RanksMustDoTheSame) {
  const profile::Profile profile =
      Without(PipelineJob().Build(), [](const profile::PipelineOp& op) {
        return op.dp == 1 && op.sequence == 3;
      });
  EXPECT_THAT(std::string(Pipeline::Make(profile).status().message()),
              HasSubstr("in no step do all data-parallel ranks"));
}

TEST(PipelineTest, TooManyStagesAreRefused) {
  profile::ProfileBuilder builder;
  profile::PipelineOp op;
  op.type = builder.mutable_graph().strings.Intern("forward-compute");
  builder.AddStep(0);
  for (op.stage = 0; op.stage < 100'000; ++op.stage) builder.AddPipelineOp(op);
  builder.FinishAllSteps();
  EXPECT_THAT(
      std::string(
          Pipeline::Make(std::move(builder).Build()).status().message()),
      HasSubstr("100000 stages and 1 types"));
}

// ---- Figures

TEST(PipelineWhatIfTest, FiguresOfOneSlowRank) {
  PipelineJob job;
  job.dps = 2;
  job.stages = 1;
  job.batches = 1;
  job.steps = 2;
  job.noise = 0;
  job.plant = [](const PipelineJob::Where& op, double micros) {
    return op.dp == 1 && op.type == "forward-compute" ? 3 * micros : micros;
  };
  const profile::Profile profile = job.Build();
  const Pipeline pipeline = MakePipeline(profile);
  const PipelineWhatIf what_if = ComputePipelineWhatIf(pipeline, {});
  // 50 gather, 300 forward, 190 backward, 9 embedding, 80 reduce, 4 clip, 30
  // optimizer; the mean forward takes 200.
  EXPECT_NEAR(what_if.own, 663'000, kMicro);
  EXPECT_NEAR(what_if.ideal, 563'000, kMicro);
  EXPECT_NEAR(what_if.slowdown, 663.0 / 563, 1e-6);
  EXPECT_NEAR(what_if.late, 1, 1e-6);
  EXPECT_NEAR(what_if.recorded, 663'000, kMicro);
  EXPECT_THAT(what_if.dps,
              ElementsAre(::testing::DoubleNear(1, 1e-6),
                          ::testing::DoubleNear(663.0 / 563, 1e-6)));
  EXPECT_THAT(what_if.stages,
              ElementsAre(::testing::DoubleNear(663.0 / 563, 1e-6)));
  ASSERT_TRUE(what_if.worst_workers && what_if.last_stage);
  EXPECT_NEAR(*what_if.worst_workers, 1, 1e-6);
  EXPECT_NEAR(*what_if.last_stage, 1, 1e-6);
  EXPECT_TRUE(what_if.workers[1].worst);
  EXPECT_FALSE(what_if.workers[0].worst);
  EXPECT_THAT(what_if.types[2], Pair("forward-compute",
                                     ::testing::DoubleNear(663.0 / 563, 1e-6)));
  EXPECT_EQ(what_if.steps.size(), 2u);
}

TEST(PipelineWhatIfTest, TransfersAreTwoTypes) {
  const profile::Profile profile = PipelineJob().Build();
  const PipelineWhatIf what_if =
      ComputePipelineWhatIf(MakePipeline(profile), {});
  std::vector<std::string> names;
  for (const auto& [name, slowdown] : what_if.types) names.push_back(name);
  EXPECT_THAT(
      names, ElementsAre("backward-compute", "backward-pp-comm",
                         "embedding-grads-all-reduce", "forward-compute",
                         "forward-pp-comm", "grads-reduce-scatter", "optimizer",
                         "optimizer-clip-main-grad", "params-all-gather"));
}

// The ranks that are ideal are simulated as one: the result must not change.
TEST(PipelineWhatIfTest, ARankAloneIsSimulatedWithAllOthers) {
  PipelineJob job;
  job.noise = 0.2;
  const profile::Profile profile = job.Build();
  const Pipeline pipeline = MakePipeline(profile);
  const PipelineWhatIf what_if = ComputePipelineWhatIf(pipeline, {});
  for (size_t dp = 0; dp < pipeline.dps().size(); ++dp) {
    const PipelineVariant alone = {
        .length = [&](size_t step, size_t task, size_t of) {
          return of == dp ? pipeline.Own(step, task, of) : pipeline.Ideal(task);
        }};
    EXPECT_DOUBLE_EQ(MeanStepTimes(pipeline, {&alone, 1}, {})[0],
                     what_if.dps[dp] * what_if.ideal);
  }
}

TEST(PipelineWhatIfTest, AnEvenJobLosesNothing) {
  PipelineJob job;
  job.noise = 0;
  const profile::Profile profile = job.Build();
  const PipelineWhatIf what_if =
      ComputePipelineWhatIf(MakePipeline(profile), {});
  EXPECT_NEAR(what_if.slowdown, 1, 1e-9);
  EXPECT_FALSE(what_if.worst_workers);
}

TEST(PipelineWhatIfTest, KeptWithItsReason) {
  const profile::Profile profile;
  const KeptPipeline kept(profile);
  EXPECT_TRUE(absl::IsFailedPrecondition(kept.status()));
}

// ---- Sizes

TEST(PassSizesTest, EachSizeIsFound) {
  PipelineJob job;
  job.stages = 3;
  job.noise = 0;
  job.plant = [](const PipelineJob::Where& op, double micros) {
    if (!op.is_pass()) return micros;
    if (op.stage == 2) micros *= 1.5;
    if (op.dp == 3) micros *= 2;
    if (op.dp == 0 && op.number == 5 && op.step == 1) micros *= 4;
    if (op.dp == 1 && op.stage == 1) micros *= 3;
    return micros;
  };
  const profile::Profile profile = job.Build();
  const Pipeline pipeline = MakePipeline(profile);
  const PassSizes sizes(pipeline);
  ASSERT_EQ(sizes.num_batches(), 8u);
  for (size_t t = 0; t < pipeline.tasks().size(); ++t) {
    const PipelineTask& task = pipeline.tasks()[t];
    EXPECT_EQ(sizes.IsPass(t), task.kind == PipelineKind::kForward ||
                                   task.kind == PipelineKind::kBackward);
    if (!sizes.IsPass(t)) continue;
    EXPECT_NEAR(sizes.Stage(0, t), task.stage == 2 ? 1.5 : 1, 1e-6);
    EXPECT_NEAR(sizes.Rank(t, 3) / sizes.Rank(t, 0), 2, 1e-6);
    EXPECT_NEAR(sizes.Batch(1, t, 0) / sizes.Batch(0, t, 0),
                task.sequence == 5 ? 4 : 1, 1e-6);
    EXPECT_NEAR(sizes.Worker(0, t, 1), task.stage == 1 ? 3 : 1, 1e-6);
    EXPECT_NEAR(sizes.Worker(1, t, 0), 1, 1e-6);
  }
}

TEST(PassSizesTest, LowerMedians) {
  EXPECT_EQ(LowerMedian({3, 1}), 1);
  EXPECT_EQ(LowerMedian({3, 1, 2}), 2);
  EXPECT_EQ(LowerMedian({}), 1);
  EXPECT_EQ(SizeRatio(6, 3), 2);
  EXPECT_EQ(SizeRatio(6, 0), 1);
}

}  // namespace pipeline_test
}  // namespace
}  // namespace tfprof::timeline

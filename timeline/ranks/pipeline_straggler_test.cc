#include "timeline/ranks/pipeline_straggler.h"

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "timeline/ranks/pipeline_testing.h"
#include "timeline/ranks/pipeline_what_if.h"

namespace tfprof::timeline {
namespace {
namespace pipeline_straggler_test {

using Kind = PipelineStraggler::Kind;
using Where = PipelineJob::Where;

struct Found {
  PipelineStraggler straggler;
  PipelineWhatIf what_if;
  std::string type;
};

Found FindIn(const PipelineJob& job) {
  const profile::Profile profile = job.Build();
  const absl::StatusOr<Pipeline> pipeline = Pipeline::Make(profile);
  EXPECT_TRUE(pipeline.ok()) << pipeline.status();
  Found found;
  found.what_if = ComputePipelineWhatIf(*pipeline, {});
  found.straggler = FindPipelineStraggler(*pipeline, found.what_if, {});
  if (found.straggler.type != profile::kNone) {
    found.type = profile.strings().Get(found.straggler.type);
  }
  return found;
}

// Jobs of other sizes, with more and less noise.
std::vector<PipelineJob> Jobs() {
  struct Shape {
    int dps, stages, batches, steps;
    double noise;
  };
  std::vector<PipelineJob> jobs;
  for (const Shape& shape :
       {Shape{4, 4, 8, 6, 0.02}, Shape{2, 4, 8, 3, 0.03},
        Shape{8, 2, 6, 4, 0.02}, Shape{3, 3, 12, 5, 0.01},
        Shape{5, 5, 10, 3, 0.03}, Shape{2, 2, 4, 8, 0.02}}) {
    PipelineJob job;
    job.dps = shape.dps;
    job.stages = shape.stages;
    job.batches = shape.batches;
    job.steps = shape.steps;
    job.noise = shape.noise;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::string Describe(const PipelineJob& job) {
  return std::to_string(job.dps) + " ranks, " + std::to_string(job.stages) +
         " stages, " + std::to_string(job.batches) + " micro-batches";
}

TEST(PipelineStragglerTest, EvenJobsLoseLittle) {
  for (const PipelineJob& job : Jobs()) {
    const Found found = FindIn(job);
    EXPECT_LT(found.what_if.slowdown, 1.04) << Describe(job);
    EXPECT_LT(found.what_if.late, 1.001) << Describe(job);
  }
}

TEST(PipelineStragglerTest, AWorker) {
  for (PipelineJob job : Jobs()) {
    for (const bool in_each_step : {true, false}) {
      const int dp = job.dps / 2, stage = job.stages - 1;
      job.plant = [=](const Where& op, double micros) {
        return op.is_pass() && op.dp == dp && op.stage == stage &&
                       (in_each_step || op.step % 2 == 0)
                   ? 1.8 * micros
                   : micros;
      };
      const Found found = FindIn(job);
      EXPECT_EQ(found.straggler.kind, Kind::kWorker) << Describe(job);
      EXPECT_EQ(found.straggler.dp, dp) << Describe(job);
      EXPECT_EQ(found.straggler.stage, stage) << Describe(job);
      EXPECT_GT(found.straggler.explains, 0.8) << Describe(job);
      EXPECT_GT(found.straggler.time, 1.2 * found.straggler.usual);
    }
  }
}

// Backward only, or the optimizer only.
TEST(PipelineStragglerTest, AWorkerThatIsSlowInOneType) {
  for (const std::string_view type : {"backward-compute", "optimizer"}) {
    PipelineJob job;
    job.plant = [=](const Where& op, double micros) {
      return op.type == type && op.dp == 3 && op.stage == 1
                 ? (type == "optimizer" ? 20 : 2) * micros
                 : micros;
    };
    const Found found = FindIn(job);
    EXPECT_EQ(found.straggler.kind, Kind::kWorker) << type;
    EXPECT_EQ(found.straggler.dp, 3u) << type;
    EXPECT_EQ(found.straggler.stage, 1u) << type;
  }
}

TEST(PipelineStragglerTest, ARank) {
  for (PipelineJob job : Jobs()) {
    job.plant = [](const Where& op, double micros) {
      return op.is_pass() && op.dp == 1 ? 1.5 * micros : micros;
    };
    const Found found = FindIn(job);
    EXPECT_EQ(found.straggler.kind, Kind::kWorker) << Describe(job);
    EXPECT_EQ(found.straggler.dp, 1u) << Describe(job);
    EXPECT_EQ(found.straggler.stage, std::nullopt) << Describe(job);
  }
}

TEST(PipelineStragglerTest, OfOneStageAWorkerIsARank) {
  PipelineJob job;
  job.stages = 1;
  job.plant = [](const Where& op, double micros) {
    return op.is_pass() && op.dp == 2 ? 1.5 * micros : micros;
  };
  const Found found = FindIn(job);
  EXPECT_EQ(found.straggler.kind, Kind::kWorker);
  EXPECT_EQ(found.straggler.dp, 2u);
  EXPECT_EQ(found.straggler.stage, 0u);
}

TEST(PipelineStragglerTest, AStage) {
  for (PipelineJob job : Jobs()) {
    for (const bool in_each_step : {true, false}) {
      const int stage = job.stages / 2;
      job.plant = [=](const Where& op, double micros) {
        return op.is_pass() && op.stage == stage &&
                       (in_each_step || op.step % 2 == 0)
                   ? 1.6 * micros
                   : micros;
      };
      const Found found = FindIn(job);
      EXPECT_EQ(found.straggler.kind, Kind::kStage) << Describe(job);
      EXPECT_EQ(found.straggler.stage, stage) << Describe(job);
      EXPECT_EQ(found.straggler.dp, std::nullopt) << Describe(job);
    }
  }
}

// The size of a micro-batch, which is another one in each step.
double SizeOf(const Where& op, double sigma) {
  std::mt19937 random(
      static_cast<unsigned>((op.step * 100 + op.dp) * 100 + op.number));
  random.discard(10);
  return std::exp(std::normal_distribution<double>(0, sigma)(random));
}

TEST(PipelineStragglerTest, Sequences) {
  for (PipelineJob job : Jobs()) {
    for (const double sigma : {0.3, 0.6}) {
      job.plant = [=](const Where& op, double micros) {
        return op.is_pass() ? SizeOf(op, sigma) * micros : micros;
      };
      EXPECT_EQ(FindIn(job).straggler.kind, Kind::kSequences) << Describe(job);
    }
  }
}

// As in a real job: sequences differ, and the last stage is long.
TEST(PipelineStragglerTest, SequencesAndALongStage) {
  PipelineJob job;
  job.dps = 16;
  job.stages = 2;
  job.steps = 8;
  job.plant = [](const Where& op, double micros) {
    if (op.stage == 1 && op.type == "forward-compute") micros *= 1.5;
    return op.is_pass() ? SizeOf(op, 0.4) * micros : micros;
  };
  EXPECT_EQ(FindIn(job).straggler.kind, Kind::kSequences);
}

TEST(PipelineStragglerTest, AMicroBatch) {
  for (PipelineJob job : Jobs()) {
    for (const bool in_all_ranks : {true, false}) {
      job.plant = [=](const Where& op, double micros) {
        return op.is_pass() && op.number == 2 && (in_all_ranks || op.dp == 1)
                   ? 3 * micros
                   : micros;
      };
      const Found found = FindIn(job);
      EXPECT_EQ(found.straggler.kind, Kind::kMicroBatch) << Describe(job);
      EXPECT_EQ(found.straggler.micro_batch, 2) << Describe(job);
      EXPECT_EQ(found.straggler.dp,
                in_all_ranks ? std::nullopt : std::optional<size_t>(1))
          << Describe(job);
    }
  }
}

TEST(PipelineStragglerTest, ALink) {
  for (PipelineJob job : Jobs()) {
    for (const bool of_all_ranks : {true, false}) {
      // If all links are slow, none is.
      if (of_all_ranks && job.stages == 2) continue;
      const int stage = job.stages - 2;
      job.plant = [=](const Where& op, double micros) {
        const bool of_next =
            op.stage == stage + 1 &&
            (op.type == "forward-recv" || op.type == "backward-send");
        const bool of_this = op.stage == stage && (op.type == "forward-send" ||
                                                   op.type == "backward-recv");
        return (of_next || of_this) && (of_all_ranks || op.dp == 1)
                   ? micros + 150'000
                   : micros;
      };
      const Found found = FindIn(job);
      EXPECT_EQ(found.straggler.kind, Kind::kLink) << Describe(job);
      EXPECT_EQ(found.straggler.stage, stage) << Describe(job);
      EXPECT_EQ(found.straggler.dp,
                of_all_ranks ? std::nullopt : std::optional<size_t>(1))
          << Describe(job);
    }
  }
}

TEST(PipelineStragglerTest, ACollective) {
  for (PipelineJob job : Jobs()) {
    for (const std::string type :
         {"grads-reduce-scatter", "params-all-gather"}) {
      job.plant = [=](const Where& op, double micros) {
        return op.type == type && op.stage == 1 ? 15 * micros : micros;
      };
      const Found found = FindIn(job);
      EXPECT_EQ(found.straggler.kind, Kind::kCollective) << Describe(job);
      EXPECT_EQ(found.straggler.stage, 1u) << Describe(job);
      EXPECT_EQ(found.type, type) << Describe(job);
    }
  }
}

TEST(PipelineStragglerTest, ALateFirstMicroBatch) {
  for (PipelineJob job : Jobs()) {
    job.late = [](const Where& op) {
      return op.type == "forward-compute" && op.number == 0 && op.stage == 0 &&
                     op.dp == 1
                 ? 900'000.0
                 : 0.0;
    };
    job.clocks = {0, 4'000};
    const Found found = FindIn(job);
    EXPECT_EQ(found.straggler.kind, Kind::kLateStart) << Describe(job);
    EXPECT_EQ(found.straggler.dp, 1u) << Describe(job);
    EXPECT_EQ(found.straggler.stage, std::nullopt) << Describe(job);
    EXPECT_NEAR(found.straggler.time, 900'000, 10'000) << Describe(job);
    EXPECT_GT(found.what_if.late, 1.1) << Describe(job);
    EXPECT_LT(found.what_if.slowdown, 1.04) << Describe(job);
  }
}

TEST(PipelineStragglerTest, AWorkerThatBeginsEachPassLate) {
  PipelineJob job;
  job.late = [](const Where& op) {
    return op.is_pass() && op.stage == 2 && op.dp == 3 ? 60'000.0 : 0.0;
  };
  const Found found = FindIn(job);
  EXPECT_EQ(found.straggler.kind, Kind::kLateStart);
  EXPECT_EQ(found.straggler.dp, 3u);
  EXPECT_EQ(found.straggler.stage, 2u);
}

TEST(PipelineStragglerTest, AllWorkersBeginLate) {
  PipelineJob job;
  job.late = [](const Where& op) { return op.is_pass() ? 30'000.0 : 0.0; };
  const Found found = FindIn(job);
  EXPECT_GT(found.what_if.late, 1.1);
  EXPECT_TRUE(found.straggler.kind == Kind::kLateAny ||
              found.straggler.kind == Kind::kLateStart);
}

TEST(PipelineStragglerTest, WrongClocksAreNotLate) {
  PipelineJob job;
  job.clocks = {0, 0, 800'000};
  const Found found = FindIn(job);
  EXPECT_GT(found.what_if.late, 1.1);
  EXPECT_EQ(found.straggler.kind, Kind::kClocks);
}

}  // namespace pipeline_straggler_test
}  // namespace
}  // namespace tfprof::timeline

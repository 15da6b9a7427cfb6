#include <string>
#include <string_view>

#include "advisor/advisor_testing.h"
#include "timeline/ranks/pipeline_testing.h"

namespace tfprof::advisor {
namespace {
namespace pipeline_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Where = timeline::PipelineJob::Where;

class PipelineCheckerTest : public AdvisorTest {
 protected:
  // Returns the only finding; an empty one if there is none or several.
  Finding Find(const timeline::PipelineJob& job,
               const std::map<std::string, double>& set = {}) {
    findings_.clear();
    const profile::Profile profile = job.Build();
    CheckProfile(profile, "PipelineChecker", set);
    EXPECT_EQ(findings_.size(), 1u);
    return findings_.size() == 1 ? findings_[0] : Finding();
  }
};

TEST_F(PipelineCheckerTest, EvenJobsAreFine) {
  timeline::PipelineJob job;
  for (const double noise : {0.0, 0.02, 0.03}) {
    job.noise = noise;
    job.clocks = {0, 4'000};
    EXPECT_THAT(CheckProfile(job.Build(), "PipelineChecker"), IsEmpty())
        << noise;
  }
}

TEST_F(PipelineCheckerTest, OtherProfilesAreNotJudged) {
  EXPECT_THAT(CheckProfile(profile::Profile(), "PipelineChecker"), IsEmpty());
}

TEST_F(PipelineCheckerTest, ASlowWorker) {
  timeline::PipelineJob job;
  job.noise = 0;
  job.plant = [](const Where& op, double micros) {
    return op.is_pass() && op.dp == 2 && op.stage == 1 ? 1.5 * micros : micros;
  };
  const Finding f = Find(job);
  EXPECT_EQ(f.rule, "slow_worker");
  EXPECT_EQ(f.subject, "DP rank [2], PP rank 1");
  EXPECT_EQ(f.severity, Finding::Severity::kWarning);
  EXPECT_NEAR(f.value, 1.219, 0.001);
  EXPECT_GT(f.saving_micros, 700'000);
  EXPECT_EQ(f.evidence, "what_if");
  EXPECT_EQ(f.text,
            "DP rank [2], PP rank 1 computes 3.51sec per step, 1.49 times the "
            "2.35sec of the same stage of the other ranks, and all others wait "
            "for it; the step takes 4.25sec, 1.22 times as long as the 3.48sec "
            "that it would if all did the same");
}

TEST_F(PipelineCheckerTest, LimitsAreOptions) {
  timeline::PipelineJob job;
  job.plant = [](const Where& op, double micros) {
    return op.is_pass() && op.dp == 2 && op.stage == 1 ? 1.5 * micros : micros;
  };
  EXPECT_EQ(Find(job, {{"critical", 1.2}}).severity,
            Finding::Severity::kCritical);
  findings_.clear();
  const profile::Profile profile = job.Build();
  EXPECT_THAT(CheckProfile(profile, "PipelineChecker", {{"slowdown", 1.3}}),
              IsEmpty());
}

TEST_F(PipelineCheckerTest, ASlowStage) {
  timeline::PipelineJob job;
  job.plant = [](const Where& op, double micros) {
    return op.is_pass() && op.stage == 3 ? 1.6 * micros : micros;
  };
  const Finding f = Find(job);
  EXPECT_EQ(f.rule, "slow_stage");
  EXPECT_EQ(f.subject, "PP rank 3");
  EXPECT_THAT(f.text, HasSubstr("of the other stages in every rank"));
}

TEST_F(PipelineCheckerTest, SequencesNameNoWorker) {
  timeline::PipelineJob job;
  job.plant = [](const Where& op, double micros) {
    const int size = (op.step * 5 + op.dp * 3 + op.number * 7) % 11;
    return op.is_pass() ? micros * (0.6 + 0.1 * size) : micros;
  };
  const Finding f = Find(job);
  EXPECT_EQ(f.rule, "sequence_imbalance");
  EXPECT_THAT(f.subject, Not(HasSubstr("rank")));
}

TEST_F(PipelineCheckerTest, AMicroBatch) {
  timeline::PipelineJob job;
  job.plant = [](const Where& op, double micros) {
    return op.is_pass() && op.dp == 3 && op.number == 5 ? 3 * micros : micros;
  };
  const Finding f = Find(job);
  EXPECT_EQ(f.rule, "slow_microbatch");
  EXPECT_EQ(f.subject, "DP rank [3], micro-batch 5");
}

TEST_F(PipelineCheckerTest, ALink) {
  timeline::PipelineJob job;
  job.plant = [](const Where& op, double micros) {
    const bool sends = op.stage == 1 && (op.type == "forward-send" ||
                                         op.type == "backward-recv");
    const bool receives = op.stage == 2 && (op.type == "forward-recv" ||
                                            op.type == "backward-send");
    return op.dp == 0 && (sends || receives) ? micros + 90'000 : micros;
  };
  const Finding f = Find(job);
  EXPECT_EQ(f.rule, "slow_link");
  EXPECT_EQ(f.subject, "DP rank [0], PP rank 1 and PP rank 2");
}

TEST_F(PipelineCheckerTest, ACollective) {
  timeline::PipelineJob job;
  job.plant = [](const Where& op, double micros) {
    return op.type == "grads-reduce-scatter" && op.stage == 2 ? 12 * micros
                                                              : micros;
  };
  const Finding f = Find(job);
  EXPECT_EQ(f.rule, "slow_collective");
  EXPECT_EQ(f.subject, "grads-reduce-scatter, PP rank 2");
}

TEST_F(PipelineCheckerTest, ALateStartHasTheSlowdownByLateBegins) {
  timeline::PipelineJob job;
  job.noise = 0;
  job.late = [](const Where& op) {
    return op.type == "forward-compute" && op.number == 0 && op.stage == 0 &&
                   op.dp == 1
               ? 900'000.0
               : 0.0;
  };
  const Finding f = Find(job);
  EXPECT_EQ(f.rule, "late_start");
  EXPECT_EQ(f.subject, "DP rank [1]");
  EXPECT_NEAR(f.value, 1.266, 0.001);
  EXPECT_THAT(f.text,
              HasSubstr("begins 900.00ms later than it could because its "
                        "input was not there; the step takes 4.28sec and not "
                        "3.38sec, 1.27 times as long"));
}

TEST_F(PipelineCheckerTest, WrongClocksAreOnlyInformation) {
  timeline::PipelineJob job;
  job.clocks = {0, 0, 800'000};
  EXPECT_EQ(Find(job).severity, Finding::Severity::kInfo);
}

}  // namespace pipeline_test
}  // namespace
}  // namespace tfprof::advisor

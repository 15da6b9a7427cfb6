#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace memory_growth_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "MemoryGrowthChecker";
constexpr double kMega = 1e6;

class GrowingBytesTest : public CallsCheckTest {
 protected:
  // Steps of 100 us: each ends at `least` MB, and uses 500 MB more before.
  void Steps(const std::vector<double>& least) {
    std::vector<profile::CounterSample> samples;
    int64_t step = 0;
    for (const double mega : least) {
      const int64_t start = 100 * step;
      StepInterval(step, start, start + 100);
      HostOp("aten::mm", start, 90, step);
      samples.push_back({(start + 20) * kTicks, (mega + 500) * kMega});
      samples.push_back({(start + 80) * kTicks, mega * kMega});
      ++step;
    }
    profile::Counter counter;
    counter.name = model_.graph().strings.Intern("gpu:0 allocated");
    counter.unit = model_.graph().strings.Intern("bytes");
    counter.process = model_.process();
    model_.builder().AddCounter(std::move(counter), std::move(samples));
  }
};

// The smallest level of a step is the end of the step before: 120 MB in the
// third.
TEST_F(GrowingBytesTest, EachStepKeepsSomething) {
  Steps({100, 110, 120, 130, 140});
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre("gpu:0 allocated: the bytes in use grow with each of "
                          "5 steps, from 100.00MB to 130.00MB (30.0%, 10.00MB "
                          "for each step)"));
  EXPECT_EQ(findings_[0].subject, "gpu:0 allocated");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

TEST_F(GrowingBytesTest, TheSameInEachStepIsFine) {
  Steps({100, 100, 100, 100, 100});
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(GrowingBytesTest, AStepThatFreesEndsTheGrowth) {
  Steps({100, 120, 140, 110, 160, 180});
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(GrowingBytesTest, TheFirstStepSetsUp) {
  Steps({10, 500, 500, 500, 500});
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(GrowingBytesTest, FewStepsAreNotJudged) {
  Steps({100, 150, 200});
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre("Missing bytes in use of 4 steps. Skip "
                                  "MemoryGrowthChecker"));
}

}  // namespace memory_growth_test
}  // namespace
}  // namespace tfprof::advisor

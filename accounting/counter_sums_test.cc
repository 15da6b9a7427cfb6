#include "accounting/counter_sums.h"

#include <limits>
#include <utility>

#include "accounting/node_stats.h"
#include "accounting/tfprof_rules.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::accounting {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// Returns a profile in which "a" has two kernels in step 1 and one in step 2.
// "b" has one kernel in step 2, whose cache was not counted.
profile::Profile Counted() {
  profile::ProfileBuilder builder{TfprofRules()};
  const profile::NodeId a = builder.AddNode("a", "MatMul", profile::kNoRecord);
  const profile::NodeId b = builder.AddNode("b", "Relu", profile::kNoRecord);
  profile::StringPool& strings = builder.mutable_graph().strings;
  profile::KernelCounters counters;
  counters.counters = {
      {strings.Intern("Wavefronts"), profile::KernelCounters::Kind::kSum},
      {strings.Intern("CacheHit"), profile::KernelCounters::Kind::kMean}};
  const auto kernel = [](profile::NodeId node, int64_t step) {
    profile::KernelCounters::Kernel kernel;
    kernel.node = node;
    kernel.step = step;
    return kernel;
  };
  counters.kernels = {kernel(a, 1),
                      kernel(a, 1),
                      kernel(a, 2),
                      kernel(b, 2),
                      kernel(profile::kNone, 2),
                      kernel(a, 9)};
  counters.values = {10, 50, 20, 60, 6, 10, 7, kNoValue, 99, 99, 1000, 0};
  builder.SetKernelCounters(std::move(counters));
  builder.AddStep(1);
  builder.AddStep(2);
  return std::move(builder).Build();
}

class CounterSumsTest : public testing::Test {
 protected:
  std::optional<double> Of(int64_t step,
                           std::initializer_list<profile::NodeId> nodes,
                           size_t counter) {
    const CounterSums sums(profile_, step);
    CounterSums::Row row = sums.NoRow();
    for (const profile::NodeId node : nodes) sums.Add(node, row);
    return sums.Cell(row, counter);
  }
  const profile::Profile profile_ = Counted();
};

TEST_F(CounterSumsTest, OneStep) {
  EXPECT_EQ(Of(1, {0}, 0), 30);
  EXPECT_EQ(Of(1, {0}, 1), 55);
  EXPECT_EQ(Of(2, {0, 1}, 0), 13);
  EXPECT_EQ(Of(2, {0, 1}, 1), 10) << "b has no value of it";
  EXPECT_EQ(Of(1, {1}, 0), std::nullopt);
}

TEST_F(CounterSumsTest, TheAverageIsOverTheStepsWithKernels) {
  EXPECT_EQ(Of(kAverageOfSteps, {0}, 0), 18) << "36 in two steps";
  EXPECT_EQ(Of(kAverageOfSteps, {0}, 1), 40) << "of three kernels";
  EXPECT_EQ(Of(kAverageOfSteps, {1}, 0), 7);
}

TEST_F(CounterSumsTest, AllStepsHaveAlsoWhatIsOutside) {
  EXPECT_EQ(Of(kAllSteps, {0}, 0), 1036);
}

TEST_F(CounterSumsTest, AProfileWithoutThemHasNone) {
  const profile::Profile none = profile::ProfileBuilder{TfprofRules()}.Build();
  const CounterSums sums(none, kAllSteps);
  EXPECT_TRUE(sums.empty());
  EXPECT_TRUE(sums.NoRow().empty());
}

}  // namespace
}  // namespace tfprof::accounting

#include "accounting/counter_levels.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::accounting {
namespace {

using ::testing::ElementsAre;

// A profile with one counter, whose samples are at 10, 20 and 30 ns.
profile::Profile WithCounter(profile::Counter::Kind kind,
                             const std::vector<double>& values) {
  profile::ProfileBuilder builder(TfprofRules());
  profile::Counter counter;
  counter.kind = kind;
  counter.name = builder.mutable_graph().strings.Intern("gpu:0 allocated");
  std::vector<profile::CounterSample> samples;
  int64_t time = 0;
  for (const double value : values) samples.push_back({time += 10, value});
  builder.AddCounter(std::move(counter), std::move(samples));
  return std::move(builder).Build();
}

TEST(CounterLevelsTest, NamesOfCountersSayWhatTheyCount) {
  EXPECT_TRUE(IsReserved("gpu:0 reserved"));
  EXPECT_FALSE(IsReserved("gpu:0 allocated"));
  EXPECT_EQ(AllocatorOf("gpu:0 reserved"), "gpu:0");
  EXPECT_EQ(AllocatorOf("gpu:0 allocated"), "gpu:0");
  EXPECT_EQ(AllocatorOf("GPU_0_bfc: bytes in use"), "GPU_0_bfc");
  EXPECT_EQ(AllocatorOf("heap"), "heap");
}

TEST(CounterLevelsTest, ChangesAddUpToLevels) {
  const profile::Profile profile =
      WithCounter(profile::Counter::Kind::kChange, {5, 7, -9});
  EXPECT_THAT(LevelsOf(profile.counters()[0]), ElementsAre(5, 12, 3));
}

TEST(CounterLevelsTest, ALevelLastsUntilTheNextSample) {
  const profile::Profile profile =
      WithCounter(profile::Counter::Kind::kLevel, {5, 12, 3});
  const profile::Counter& counter = profile.counters()[0];
  const std::vector<double> levels = LevelsOf(counter);
  EXPECT_EQ(HighestIn(counter, levels, 0, 10), 0);
  EXPECT_EQ(HighestIn(counter, levels, 12, 18), 5);
  EXPECT_EQ(HighestIn(counter, levels, 12, 21), 12);
  EXPECT_EQ(HighestIn(counter, levels, 25, 30), 12);
  EXPECT_EQ(HighestIn(counter, levels, 31, 99), 3);
}

}  // namespace
}  // namespace tfprof::accounting

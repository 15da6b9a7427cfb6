#include "loaders/ctf/model/counter_model.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::ctf {
namespace {

using ::testing::SizeIs;

TEST(CounterModel, RowsOfFilesAndSetsOfTracesShareTheirCounters) {
  TraceFacts facts;
  CounterSet set;
  set.counts = {{facts.names.Intern("Wavefronts"), 3, false},
                {facts.names.Intern("CacheHit"), 50, true},
                {profile::kNone, 9, false}};
  facts.counter_sets = {set};
  const loaders::CounterFile file = {
      "c.csv", {"CacheHit", "Fetch"}, {{"relu", {40, 7}, {}}}};
  std::vector<CountedKernel> counted(2);
  counted[0].name = "sgemm";
  counted[0].set = 0;
  counted[1].name = "relu";
  counted[1].file = 0;
  counted[1].row = 0;
  profile::StringPool strings;
  const profile::KernelCounters model = ModelCounters(
      facts, counted, {file}, strings, [](const CountedKernel& kernel) {
        profile::KernelCounters::Kernel place;
        place.step = kernel.set == profile::kNone ? 1 : 2;
        return place;
      });
  ASSERT_THAT(model.counters, SizeIs(3)) << "a counter without a name is none";
  ASSERT_THAT(model.kernels, SizeIs(2));
  EXPECT_EQ(strings.Get(model.kernels[1].name), "relu");
  EXPECT_EQ(model.kernels[0].step, 2);
  ASSERT_THAT(model.values, SizeIs(6));
  EXPECT_EQ(model.values[0], 3);
  EXPECT_EQ(model.values[1], 50);
  EXPECT_TRUE(std::isnan(model.values[2]));
  EXPECT_TRUE(std::isnan(model.values[3]));
  EXPECT_EQ(model.values[4], 40);
  EXPECT_EQ(model.values[5], 7);
}

}  // namespace
}  // namespace tfprof::ctf

#include "loaders/pprof/sample_values.h"

#include <limits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::pprof {
namespace {

PprofProfile WithTypes(std::vector<PprofProfile::ValueType> types) {
  PprofProfile profile;
  profile.types = std::move(types);
  return profile;
}

profile::GroupSums SumsOf(const PprofProfile& profile,
                          std::vector<int64_t> values) {
  return SampleValues(profile).Of(values);
}

TEST(UnitTest, TimesAreNanosecondsAndSizesAreBytes) {
  EXPECT_EQ(Scale(3, *TimeUnit("milliseconds")), 3'000'000);
  EXPECT_EQ(Scale(2500, *TimeUnit("picoseconds")), 2);
  EXPECT_EQ(Scale(3, *SizeUnit("kilobytes")), 3072);
  EXPECT_FALSE(TimeUnit("count"));
  EXPECT_FALSE(SizeUnit(""));
}

TEST(UnitTest, ScalingSaturates) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Scale(kMax, *TimeUnit("seconds")), kMax);
}

TEST(SampleValuesTest, AProfileOfTheCpu) {
  const PprofProfile profile =
      WithTypes({{"samples", "count"}, {"cpu", "nanoseconds"}});
  const profile::GroupSums sums = SumsOf(profile, {3, 6000});
  EXPECT_EQ(sums.run_count, 3);
  EXPECT_EQ(sums.cpu_time, 6000);
  EXPECT_EQ(sums.accelerator_time, 0);
  EXPECT_EQ(SampleValues(profile).unused(), "");
}

TEST(SampleValuesTest, AProfileOfTheHeap) {
  const PprofProfile profile = WithTypes({{"alloc_objects", "count"},
                                          {"alloc_space", "bytes"},
                                          {"inuse_objects", "count"},
                                          {"inuse_space", "bytes"}});
  const profile::GroupSums sums = SumsOf(profile, {5, 500, 2, 200});
  EXPECT_EQ(sums.run_count, 5);
  EXPECT_EQ(sums.requested_bytes, 500);
  EXPECT_EQ(sums.residual_bytes, 200);
  EXPECT_EQ(sums.cpu_time, 0);
  EXPECT_FALSE(SampleValues(profile).has_time());
  EXPECT_EQ(SampleValues(profile).unused(), "inuse_objects/count");
}

TEST(SampleValuesTest, OneOfSeveralTimesCounts) {
  PprofProfile profile =
      WithTypes({{"wall", "microseconds"}, {"cpu", "microseconds"}});
  EXPECT_EQ(SumsOf(profile, {7, 5}).cpu_time, 5000);
  EXPECT_EQ(SumsOf(profile, {7, 5}).run_count, 1);
  EXPECT_EQ(SampleValues(profile).unused(), "wall/microseconds");
  EXPECT_EQ(SampleValues(profile).odd_time(), "");
  profile.default_type = "wall";
  EXPECT_EQ(SumsOf(profile, {7, 5}).cpu_time, 7000);
  EXPECT_EQ(SampleValues(profile).odd_time(), "wall/microseconds");
}

TEST(SampleValuesTest, WithoutATimeOfTheCpuTheLastTimeCounts) {
  const PprofProfile profile = WithTypes({{"contentions", "count"},
                                          {"wait", "nanoseconds"},
                                          {"delay", "nanoseconds"}});
  const profile::GroupSums sums = SumsOf(profile, {4, 7, 5});
  EXPECT_EQ(sums.cpu_time, 5);
  EXPECT_EQ(sums.run_count, 4);
  EXPECT_EQ(SampleValues(profile).odd_time(), "delay/nanoseconds");
  EXPECT_EQ(SampleValues(profile).unused(), "wait/nanoseconds");
}

TEST(SampleValuesTest, ADefaultTypeThatIsNoTimeChangesNothing) {
  PprofProfile profile = WithTypes(
      {{"cpu", "nanoseconds"}, {"wall", "nanoseconds"}, {"space", "bytes"}});
  profile.default_type = "space";
  EXPECT_EQ(SumsOf(profile, {1, 2, 3}).cpu_time, 1);
}

TEST(SampleValuesTest, SamplesTimesThePeriod) {
  PprofProfile profile = WithTypes({{"samples", "count"}});
  profile.period_type = {"cpu", "milliseconds"};
  profile.period = 10;
  const profile::GroupSums sums = SumsOf(profile, {3});
  EXPECT_EQ(sums.cpu_time, 30'000'000);
  EXPECT_EQ(sums.run_count, 3);
  EXPECT_EQ(SampleValues(profile).odd_time(), "samples/count x period");
  profile.period_type = {"space", "bytes"};
  EXPECT_EQ(SumsOf(profile, {3}).cpu_time, 0);
}

TEST(SampleValuesTest, OurOwnFiles) {
  const PprofProfile profile =
      WithTypes({{"nodes", "count"},
                 {"micros", "microseconds"},
                 {"accelerator_micros", "microseconds"},
                 {"cpu_micros", "microseconds"},
                 {"bytes", "bytes"},
                 {"peak_bytes", "bytes"},
                 {"residual_bytes", "bytes"},
                 {"output_bytes", "bytes"},
                 {"params", "count"},
                 {"occurrence", "count"}});
  const profile::GroupSums sums =
      SumsOf(profile, {1, 5, 3, 2, 10, 20, 30, 40, 50, 60});
  EXPECT_EQ(sums.accelerator_time, 3000);
  EXPECT_EQ(sums.cpu_time, 2000);
  EXPECT_EQ(sums.requested_bytes, 10);
  EXPECT_EQ(sums.peak_bytes, 20);
  EXPECT_EQ(sums.residual_bytes, 30);
  EXPECT_EQ(sums.output_bytes, 40);
  EXPECT_EQ(sums.run_count, 60);
}

TEST(SampleValuesTest, ASampleWithTooFewValues) {
  const PprofProfile profile =
      WithTypes({{"samples", "count"}, {"cpu", "nanoseconds"}});
  EXPECT_EQ(SumsOf(profile, {3}).cpu_time, 0);
  EXPECT_EQ(SumsOf(profile, {}).run_count, 0);
}

}  // namespace
}  // namespace tfprof::pprof

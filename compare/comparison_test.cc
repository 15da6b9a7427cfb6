#include "compare/comparison.h"

#include <string>
#include <utility>
#include <vector>

#include "compare/compare_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::compare {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<int64_t> kSixSteps = {0, 2, 1, 0, 2, 1};

Two Runs(const std::vector<Op>& before, const std::vector<Op>& after,
         const std::vector<int64_t>& steps = kSixSteps) {
  return Two(MakeProfile(before, steps), MakeProfile(after, steps));
}

double SumOfDeltas(const Comparison& comparison) {
  double sum = 0;
  for (const PartChange& part : comparison.parts) sum += part.delta();
  return sum;
}

// One step, with a level of memory in gigabytes.
profile::Profile UsingMemory(double level) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::NodeId a = builder.AddNode("a", "A", profile::kNoRecord);
  const profile::LaneId cpu =
      tensorflow::DeviceLane("/device:CPU:0", builder.mutable_graph());
  builder.AddExecutions(
      1, {{.node = a, .lane = cpu, .start = 10, .duration = 10}}, {});
  profile::Counter counter;
  counter.name = builder.mutable_graph().strings.Intern("gpu:0 allocated");
  counter.unit = builder.mutable_graph().strings.Intern("bytes");
  builder.AddCounter(std::move(counter), {{5'000, 1e9 * level}});
  return std::move(builder).Build();
}

TEST(ComparisonTest, TheHighestLevelOfMemoryIsCompared) {
  Two more(UsingMemory(16), UsingMemory(18));
  EXPECT_EQ(Compare(more.before, more.after).memory,
            "peak 16.00GB -> 18.00GB (+12.5%)");
  Two same(UsingMemory(16), UsingMemory(16.1));
  EXPECT_EQ(Compare(same.before, same.after).memory, "");
}

TEST(ComparisonTest, ASlowerOperationIsTheReason) {
  Two two = Runs({{"a/m", "MatMul", 100}, {"a/r", "Relu", 50}},
                 {{"a/m", "MatMul", 180}, {"a/r", "Relu", 50}});
  const Comparison comparison = Compare(two.before, two.after);
  EXPECT_EQ(comparison.verdict, Comparison::Verdict::kSlower);
  EXPECT_THAT(comparison.text, StartsWith("slower: 152us -> 232us, +80us"));
  EXPECT_THAT(comparison.because, HasSubstr("MatMul +80us"));
  EXPECT_THAT(comparison.caution, IsEmpty());
  EXPECT_EQ(comparison.changed_ops, 1u);
  EXPECT_EQ(comparison.ops.rows[0].name(), "MatMul");
  EXPECT_DOUBLE_EQ(SumOfDeltas(comparison), 80);
}

TEST(ComparisonTest, TheOtherWayRoundItIsFaster) {
  Two two = Runs({{"a/m", "MatMul", 180}}, {{"a/m", "MatMul", 100}});
  const Comparison comparison = Compare(two.before, two.after);
  EXPECT_EQ(comparison.verdict, Comparison::Verdict::kFaster);
  EXPECT_THAT(comparison.because, HasSubstr("MatMul -80us"));
  EXPECT_DOUBLE_EQ(SumOfDeltas(comparison), -80);
}

TEST(ComparisonTest, NewAndGoneOperationsAreCounted) {
  Two two = Runs({{"a/m", "MatMul", 100}, {"a/r", "Relu", 50}},
                 {{"a/m", "MatMul", 100}, {"a/g", "Gelu", 90}});
  const Comparison comparison = Compare(two.before, two.after);
  EXPECT_EQ(comparison.new_ops, 1u);
  EXPECT_EQ(comparison.gone_ops, 1u);
  EXPECT_EQ(comparison.changed_ops, 0u);
  EXPECT_THAT(comparison.because, HasSubstr("Gelu +91us"));
}

TEST(ComparisonTest, WithinTheNoiseNothingIsBlamed) {
  Two two(MakeProfile({{"a/m", "MatMul", 100}}, {0, 9, 4, 1, 8, 3}),
          MakeProfile({{"a/m", "MatMul", 101}}, {3, 0, 9, 8, 1, 4}));
  const Comparison comparison = Compare(two.before, two.after);
  EXPECT_EQ(comparison.verdict, Comparison::Verdict::kSame);
  EXPECT_THAT(comparison.text, StartsWith("no change above the noise: "));
  EXPECT_THAT(comparison.because, IsEmpty());
}

// As Runs(), but each third step also runs Svd.
profile::Profile WithSvd(int64_t micros) {
  std::vector<Op> ops = {{"a/m", "MatMul", 100}};
  if (micros > 0) ops.push_back({"a/s", "Svd", micros, /*every=*/3});
  return MakeProfile(ops, {0, 2, 1, 0, 2, 1, 0, 2, 1, 0});
}

TEST(ComparisonTest, TheMeanSeesWhatOnlySomeStepsDo) {
  Two two(WithSvd(900), WithSvd(0));
  const Comparison gone = Compare(two.before, two.after);
  EXPECT_EQ(gone.verdict, Comparison::Verdict::kFaster);
  EXPECT_TRUE(gone.by_mean);
  EXPECT_THAT(gone.text, HasSubstr("4 of 10 steps took at least 1.5 times the "
                                   "median, now 0 of 10"));
  EXPECT_EQ(gone.because, "Svd (gone)");
  EXPECT_THAT(gone.caution, IsEmpty()) << "half of the types are in both";
  Two back(WithSvd(0), WithSvd(900));
  EXPECT_EQ(Compare(back.before, back.after).verdict,
            Comparison::Verdict::kSlower);
  Two same(WithSvd(900), WithSvd(900));
  EXPECT_EQ(Compare(same.before, same.after).verdict,
            Comparison::Verdict::kSame);
}

// Steps of 100 µs, one every `period` µs, as a recorder of steps has them.
profile::Profile EveryPeriod(int64_t period) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::NodeId a = builder.AddNode("a", "A", profile::kNoRecord);
  const profile::LaneId cpu =
      tensorflow::DeviceLane("/device:CPU:0", builder.mutable_graph());
  constexpr int64_t kNanos = 1000;  // of a µs
  for (const int64_t step : {1, 2, 3, 4, 5}) {
    const int64_t start = period * step;
    builder.AddExecutions(
        step, {{.node = a, .lane = cpu, .start = start, .duration = 100}}, {});
    builder.AddStepInterval({.step = step,
                             .process = 0,
                             .start = kNanos * start,
                             .end = kNanos * (start + 100)});
  }
  return std::move(builder).Build();
}

TEST(ComparisonTest, TimeBetweenTheStepsCounts) {
  Two two(EveryPeriod(100), EveryPeriod(160));
  const Comparison comparison = Compare(two.before, two.after);
  EXPECT_EQ(comparison.verdict, Comparison::Verdict::kSlower);
  EXPECT_THAT(comparison.text,
              AllOf(StartsWith("slower: 100us -> 160us, +60us"),
                    HasSubstr("to the start of the next")));
  EXPECT_EQ(comparison.because, "between the steps +60us");
  EXPECT_DOUBLE_EQ(SumOfDeltas(comparison), 60);
  Two same(EveryPeriod(100), EveryPeriod(101));
  EXPECT_FALSE(Compare(same.before, same.after).by_period);
}

TEST(ComparisonTest, OneLongStepIsSaid) {
  const std::vector<Op> ops = {{"a/m", "MatMul", 100}};
  Two two(MakeProfile(ops, {0, 2, 1, 0, 2, 1, 0, 2, 1, 0}),
          MakeProfile(ops, {0, 2, 1, 0, 2000, 1, 0, 2, 1, 0}));
  const Comparison comparison = Compare(two.before, two.after);
  EXPECT_EQ(comparison.verdict, Comparison::Verdict::kSame);
  EXPECT_THAT(
      comparison.caution,
      StartsWith("1 step took at least 1.5 times the median in the new "
                 "profile: the mean of the steps changed from 100.90us"));
}

// Every part varies; only relu is slower.
TEST(ComparisonTest, NoiseOfAPartIsNoReason) {
  const auto run = [](int64_t relu, const std::vector<int64_t>& wobble) {
    return MakeProfile({{"a/m", "MatMul", 1000}, {"a/r", "Relu", relu}},
                       wobble);
  };
  Two two(run(50, {0, 9, 4, 1, 8, 3, 2}), run(80, {3, 0, 9, 8, 1, 4, 2}));
  EXPECT_THAT(Compare(two.before, two.after).because,
              AllOf(HasSubstr("Relu +"), Not(HasSubstr("MatMul"))));
}

TEST(ComparisonTest, WhatChangedByItsNoiseIsAsBefore) {
  Two two(MakeProfile({{"a/m", "MatMul", 100}}, {0, 9, 4, 1, 8, 3}),
          MakeProfile({{"a/m", "MatMul", 101}}, {3, 0, 9, 8, 1, 4}));
  const Comparison comparison = Compare(two.before, two.after);
  EXPECT_EQ(comparison.changed_ops, 0u);
  EXPECT_EQ(comparison.same_ops, 1u);
}

TEST(ComparisonTest, LongStepsInARowMayBeChance) {
  const std::vector<Op> ops = {{"a/m", "MatMul", 100}};
  Two two(MakeProfile(ops, {0, 2, 900, 950, 980, 1, 0, 2, 1, 0}),
          MakeProfile(ops, {0, 2, 1, 0, 2, 1, 0, 2, 1, 0}));
  EXPECT_EQ(Compare(two.before, two.after).verdict, Comparison::Verdict::kSame);
}

TEST(ComparisonTest, WithFewStepsTheNoiseIsUnknown) {
  Two two = Runs({{"a/m", "MatMul", 100}}, {{"a/m", "MatMul", 120}}, {0});
  const Comparison comparison = Compare(two.before, two.after);
  EXPECT_EQ(comparison.verdict, Comparison::Verdict::kSlower);
  EXPECT_THAT(comparison.caution, HasSubstr("3 steps on each side"));
}

TEST(ComparisonTest, TwoProgramsAreSaidToBeTwo) {
  Two two = Runs({{"a/m", "MatMul", 100}}, {{"b/c", "Conv2D", 120}});
  EXPECT_THAT(Compare(two.before, two.after).caution,
              HasSubstr("may be of two programs"));
}

TEST(ComparisonTest, WithoutTimesTheVerdictIsUnknown) {
  Two two(MakeProfile({{"a/m", "MatMul", 100}}, kSixSteps),
          MakeProfile({{"a/m", "MatMul", 100}}, {}));
  const Comparison comparison = Compare(two.before, two.after);
  EXPECT_EQ(comparison.verdict, Comparison::Verdict::kUnknown);
  EXPECT_THAT(comparison.text, HasSubstr("the new profile has no wall time"));
  const tables::DataDocument document =
      ComparisonDocument(comparison, "old", "new", 0, "all");
  EXPECT_EQ(document.parts[0].table.num_rows, 0u);
}

TEST(ComparisonTest, TheDocumentAddsUp) {
  Two two = Runs({{"a/m", "MatMul", 100}, {"a/r", "Relu", 50}},
                 {{"a/m", "MatMul", 180}, {"a/r", "Relu", 10}});
  const Comparison comparison = Compare(two.before, two.after);
  const tables::DataDocument document =
      ComparisonDocument(comparison, "old", "new", 1, "all");
  EXPECT_EQ(document.kind, "comparison");
  ASSERT_EQ(document.parts.size(), 2u);
  const tables::DataTable& account = document.parts[0].table;
  EXPECT_EQ(account.kind, "account");
  EXPECT_EQ(std::get<double>(account.totals[4]), 40);
  const tables::DataTable& ops = document.parts[1].table;
  EXPECT_EQ(ops.num_rows, 1u);
  EXPECT_EQ(ops.total_rows, 2u);
  EXPECT_THAT(ops.rest, Not(IsEmpty()));
}

}  // namespace
}  // namespace tfprof::compare

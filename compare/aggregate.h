// Aggregates: one number for the samples of a statistic in the steps of a run.
//
//   mean    the total cost of the program; one slow step in ten counts
//   median  the usual step; changes in less than half of the steps do
//           not count
//   p90     nine of ten steps are at most this: the nearest rank
//   max     the slowest step
//   recurring
//           what comes back at an equal distance: the largest time that every
//           k-th step reaches, for any k that gives at least three such steps.
//           A checkpoint in every tenth step is seen; a few steps that the
//           system interrupted are not, because they do not come back

#ifndef TFPROF_COMPARE_AGGREGATE_H_
#define TFPROF_COMPARE_AGGREGATE_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tfprof::compare {

enum class Aggregate { kMedian, kMean, kP90, kMax, kRecurring };

inline constexpr Aggregate kAggregates[] = {
    Aggregate::kMean, Aggregate::kMedian, Aggregate::kP90, Aggregate::kMax,
    Aggregate::kRecurring};

std::string_view AggregateName(Aggregate aggregate);
std::optional<Aggregate> FindAggregate(std::string_view name);

// `values` are in the order of the steps. 0 if there are no values.
double Summarize(Aggregate aggregate, std::vector<double> values);

// Returns whether the values above `level` come back at an equal distance by
// design: that they do by chance, if they could be at any place, has a
// probability of at most 0.5 %.
bool RecursByDesign(const std::vector<double>& values, double level);

// The noise by a permutation test: if the runs do not differ, each step could
// belong to either run. At most 1 % of the ways to divide all steps among the
// runs give a larger difference than the result. All ways are tried if there
// are few, else a fixed sample of them, so equal input gives an equal result.
//
// Unlike an interval around a mean, the test is valid for any distribution: one
// step that the system interrupted is no evidence, ten slow steps of fifty are.
// nullopt: with fewer than kMinStepsForPermutation steps on a side, no division
// is rare enough.
inline constexpr size_t kMinStepsForPermutation = 5;
std::optional<double> PermutationNoise(Aggregate aggregate,
                                       const std::vector<double>& before,
                                       const std::vector<double>& after);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_AGGREGATE_H_

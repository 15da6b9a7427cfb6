#include "compare/aggregate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include "util/median.h"

namespace tfprof::compare {
namespace {

constexpr double kAlpha = 0.01;
constexpr size_t kSamples = 4000;

// C(n, k), or a number above kSamples.
size_t Divisions(size_t n, size_t k) {
  k = std::min(k, n - k);
  size_t count = 1;
  for (size_t i = 1; i <= k; ++i) {
    count = count * (n - k + i) / i;
    if (count > kSamples) return count;
  }
  return count;
}

// A distance up to this is tried: a longer one would make long runs slow.
constexpr size_t kMaxPeriod = 1000;
constexpr size_t kMinRecurrences = 3;

// The largest value that each k-th one reaches. With fewer than
// kMinRecurrences values, the smallest of all.
double Recurring(const std::vector<double>& values) {
  double recurring = *std::min_element(values.begin(), values.end());
  const size_t longest = std::min(kMaxPeriod, values.size() / kMinRecurrences);
  for (size_t period = 2; period <= longest; ++period) {
    for (size_t phase = 0; phase < period; ++phase) {
      double least = values[phase];
      for (size_t i = phase; i < values.size() && least > recurring;
           i += period) {
        least = std::min(least, values[i]);
      }
      recurring = std::max(recurring, least);
    }
  }
  return recurring;
}

// Computes the differences between the two parts for each division of `all`.
class Differences {
 public:
  Differences(Aggregate aggregate, std::vector<double> all, size_t first)
      : aggregate_(aggregate), all_(std::move(all)), first_(first) {}

  std::vector<double> Every() {
    // Marks the values in the first part, starting at the last permutation.
    std::vector<bool> in_first(all_.size(), false);
    std::fill(in_first.begin(),
              in_first.begin() + static_cast<ptrdiff_t>(first_), true);
    do {
      left_.clear();
      right_.clear();
      for (size_t i = 0; i < all_.size(); ++i) {
        (in_first[i] ? left_ : right_).push_back(all_[i]);
      }
      Add();
    } while (std::prev_permutation(in_first.begin(), in_first.end()));
    return std::move(differences_);
  }

  std::vector<double> Sample() {
    // The seed is fixed: a gate must not change its verdict from run to run.
    std::minstd_rand random(20240601);
    std::vector<double> values = all_;
    for (size_t sample = 0; sample < kSamples; ++sample) {
      for (size_t i = 0; i < first_; ++i) {
        const size_t j =
            i + static_cast<size_t>(random()) % (values.size() - i);
        std::swap(values[i], values[j]);
      }
      const auto middle = values.begin() + static_cast<ptrdiff_t>(first_);
      left_.assign(values.begin(), middle);
      right_.assign(middle, values.end());
      Add();
    }
    return std::move(differences_);
  }

 private:
  void Add() {
    differences_.push_back(
        std::abs(Summarize(aggregate_, left_) - Summarize(aggregate_, right_)));
  }

  const Aggregate aggregate_;
  const std::vector<double> all_;
  const size_t first_;
  std::vector<double> left_, right_, differences_;
};

}  // namespace

std::string_view AggregateName(Aggregate aggregate) {
  switch (aggregate) {
    case Aggregate::kMedian:
      return "median";
    case Aggregate::kMean:
      return "mean";
    case Aggregate::kP90:
      return "p90";
    case Aggregate::kMax:
      return "max";
    case Aggregate::kRecurring:
      return "recurring";
  }
  return "";
}

std::optional<Aggregate> FindAggregate(std::string_view name) {
  for (const Aggregate aggregate : kAggregates) {
    if (AggregateName(aggregate) == name) return aggregate;
  }
  return std::nullopt;
}

double Summarize(Aggregate aggregate, std::vector<double> values) {
  if (values.empty()) return 0;
  switch (aggregate) {
    case Aggregate::kMedian:
      return util::Median(std::move(values));
    case Aggregate::kMean:
      return std::accumulate(values.begin(), values.end(), 0.0) /
             static_cast<double>(values.size());
    case Aggregate::kP90: {
      const auto rank = static_cast<ptrdiff_t>(std::ceil(
                            0.9 * static_cast<double>(values.size()))) -
                        1;
      std::nth_element(values.begin(), values.begin() + rank, values.end());
      return values[static_cast<size_t>(rank)];
    }
    case Aggregate::kMax:
      return *std::max_element(values.begin(), values.end());
    case Aggregate::kRecurring:
      return Recurring(values);
  }
  return 0;
}

bool RecursByDesign(const std::vector<double>& values, double level) {
  constexpr double kMaxChance = 0.005;
  const size_t n = values.size();
  const size_t longest = std::min(kMaxPeriod, n / kMinRecurrences);
  const auto high = static_cast<size_t>(
      std::ranges::count_if(values, [&](double v) { return v > level; }));
  // The most values at an equal distance that are all high.
  size_t most = 0;
  for (size_t period = 2; period <= longest; ++period) {
    for (size_t phase = 0; phase < period; ++phase) {
      size_t count = 0;
      for (size_t i = phase; i < n && values[i] > level; i += period) ++count;
      if (phase + count * period >= n) most = std::max(most, count);
    }
  }
  if (most < kMinRecurrences) return false;
  // All of `count` places are among `high` ones of `n`.
  std::vector<double> all_high(high + 1, 1);
  for (size_t count = 1; count <= high; ++count) {
    all_high[count] = all_high[count - 1] *
                      static_cast<double>(high - count + 1) /
                      static_cast<double>(n - count + 1);
  }
  double chance = 0;
  for (size_t period = 2; period <= longest; ++period) {
    for (size_t phase = 0; phase < period; ++phase) {
      const size_t count = (n - phase + period - 1) / period;
      if (count >= most && count <= high) chance += all_high[count];
    }
  }
  return chance <= kMaxChance;
}

std::optional<double> PermutationNoise(Aggregate aggregate,
                                       const std::vector<double>& before,
                                       const std::vector<double>& after) {
  if (std::min(before.size(), after.size()) < kMinStepsForPermutation) {
    return std::nullopt;
  }
  std::vector<double> all = before;
  all.insert(all.end(), after.begin(), after.end());
  const size_t n = all.size();
  Differences of(aggregate, std::move(all), before.size());
  std::vector<double> differences =
      Divisions(n, before.size()) <= kSamples ? of.Every() : of.Sample();
  // At most the share kAlpha of the differences is larger than this one.
  const auto larger =
      static_cast<ptrdiff_t>(kAlpha * static_cast<double>(differences.size()));
  const auto place = differences.end() - 1 - larger;
  std::nth_element(differences.begin(), place, differences.end());
  return *place;
}

}  // namespace tfprof::compare

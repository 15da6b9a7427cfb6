#include "compare/noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "util/median.h"

namespace tfprof::compare {

namespace {

std::vector<double> Deviations(const std::vector<double>& values) {
  const double center = util::Median(values);
  std::vector<double> deviations;
  for (const double value : values) {
    deviations.push_back(std::abs(value - center));
  }
  return deviations;
}

}  // namespace

double Spread(const std::vector<double>& values) {
  if (values.empty()) return 0;
  std::vector<double> deviations = Deviations(values);
  const double mean =
      std::accumulate(deviations.begin(), deviations.end(), 0.0) /
      static_cast<double>(values.size());
  const double median = util::Median(std::move(deviations));
  return median > 0 ? 1.4826 * median : 1.2533 * mean;
}

namespace {

// The share of Student's distribution within ±t, in the closed form for whole
// degrees of freedom.
double ShareWithin(double t, int degrees_of_freedom) {
  const double angle = std::atan(t / std::sqrt(degrees_of_freedom));
  const double square = std::pow(std::cos(angle), 2);
  const bool odd = degrees_of_freedom % 2 == 1;
  double term = odd ? std::cos(angle) : 1, sum = 0;
  for (int k = odd ? 1 : 0; k <= degrees_of_freedom - 2; k += 2) {
    sum += term;
    term *= square * (k + 1) / (k + 2);
  }
  sum *= std::sin(angle);
  return odd ? (angle + sum) * 2 / std::numbers::pi : sum;
}

double Variance(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / (n - 1);
}

}  // namespace

double StudentT(int degrees_of_freedom, double alpha) {
  const int df = std::clamp(degrees_of_freedom, 1, 1000);
  double low = 0, high = 1;
  while (ShareWithin(high, df) < 1 - alpha && high < 1e9) high *= 2;
  // A double has no more digits than this.
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (ShareWithin(middle, df) < 1 - alpha ? low : high) = middle;
  }
  return high;
}

NoiseModel::NoiseModel(size_t rows)
    : alpha_(0.01 / static_cast<double>(std::max<size_t>(rows, 1))) {}

std::optional<double> NoiseModel::OfDifference(
    const std::vector<double>& before, const std::vector<double>& after) {
  if (std::min(before.size(), after.size()) < kMinStepsForNoise) {
    return std::nullopt;
  }
  // The median is less accurate than the mean, by √(π/2).
  return 1.2533 * HalfWidth(std::pow(Spread(before), 2),
                            static_cast<double>(before.size()),
                            std::pow(Spread(after), 2),
                            static_cast<double>(after.size()));
}

std::optional<double> NoiseModel::OfMeans(const std::vector<double>& before,
                                          const std::vector<double>& after) {
  if (std::min(before.size(), after.size()) < kMinStepsForNoise) {
    return std::nullopt;
  }
  return HalfWidth(Variance(before), static_cast<double>(before.size()),
                   Variance(after), static_cast<double>(after.size()));
}

std::optional<double> NoiseModel::OfSteps(const std::vector<double>& before,
                                          const std::vector<double>& after) {
  if (std::min(before.size(), after.size()) < kMinStepsForNoise) {
    return std::nullopt;
  }
  const auto n = static_cast<double>(before.size());
  const auto m = static_cast<double>(after.size());
  const auto variance = [](const std::vector<double>& values) {
    return std::pow(1.4826 * util::Median(Deviations(values)), 2);
  };
  return HalfWidth(n * variance(before), n, m * variance(after), m);
}

double NoiseModel::HalfWidth(double v, double n, double w, double m) {
  v /= n;
  w /= m;
  if (v + w == 0) return 0;
  const double df = (v + w) * (v + w) / (v * v / (n - 1) + w * w / (m - 1));
  // Rounds down, which is the safe side; 1000 after an overflow.
  const int whole = df < 1000 ? static_cast<int>(df) : 1000;
  const auto [t, is_new] = t_.try_emplace(whole, 0);
  if (is_new) t->second = StudentT(whole, alpha_);
  return t->second * std::sqrt(v + w);
}

double ClockNoise(double runs) { return std::sqrt(std::max(1.0, runs)); }

}  // namespace tfprof::compare

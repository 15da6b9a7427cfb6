// Noise: how large a difference between two runs the variation of their steps
// can explain.
//
// A run is judged by the median of its steps, which a first step that compiles,
// or a step that the system interrupted, does not change. The accuracy of the
// median follows from the spread s of the n steps, which is the median absolute
// deviation times 1.4826, as for normal numbers. If more than half of the steps
// are equal, that is 0, and the spread is the mean absolute deviation times
// 1.2533. The noise of a difference is the half width of its 99 % interval:
//
//   1.2533 × t × √(s²/n + s²/n of the other side)
//
// with Welch's degrees of freedom for Student's t. A difference of at most this
// size is no evidence that anything changed. If many rows are judged together,
// some differ by chance: the 1 % is divided among them (Bonferroni).
//
// With fewer than three steps on a side there is no estimate. Steps of one run
// say nothing about differences between runs (machine, placement, load): use a
// noise floor for these, and a generous threshold.

#ifndef TFPROF_COMPARE_NOISE_H_
#define TFPROF_COMPARE_NOISE_H_

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace tfprof::compare {

inline constexpr size_t kMinStepsForNoise = 3;

// A robust estimate of the standard deviation of `values`.
double Spread(const std::vector<double>& values);

// The t for which all but `alpha` (between 0 and 1) of Student's distribution
// is within ±t. Above 1000 degrees of freedom, the result is the same as for
// 1000, which is 0.1 % more than for the normal distribution.
double StudentT(int degrees_of_freedom, double alpha);

class NoiseModel {
 public:
  // A model for `rows` differences that are judged together.
  explicit NoiseModel(size_t rows);

  // nullopt: too few steps on a side.
  std::optional<double> OfDifference(const std::vector<double>& before,
                                     const std::vector<double>& after);
  // The same for the difference of two means, by their standard deviations.
  std::optional<double> OfMeans(const std::vector<double>& before,
                                const std::vector<double>& after);
  // The same for two single steps. The spread is the median absolute deviation
  // alone: what less than half of the steps do does not add to it, so a
  // regression of every k-th step does not hide in its own noise.
  std::optional<double> OfSteps(const std::vector<double>& before,
                                const std::vector<double>& after);

 private:
  // Half the width for a difference whose sides have the variances v and w,
  // from n and m steps.
  double HalfWidth(double v, double n, double w, double m);

  double alpha_;
  std::map<int, double> t_;  // by degrees of freedom
};

// The difference that rounding can cause in a sum of `runs` times in whole
// microseconds. Each time is off by 0.29 µs (one deviation) on both sides, so
// 99 % of the differences are within √runs.
double ClockNoise(double runs);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_NOISE_H_

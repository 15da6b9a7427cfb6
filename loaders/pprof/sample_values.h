// SampleValues: decides what the values of pprof samples mean, from the types
// and units in a file.
//
// A pprof file may have any number of values per sample, with any names. A
// profile here has a CPU time and an accelerator time in nanoseconds, four
// sizes in bytes, and a number of runs. Each gets the value that fits it best:
//
//   cpu time       the default type of the file if it is a time, else "cpu",
//                  else the last time, which is what pprof itself shows.
//                  Without any: the number of samples times the period, if
//                  that is a time.
//   accelerator    "accelerator_micros", which tfprof writes
//   runs           the first value that is a count: "samples", "contentions",
//                  "alloc_objects"
//   requested      the first value in bytes that is none of the following
//   residual       "inuse_space", "residual_bytes"
//   peak, output   "peak_bytes", "output_bytes"
//
// All other values are only arguments of a sample.

#ifndef TFPROF_LOADERS_PPROF_SAMPLE_VALUES_H_
#define TFPROF_LOADERS_PPROF_SAMPLE_VALUES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "loaders/pprof/pprof_profile.h"
#include "profile/steps/step_sums.h"

namespace tfprof::pprof {

// How to convert a unit: the value times `times`, divided by `per`.
// Microseconds to nanoseconds are 1000 and 1, picoseconds are 1 and 1000.
struct UnitScale {
  int64_t times = 1;
  int64_t per = 1;
};
// Converts to nanoseconds; nullopt: not a unit of time.
std::optional<UnitScale> TimeUnit(std::string_view unit);
// Converts to bytes; nullopt: not a unit of size.
std::optional<UnitScale> SizeUnit(std::string_view unit);
// Saturates.
int64_t Scale(int64_t value, const UnitScale& scale);

class SampleValues {
 public:
  explicit SampleValues(const PprofProfile& profile);

  // Returns one sample as sums of its node; times are in nanoseconds. Values
  // that the sample lacks are 0. If the file has no count, a sample is one run.
  profile::GroupSums Of(std::span<const int64_t> values) const;

  // Returns whether the file has any time.
  bool has_time() const { return cpu_.has_value() || accelerator_.has_value(); }
  // The value that counts as CPU time, if its name does not show it:
  // "delay/nanoseconds", "samples/count x period". Empty otherwise.
  const std::string& odd_time() const { return odd_time_; }
  // The types that are in no sum: "goroutines/count".
  const std::string& unused() const { return unused_; }

 private:
  struct Column {
    size_t value = 0;  // index in a sample
    UnitScale scale;
  };
  using MaybeColumn = std::optional<Column>;

  void ChooseTime(const PprofProfile& profile);
  void ChooseSizes(const PprofProfile& profile);
  static int64_t Read(const MaybeColumn& column,
                      std::span<const int64_t> values);

  MaybeColumn cpu_, accelerator_, runs_;
  MaybeColumn requested_, peak_, residual_, output_;
  std::string odd_time_;
  std::string unused_;
};

}  // namespace tfprof::pprof

#endif  // TFPROF_LOADERS_PPROF_SAMPLE_VALUES_H_

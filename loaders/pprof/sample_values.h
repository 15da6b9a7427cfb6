// What the values of pprof samples mean, by the types and units that a file
// gives them.
//
// A pprof file may have any number of values per sample, and any names for
// them. A profile here has one time of CPUs and one of accelerators, four sizes
// and a number of runs. Each gets the value that fits it best:
//
//   cpu time       the default type of the file if it is a time, else "cpu",
//                  else the last time, which is what pprof itself shows.
//                  Without any: the number of samples times the period, if
//                  that is a time.
//   accelerator    "accelerator_micros", as our own files have it
//   runs           the first value that is a count: "samples", "contentions",
//                  "alloc_objects"
//   requested      the first value in bytes that is none of those below
//   residual       "inuse_space", "residual_bytes"
//   peak, output   "peak_bytes", "output_bytes"
//
// All other values are among the arguments of a sample only.

#ifndef TFPROF_LOADERS_PPROF_SAMPLE_VALUES_H_
#define TFPROF_LOADERS_PPROF_SAMPLE_VALUES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "loaders/pprof/pprof_profile.h"
#include "profile/step_sums.h"

namespace tfprof {

// How many of `per` units a value has: 1000 and 1 for microseconds in
// nanoseconds, 1 and 1000 for picoseconds.
struct UnitScale {
  int64_t times = 1;
  int64_t per = 1;
};
// For nanoseconds; nullopt: not a unit of time.
std::optional<UnitScale> TimeUnit(std::string_view unit);
// For bytes; nullopt: not a unit of size.
std::optional<UnitScale> SizeUnit(std::string_view unit);
// Saturates.
int64_t Scale(int64_t value, const UnitScale& scale);

class SampleValues {
 public:
  explicit SampleValues(const PprofProfile& profile);

  // One sample as sums of its node; times are nanoseconds. Values that the
  // sample lacks are 0. Without a count in the file, a sample is one run.
  GroupSums Of(std::span<const int64_t> values) const;

  // Whether the file has any time.
  bool has_time() const { return cpu_.has_value() || accelerator_.has_value(); }
  // What counts as CPU time: "delay/nanoseconds", "samples/count x period".
  // Empty: nothing does, or it is time of a CPU by its name.
  const std::string& odd_time() const { return odd_time_; }
  // The types that are in no sum: "goroutines/count".
  const std::string& unused() const { return unused_; }

 private:
  struct Column {
    size_t value = 0;  // of a sample
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

}  // namespace tfprof

#endif  // TFPROF_LOADERS_PPROF_SAMPLE_VALUES_H_

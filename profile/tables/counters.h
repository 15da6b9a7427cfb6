// Counters: values that were measured repeatedly while the program ran, such as
// the bytes in use, the utilization of a device, or each memory allocation.
//
// A counter is one time series of a lane or of a whole process. Its samples are
// in ascending time; several may have the same time. Times are nanoseconds from
// the profile's origin. A counter of kind kLevel has a value that holds from
// its sample to the next one. The samples of a kChange are changes of a level:
// an allocation is positive, a release of memory is negative. Their sum up to a
// moment is the level at that moment, relative to an unknown start.
//
// Values are doubles, because formats have both counts and rates: a count is
// exact up to 2^53. No value is infinite or NaN.
//
// A time series belongs to no step: a profile with fewer steps keeps all of it.
// A profile without counters uses no memory for them. Immutable; shared between
// profiles.

#ifndef TFPROF_PROFILE_TABLES_COUNTERS_H_
#define TFPROF_PROFILE_TABLES_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/steps/int_column.h"
#include "profile/tables/lanes.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {

struct Counter {
  enum class Kind : uint8_t { kLevel, kChange };

  StringId name = kNone;
  StringId unit = kNone;  // "bytes", "%"; kNone: a plain number
  Kind kind = Kind::kLevel;
  ProcessId process = 0;
  LaneId lane = kNone;  // kNone: of the whole process
  IntColumn time = {};  // ascending
  std::vector<double> value = {};

  size_t size() const { return value.size(); }
  size_t bytes() const {
    return time.bytes() + value.capacity() * sizeof(double);
  }
};

// One sample of a counter, as a loader adds it.
struct CounterSample {
  int64_t time = 0;  // nanoseconds from the profile's origin
  double value = 0;
};

using Counters = std::vector<Counter>;

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_COUNTERS_H_

// KernelCounters: hardware counters of a device for each kernel, such as its
// wavefronts, its instructions, or its cache hit rate.
//
// Each kernel is a row: the op that launched it, its step, the time and place
// of its run if they are known, and a value for each counter, or NaN if the
// counter was off. Values are doubles, because tools write both counts and
// shares: a count is exact up to 2^53. Values of a counter of kind kSum may be
// added up. Counters of kind kMean are shares and counts per work-item; their
// values are averaged.
//
// A profile without kernel counters uses no memory for them. Immutable; shared
// between profiles. Times are nanoseconds, as in the file.

#ifndef TFPROF_PROFILE_TABLES_KERNEL_COUNTERS_H_
#define TFPROF_PROFILE_TABLES_KERNEL_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profile/tables/lanes.h"
#include "profile/tables/node_table.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {

struct KernelCounters {
  enum class Kind : uint8_t { kSum, kMean };

  struct Counter {
    StringId name = kNone;
    Kind kind = Kind::kSum;
  };
  struct Kernel {
    StringId name = kNone;  // name of the kernel
    NodeId node = kNone;    // the op; kNone: not known
    int64_t step = 0;
    LaneId lane = kNone;  // kNone: the lane and the time are unknown
    int64_t start = 0;
    int64_t duration = 0;
  };

  std::vector<Counter> counters;
  std::vector<Kernel> kernels;
  std::vector<double> values;  // row by row

  // Returns the values of a kernel, indexed by counter.
  std::span<const double> ValuesOf(size_t kernel) const {
    return {values.data() + kernel * counters.size(), counters.size()};
  }
  size_t bytes() const {
    return counters.capacity() * sizeof(Counter) +
           kernels.capacity() * sizeof(Kernel) +
           values.capacity() * sizeof(double);
  }
};

// Returns the kind of a counter from its name. Shares ("CacheHit", "VALUBusy")
// and AMD's counts per work-item ("VALUInsts") are averaged, others
// ("Wavefronts", "SQ_INSTS_VALU") are summed.
KernelCounters::Kind KindOfCounter(std::string_view name);

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_KERNEL_COUNTERS_H_

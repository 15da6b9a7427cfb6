// KernelCounters: what the counters of a device counted in each kernel, such as
// its wavefronts, its instructions, or the share of its reads that a cache
// answered.
//
// A kernel is a row: the op that it worked for, its step, when and where it ran
// as far as that is known, and a value for each counter; NaN where a counter
// did not count. Values are doubles, because tools write both counts and
// shares: a count is exact up to 2^53. Values of a counter of kind kSum may be
// added up; those of a kMean, shares and values for each work-item, have a
// mean.
//
// A profile without such rows takes no memory for them. Immutable; shared
// between profiles. Times are nanoseconds, as in the file.

#ifndef TFPROF_PROFILE_KERNEL_COUNTERS_H_
#define TFPROF_PROFILE_KERNEL_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profile/lanes.h"
#include "profile/node_table.h"
#include "profile/string_pool.h"

namespace tfprof {

struct KernelCounters {
  enum class Kind : uint8_t { kSum, kMean };

  struct Counter {
    StringId name = kNone;
    Kind kind = Kind::kSum;
  };
  struct Kernel {
    StringId name = kNone;  // of the kernel itself
    NodeId node = kNone;    // the op; kNone: not known
    int64_t step = 0;
    LaneId lane = kNone;  // kNone: where it ran is not known, nor when
    int64_t start = 0;
    int64_t duration = 0;
  };

  std::vector<Counter> counters;
  std::vector<Kernel> kernels;
  std::vector<double> values;  // those of one kernel after those of another

  // By counter.
  std::span<const double> ValuesOf(size_t kernel) const {
    return {values.data() + kernel * counters.size(), counters.size()};
  }
  size_t bytes() const {
    return counters.capacity() * sizeof(Counter) +
           kernels.capacity() * sizeof(Kernel) +
           values.capacity() * sizeof(double);
  }
};

// The kind of a counter by its name: shares ("CacheHit", "VALUBusy") and the
// counts for each work-item of AMD's tools ("VALUInsts") have means, others
// ("Wavefronts", "SQ_INSTS_VALU") sums.
KernelCounters::Kind KindOfCounter(std::string_view name);

}  // namespace tfprof

#endif  // TFPROF_PROFILE_KERNEL_COUNTERS_H_

// Finds the shift between the clocks of two recordings of one run, from events
// that both have: the same names on the same threads.
//
// The recordings may begin and end at different times, so the first "step" of
// one may be the tenth of the other. Each pair of events with one name votes
// for the difference of their starts. Wrong pairs spread their votes, because
// no two steps take equally long; the right ones agree.
//
// All times are nanoseconds.

#ifndef TFPROF_LOADERS_GPU_TRACE_CLOCK_SHIFT_H_
#define TFPROF_LOADERS_GPU_TRACE_CLOCK_SHIFT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tfprof::gpu_trace {

// An event of a thread. Events that are the same in both recordings have equal
// keys.
struct NamedTime {
  uint64_t key = 0;
  int64_t start = 0;
  friend auto operator<=>(const NamedTime&, const NamedTime&) = default;
};

struct ClockShift {
  int64_t nanos = 0;   // to add to a time of the second recording
  int64_t votes = 0;   // events of the first recording that agree
  int64_t of = 0;      // events of the first recording that could agree
  int64_t spread = 0;  // half of the votes are at most this far away
};

// Returns the shift on which most events agree. Errors: no event is in both
// recordings, fewer than three or fewer than half of them agree, or two shifts
// fit equally well. The message says which, without the files.
absl::StatusOr<ClockShift> FindClockShift(std::vector<NamedTime> first,
                                          std::vector<NamedTime> second);

}  // namespace tfprof::gpu_trace

#endif  // TFPROF_LOADERS_GPU_TRACE_CLOCK_SHIFT_H_

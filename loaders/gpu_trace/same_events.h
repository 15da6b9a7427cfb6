// Finds the events that two recordings of one run both have: the same names on
// the same threads, and with them how the two clocks are related.
//
// The recordings may begin and end at different times, so the first "step" of
// one may be the tenth of the other. Each pair of events with one name votes
// for the difference of their starts. Wrong pairs spread their votes, because
// no two steps take equally long; the right ones agree. Clocks drift, so votes
// only agree near each other: from there the difference is followed from event
// to event, in both directions.
//
// All times are nanoseconds.

#ifndef TFPROF_LOADERS_GPU_TRACE_SAME_EVENTS_H_
#define TFPROF_LOADERS_GPU_TRACE_SAME_EVENTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace tfprof::gpu_trace {

// An event of a thread. Events that are the same in both recordings have equal
// keys.
struct NamedTime {
  uint64_t key = 0;
  int64_t start = 0;
};

// How a time of the second recording becomes one of the first.
struct ClockLine {
  int64_t shift = 0;  // at `origin`, a time of the second recording
  int64_t origin = 0;
  double drift = 0;  // what the first gains in a nanosecond of the second

  int64_t Moved(int64_t time) const;
};

struct SameEvents {
  // The event of the second recording that each one of the first is; kNone:
  // none. No two are the same one.
  std::vector<uint32_t> second;
  ClockLine clock;
  int64_t same = 0;    // events that both have
  int64_t of = 0;      // events that both could have
  int64_t spread = 0;  // half of them are at most this far from the line
};

// Errors: no name is in both recordings, fewer than three or fewer than half of
// the events agree, or two shifts fit equally well. The message says which,
// without the files.
absl::StatusOr<SameEvents> FindSameEvents(const std::vector<NamedTime>& first,
                                          const std::vector<NamedTime>& second);

}  // namespace tfprof::gpu_trace

#endif  // TFPROF_LOADERS_GPU_TRACE_SAME_EVENTS_H_

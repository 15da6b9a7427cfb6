// Skew: when each rank of a distributed run was in a step, for whom the others
// waited, and how sure the times are.
//
// A rank is a process that computes; parameter servers are left out where there
// are others. Its part of a step is the interval that the input has for it,
// else from its first record to its last end. Which steps of the profile are
// one step, timeline/same_steps.h says.
//
// Clocks of ranks are aligned as in timelines (timeline/clock_offsets.h), by
// the ends of collectives in which each rank waits for all others, and by sends
// and receives. The table of clocks has the interval in which the true offset
// is: a difference between ranks that is not larger than its width is no
// evidence.
//
// In a matched collective a rank waits until the last one has begun it, or
// until its own end. The slowest rank is the one that waits the shortest time;
// without a collective it is the one with the longest part. If all are equal,
// there is none.
//
// Ticks of the profile become microseconds.

#ifndef TFPROF_INSPECT_SKEW_H_
#define TFPROF_INSPECT_SKEW_H_

#include <cstdint>

#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// Tables "ranks" (each rank over all steps), "steps" (each step over all
// ranks), "parts" (each rank in each step) and "clocks". `step` < 0: all listed
// steps. Steps with one rank alone have no skew and are left out; the fact
// "ranks" is the number of ranks in the others.
DataDocument SkewDocument(Views& views, int64_t step);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_SKEW_H_

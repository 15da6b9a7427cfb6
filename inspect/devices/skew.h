// Skew: when each rank of a distributed run worked on a step, which rank the
// others waited for, and how exact the times are.
//
// A rank is a process that computes; parameter servers are left out if there
// are other processes. Its part of a step is the recorded interval of the step,
// else the time from its first record to its last end.
// timeline/ranks/same_steps.h decides which steps of the profile are the same
// step of the run.
//
// Clocks of ranks are aligned as in timelines (timeline/ranks/clock_offsets.h),
// by the ends of collectives in which each rank waits for all others, and by
// sends and receives. The table of clocks has the interval that contains the
// true offset: a difference between ranks that is not larger than its width is
// no evidence.
//
// In a matched collective, a rank waits until the last rank has begun it, or
// until its own end. The slowest rank is the rank that waits the shortest time;
// without a collective it is the rank with the longest part. If all are equal,
// there is none.
//
// Input times are ticks of the profile, output times are microseconds.

#ifndef TFPROF_INSPECT_DEVICES_SKEW_H_
#define TFPROF_INSPECT_DEVICES_SKEW_H_

#include <cstdint>

#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// Returns the tables "ranks" (each rank over all steps), "steps" (each step
// over all ranks), "parts" (each rank in each step) and "clocks". `step` < 0
// selects all listed steps. Steps with only one rank have no skew and are left
// out; the fact "ranks" is the number of ranks in the others.
tables::DataDocument SkewDocument(views::Views& views, int64_t step);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_SKEW_H_

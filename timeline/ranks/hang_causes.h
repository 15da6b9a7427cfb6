// HangCause: why a job hangs, from where its groups diverge.
//
// A rank that waits in one group cannot call what another group waits for. So
// the waits are followed: if all ranks for which a group waits are themselves
// waiting in other groups, the group is a consequence. What is left are the
// causes: ranks that wait nowhere, calls that differ, and circles of ranks that
// wait for each other.

#ifndef TFPROF_TIMELINE_RANKS_HANG_CAUSES_H_
#define TFPROF_TIMELINE_RANKS_HANG_CAUSES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/tables/collective_records.h"
#include "timeline/ranks/divergence.h"

namespace tfprof::timeline {

struct HangCause {
  // Indexes into Divergences::first: one, or the members of a circle, each of
  // which waits for the next, and the last for the first.
  std::vector<size_t> divergences;
  // Those of the missing ranks that do not wait elsewhere; of a circle, those
  // that do.
  std::vector<int64_t> ranks;
  std::vector<size_t> consequences;  // other divergences
};

// The nearest to a cause are first.
std::vector<HangCause> FindHangCauses(const Divergences& all);

// Returns what happened in a few sentences, with the ranks, their calls and the
// lines of the user's code.
std::string HangText(const profile::CollectiveRecords& records,
                     const Divergences& all, const HangCause& cause);

// "0-4, 6 and 3 more" of ascending ranks.
std::string RankList(const std::vector<int64_t>& ranks);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_HANG_CAUSES_H_

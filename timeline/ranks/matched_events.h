// Finds events of different clocks whose order is certain: the ends of
// collectives, transfers received by a RecvTensor, and links. See
// clock_offsets.h.

#ifndef TFPROF_TIMELINE_RANKS_MATCHED_EVENTS_H_
#define TFPROF_TIMELINE_RANKS_MATCHED_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace tfprof::timeline {

// Called with times in certain order: `earlier` on clock `from` is not after
// `later` on clock `to`.
using AddOrder = std::function<void(uint32_t from, int64_t earlier, uint32_t to,
                                    int64_t later)>;

// `steps` are indexes in Profile::steps(). `clock_of` has the clock of each
// lane, or kNone.
void AddMatchedEvents(const profile::Profile& profile,
                      const std::vector<size_t>& steps,
                      const std::vector<uint32_t>& clock_of,
                      const AddOrder& add);

// A collective in which each process waits for all others, if each of them took
// part. Times are ticks, as recorded.
struct MatchedCollective {
  struct Part {
    uint32_t who = profile::kNone;  // participant, see MatchCollectives()
    int64_t start = 0;
    int64_t end = 0;
    uint32_t record = 0;  // index in its step
    profile::LaneId lane = profile::kNone;
  };
  std::vector<Part> parts;  // one for each participant in the step, ascending
  // False for sends and receives that look like a collective: each participant
  // has as many. If they are an all-to-all, all overlap; see FindRankWaits().
  bool certain = true;
};

// Returns the collectives of one step, which may be several steps of the
// profile (same_steps.h). `who_of` has the participant of each lane, or kNone.
// Collectives whose number differs between participants are left out, because
// it is unknown which of them belong together.
std::vector<MatchedCollective> MatchCollectives(
    const profile::Profile& profile, const std::vector<size_t>& step,
    const std::vector<uint32_t>& who_of);

// Returns "all-reduce" for "ncclDevKernel_AllReduce_Sum_f32",
// "HorovodAllreduce" and "all-reduce.3": a collective in which each process
// waits for all others. Returns "" for other names, and for the halves of an
// asynchronous collective.
std::string_view SymmetricCollective(std::string_view name);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_MATCHED_EVENTS_H_

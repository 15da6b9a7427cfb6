// Events of different clocks whose order is certain: the ends of collectives,
// what a RecvTensor received, and links. See clock_offsets.h.

#ifndef TFPROF_TIMELINE_MATCHED_EVENTS_H_
#define TFPROF_TIMELINE_MATCHED_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace tfprof {

// What happened at `earlier` on clock `from` was not after what happened at
// `later` on clock `to`.
using AddOrder = std::function<void(uint32_t from, int64_t earlier, uint32_t to,
                                    int64_t later)>;

// `steps`: places in Profile::steps(). `clock_of`: by lane; kNone: none.
void AddMatchedEvents(const Profile& profile, const std::vector<size_t>& steps,
                      const std::vector<uint32_t>& clock_of,
                      const AddOrder& add);

// A collective in which each process waits for all others, when each of them
// was in it. Ticks, as recorded.
struct MatchedCollective {
  struct Part {
    uint32_t who = kNone;  // see MatchCollectives()
    int64_t start = 0;
    int64_t end = 0;
    uint32_t record = 0;  // of its step
    LaneId lane = kNone;
  };
  std::vector<Part> parts;  // one for each `who` of the step, ascending
};

// The collectives of one step, whose parts may be several steps of the profile
// (same_steps.h). `who_of`: by lane, who is in them; kNone: nobody. Where not
// all have the same number of one, which of them belong together is not known,
// and they are left out.
std::vector<MatchedCollective> MatchCollectives(
    const Profile& profile, const std::vector<size_t>& step,
    const std::vector<uint32_t>& who_of);

// "all-reduce" of "ncclDevKernel_AllReduce_Sum_f32", "HorovodAllreduce" and
// "all-reduce.3": a collective in which each process waits for all others; ""
// for other names, and for the halves of one that runs beside other work.
std::string_view SymmetricCollective(std::string_view name);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_MATCHED_EVENTS_H_

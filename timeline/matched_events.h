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

// "all-reduce" of "ncclDevKernel_AllReduce_Sum_f32", "HorovodAllreduce" and
// "all-reduce.3": a collective in which each process waits for all others; ""
// for other names, and for the halves of one that runs beside other work.
std::string_view SymmetricCollective(std::string_view name);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_MATCHED_EVENTS_H_

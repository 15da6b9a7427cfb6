// The counters of kernels (profile/kernel_counters.h) in a profile that tfprof
// saved: a message that is the same in a ProfileProto and in a saved trace.
//
// Texts are kText, by their place from 1; 0 is none. Numbers are the packed
// columns of kColumns: of counters, then of kernels, then of values. A node is
// its number in the file plus 1. A lane is that too in a saved trace, and the
// text of its device in a ProfileProto, which has no lanes. Times are
// nanoseconds. Values are the bits of doubles.

#ifndef TFPROF_LOADERS_SAVED_COUNTERS_H_
#define TFPROF_LOADERS_SAVED_COUNTERS_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "profile/kernel_counters.h"
#include "profile/string_pool.h"

namespace tfprof {

namespace saved_counters {
inline constexpr uint32_t kText = 1, kColumns = 2;
// Of kColumns.
inline constexpr uint32_t kCounterName = 1, kCounterKind = 2, kKernelName = 3,
                          kNode = 4, kStep = 5, kLane = 6, kStart = 7,
                          kDuration = 8, kValueBits = 9;
}  // namespace saved_counters

// What numbers of the file are in the profile; kNone: the file has no such one.
struct SavedCounterPlaces {
  std::function<NodeId(int64_t number)> node;
  // `text` is that of the number, if it is one of a text.
  std::function<LaneId(int64_t number, std::string_view text)> lane;
};

// False: the bytes are damaged, and `counters` has nothing.
bool ReadSavedCounters(std::string_view bytes, const SavedCounterPlaces& places,
                       StringPool& strings, KernelCounters& counters);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_SAVED_COUNTERS_H_

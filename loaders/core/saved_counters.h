// Reads the counters of kernels (profile/tables/kernel_counters.h) from a
// profile that tfprof saved. The message is the same in a ProfileProto and in a
// saved trace.
//
// Strings are in kText and are named by their position, from 1; 0 is none.
// Numbers are the packed columns of kColumns: first the columns of counters,
// then of kernels, then of values. A node is its number in the file plus 1. So
// is a lane in a saved trace; in a ProfileProto, which has no lanes, it is the
// string of its device. Times are in nanoseconds. Values are the bits of
// doubles.

#ifndef TFPROF_LOADERS_CORE_SAVED_COUNTERS_H_
#define TFPROF_LOADERS_CORE_SAVED_COUNTERS_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "profile/tables/kernel_counters.h"
#include "profile/tables/string_pool.h"

namespace tfprof::loaders {

namespace saved_counters {
inline constexpr uint32_t kText = 1, kColumns = 2;
// The columns in kColumns.
inline constexpr uint32_t kCounterName = 1, kCounterKind = 2, kKernelName = 3,
                          kNode = 4, kStep = 5, kLane = 6, kStart = 7,
                          kDuration = 8, kValueBits = 9;
}  // namespace saved_counters

// Maps the numbers in the file to the profile. kNone: the file has no such
// number.
struct SavedCounterPlaces {
  std::function<profile::NodeId(int64_t number)> node;
  // `text` is the string with this number, if there is one.
  std::function<profile::LaneId(int64_t number, std::string_view text)> lane;
};

// Returns false if the bytes are damaged; then `counters` stays empty.
bool ReadSavedCounters(std::string_view bytes, const SavedCounterPlaces& places,
                       profile::StringPool& strings,
                       profile::KernelCounters& counters);

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_SAVED_COUNTERS_H_

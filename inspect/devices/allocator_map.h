// AllocatorMap: who held the memory of one allocator in a window of its
// history, as layers in columns of time.
//
//   MapRequest request{.window = *ParseMapWindow("1000:2000")};
//   absl::StatusOr<AllocatorMap> map = MapOf(history, num_stacks, request);
//
// A moment is the state after a number of events: moment 0 is the beginning,
// moment 5 is after the fifth event. A window is a range of moments, or of
// nanoseconds since the first event that has a time. It is cut into columns of
// equal length. A column shows its moment with the most allocated memory, the
// first of equal ones, so that no peak is lost. Its reserved memory is the
// largest in the column.
//
// An owner is a call stack, as in the table `holders` of `memory`. The owners
// with the largest levels in the window are layers. In each column, the layers
// and `other` add up to the allocated memory exactly.
//
// It takes two passes over the events, and memory for each event's time only
// where the window is one of times. Sizes are bytes, times nanoseconds. The
// map owns its data. InvalidArgument: the window is empty, or begins after the
// end of the history.

#ifndef TFPROF_INSPECT_DEVICES_ALLOCATOR_MAP_H_
#define TFPROF_INSPECT_DEVICES_ALLOCATOR_MAP_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/tables/allocators.h"

namespace tfprof::inspect {

// Both ends belong to the window.
struct MapWindow {
  bool by_time = false;  // nanoseconds; otherwise moments
  int64_t from = 0;
  int64_t to = std::numeric_limits<int64_t>::max();

  friend bool operator==(const MapWindow&, const MapWindow&) = default;
};

// Reads "100:2000" (moments) or "1.5ms:2s" (times with a unit: ns, us, ms, s).
// Either side may be missing: "5:", ":2ms". InvalidArgument: anything else.
absl::StatusOr<MapWindow> ParseMapWindow(std::string_view text);

struct MapRequest {
  MapWindow window;
  int64_t columns = 120;  // the most; at least 1
  int64_t owners = 8;     // the most layers
};

struct AllocatorMap {
  // More allocations than this are only counted.
  static constexpr size_t kMostAllocations = 1000;

  struct Column {
    int64_t from = 0;   // the moment, or the nanoseconds, where it begins
    size_t moment = 0;  // the one that it shows
    int64_t allocated = 0;
    int64_t reserved = 0;
    int64_t other = 0;  // allocated, and in no layer
    std::vector<int64_t> layers;
  };
  struct Layer {
    profile::StackId stack = profile::kNoStack;
    int64_t largest = 0;  // its largest level in the window
    int64_t bytes = 0;    // at the peak of the window
    int64_t count = 0;    // allocations that it held then
    // In the whole history: allocations that events made, those of them that
    // were freed, and the mean life of the latter, if events have times.
    int64_t made = 0;
    int64_t freed = 0;
    double mean_life = 0;
  };
  // One that an event of the window made or freed.
  struct Allocation {
    uint64_t address = 0;
    int64_t bytes = 0;
    profile::StackId stack = profile::kNoStack;
    profile::StringId op = profile::kNone;
    std::optional<size_t> made;   // the moment; no value: before the history
    std::optional<size_t> freed;  // no value: never in the history
  };
  struct Failure {
    size_t moment = 0;
    int64_t requested = 0;
    int64_t device_free = 0;
    int64_t allocated = 0;
    int64_t reserved = 0;
    profile::StackId stack = profile::kNoStack;
  };

  size_t first = 0;  // the moments of the window
  size_t last = 0;
  bool by_time = false;
  std::vector<Column> columns;
  std::vector<Layer> layers;            // the largest first
  size_t num_owners = 0;                // that held memory in the window
  size_t peak_column = 0;               // the first with the largest level
  std::vector<Allocation> allocations;  // in the order of their events
  size_t num_allocations = 0;
  std::vector<Failure> failures;
};

// `num_stacks` is larger than the id of any stack of the history.
absl::StatusOr<AllocatorMap> MapOf(const profile::AllocatorHistory& history,
                                   size_t num_stacks,
                                   const MapRequest& request);

// A map of a level without owners: `levels` are the bytes from the moments on,
// `times` their nanoseconds, which do not decrease.
absl::StatusOr<AllocatorMap> MapOfLevel(const std::vector<int64_t>& levels,
                                        const std::vector<int64_t>& times,
                                        const MapRequest& request);

// The nanoseconds of each moment since the first event that has a time; events
// without one, or with an earlier one, have the time of the event before them.
// Empty: no event has a time.
std::vector<int64_t> MomentTimes(const profile::AllocatorHistory& history);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_ALLOCATOR_MAP_H_

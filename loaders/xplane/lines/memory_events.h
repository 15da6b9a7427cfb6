// Reads allocations of memory on host threads: the levels of allocators, which
// become counters, and the bytes that ops requested.
//
// The recorder writes an allocation as an event without a duration inside the
// op that made it, and also names the op. The bytes go to that execution. If it
// is not around the event, they go to the node with that name.

#ifndef TFPROF_LOADERS_XPLANE_LINES_MEMORY_EVENTS_H_
#define TFPROF_LOADERS_XPLANE_LINES_MEMORY_EVENTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "loaders/xplane/lines/file_line.h"
#include "profile/profile_builder.h"

namespace tfprof::xplane {

// Bytes of an op whose execution is not around the allocation.
struct UnplacedBytes {
  std::string_view tf_op;
  int64_t time = 0;  // picoseconds since the origin
  int64_t bytes = 0;
};

class MemorySeries {
 public:
  // Adds the allocations on a host thread, and sets FileLine::requested.
  std::vector<UnplacedBytes> Add(FileLine& line);

  // Adds a counter for each allocator: "bytes in use".
  void AddCounters(profile::ProcessId process,
                   profile::ProfileBuilder& builder) const;

 private:
  struct Sample {
    std::string_view allocator;
    int64_t time = 0;
    int64_t bytes_in_use = 0;
  };
  std::vector<Sample> samples_;
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_LINES_MEMORY_EVENTS_H_

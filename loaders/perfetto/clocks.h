// Clocks: turns the times of packets into nanoseconds of one clock, the clock
// of the trace.
//
// A snapshot has the time of several clocks at one moment; later packets are
// read by the last one. Clocks 64 to 127 belong to a sequence; such a clock may
// count from packet to packet. Sums that leave 64 bits stay at the limit.
//
// Source: perfetto/trace/clock_snapshot.proto

#ifndef TFPROF_LOADERS_PERFETTO_CLOCKS_H_
#define TFPROF_LOADERS_PERFETTO_CLOCKS_H_

#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace tfprof::perfetto {

struct Clock {
  int64_t now = 0;     // of an incremental clock, in nanoseconds
  int64_t offset = 0;  // to the clock of the trace
  int64_t unit = 1;    // nanoseconds
  bool incremental = false;
};

// By number.
using ClockMap = absl::flat_hash_map<uint32_t, Clock>;

class Clocks {
 public:
  // Reads a snapshot in a packet of the sequence with the clocks `own`. Returns
  // false if it is damaged; what is before the damage counts.
  bool ReadSnapshot(std::string_view bytes, ClockMap& own);

  enum class Known {
    kYes,
    kAsItIs,  // no snapshot has the clock; the time is taken as nanoseconds
    kNo,      // the same of a clock of a sequence, which may count from packet
              // to packet; there is no time
  };
  // `clock` 0 is the clock of the trace.
  Known ToNanos(int64_t time, uint32_t clock, ClockMap& own, int64_t& nanos);

 private:
  static constexpr uint32_t kBootTime = 6;

  ClockMap clocks_;
  uint32_t trace_clock_ = kBootTime;
};

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_CLOCKS_H_

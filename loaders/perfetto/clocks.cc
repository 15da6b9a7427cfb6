#include "loaders/perfetto/clocks.h"

#include <algorithm>
#include <vector>

#include "util/arithmetic.h"
#include "util/files/wire.h"

namespace tfprof::perfetto {
namespace {

using util::LengthTag;
using util::VarintTag;

bool IsOfSequence(uint32_t clock) { return clock >= 64 && clock < 128; }

}  // namespace

bool Clocks::ReadSnapshot(std::string_view bytes, ClockMap& own) {
  struct Reading {
    uint32_t id = 0;
    int64_t time = 0;
    int64_t unit = 1;
    bool incremental = false;
  };
  std::vector<Reading> readings;
  bool damaged = false;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == VarintTag(2)) {
      trace_clock_ = static_cast<uint32_t>(r.value());
    }
    if (r.tag() != LengthTag(1)) continue;
    Reading reading;
    util::WireReader clock(r.view());
    while (clock.Next()) {
      switch (clock.tag()) {
        case VarintTag(1):
          reading.id = static_cast<uint32_t>(clock.value());
          break;
        case VarintTag(2):
          reading.time = clock.int64();
          break;
        case VarintTag(3):
          reading.incremental = clock.value() != 0;
          break;
        case VarintTag(4):
          reading.unit = std::max<int64_t>(1, clock.int64());
          break;
        default:
          break;
      }
    }
    damaged |= clock.damaged();
    readings.push_back(reading);
  }
  const auto trace = std::find_if(
      readings.begin(), readings.end(),
      [&](const Reading& reading) { return reading.id == trace_clock_; });
  for (const Reading& reading : readings) {
    const int64_t nanos = util::SaturatingMul(reading.time, reading.unit);
    const Clock clock = {.now = nanos,
                         .offset = trace == readings.end()
                                       ? 0
                                       : util::WrapSub(trace->time, nanos),
                         .unit = reading.unit,
                         .incremental = reading.incremental};
    if (IsOfSequence(reading.id)) {
      own[reading.id] = clock;
    } else if (trace != readings.end()) {
      clocks_[reading.id] = clock;
    }
  }
  return !damaged && !r.damaged();
}

Clocks::Known Clocks::ToNanos(int64_t time, uint32_t clock, ClockMap& own,
                              int64_t& nanos) {
  nanos = time;
  if (clock == 0 || clock == trace_clock_) return Known::kYes;
  const bool of_sequence = IsOfSequence(clock);
  ClockMap& clocks = of_sequence ? own : clocks_;
  const auto it = clocks.find(clock);
  if (it == clocks.end()) return of_sequence ? Known::kNo : Known::kAsItIs;
  Clock& known = it->second;
  nanos = util::SaturatingMul(time, known.unit);
  if (known.incremental) {
    nanos = known.now = util::SaturatingAdd(known.now, nanos);
  }
  nanos = util::SaturatingAdd(nanos, known.offset);
  return Known::kYes;
}

}  // namespace tfprof::perfetto

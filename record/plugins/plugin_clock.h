// PluginClock: relates the clock of a vendor's library to the clock of the
// trace by reading both. Times of calls are converted with the last pair; times
// of devices are recorded unconverted, together with the pairs.

#ifndef TFPROF_RECORD_PLUGINS_PLUGIN_CLOCK_H_
#define TFPROF_RECORD_PLUGINS_PLUGIN_CLOCK_H_

#include <atomic>
#include <cstdint>
#include <string_view>

#include "record/sink.h"

namespace tfprof::record {

class PluginClock {
 public:
  // `read` returns nanoseconds, or 0 if it fails.
  explicit constexpr PluginClock(uint64_t (*read)()) : read_(read) {}

  // Reads both clocks several times and keeps the most exact pair.
  void Read() {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < kTimes; ++i) {
      const uint64_t before = Now();
      const uint64_t time = read_();
      const uint64_t after = Now();
      if (time == 0 || after - before >= best) continue;
      best = after - before;
      before_ = before;
      time_ = time;
      after_ = after;
    }
    shift_.store(before_ + best / 2 - time_, std::memory_order_relaxed);
  }
  // Records the last pair.
  void Tell(std::string_view device) const {
    ClockPair(device, before_, time_, after_);
  }
  uint64_t ToHost(uint64_t time) const {
    return time + shift_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr int kTimes = 5;

  uint64_t (*read_)();
  uint64_t before_ = 0, time_ = 0, after_ = 0;
  std::atomic<uint64_t> shift_ = 0;  // modulo 2^64
};

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PLUGINS_PLUGIN_CLOCK_H_

// Records where the program itself spends its time, as a Chrome trace
// (`--self_profile=FILE`, opens in Perfetto and chrome://tracing).
//
//   { ScopedPhase phase("parse", path); … }
//
// A phase costs one load of a flag while recording is off, and about 100 ns
// while it is on. Thread-safe. There is one global recorder, because it records
// the time of the whole process.

#ifndef TFPROF_UTIL_RUN_SELF_PROFILE_H_
#define TFPROF_UTIL_RUN_SELF_PROFILE_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof::util {

class SelfProfile {
 public:
  static void Enable() { enabled_ = true; }
  static bool enabled() { return enabled_.load(std::memory_order_relaxed); }

  // Returns the phases so far as a Chrome trace. Times are microseconds since
  // the first phase.
  static std::string ChromeTrace();

 private:
  static inline std::atomic<bool> enabled_ = false;
};

class ScopedPhase {
 public:
  // `name` must be a literal; `detail` (a path, a view) is copied.
  explicit ScopedPhase(const char* name, std::string_view detail = "");
  ~ScopedPhase();
  ScopedPhase(const ScopedPhase&) = delete;
  ScopedPhase& operator=(const ScopedPhase&) = delete;

 private:
  const char* name_;
  std::string detail_;
  int64_t start_ = 0;  // nanoseconds; 0: not recording
};

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_SELF_PROFILE_H_

// SpinLock: a lock for tables of plug-ins, held for a few instructions only.

#ifndef TFPROF_RECORD_PLUGINS_SPIN_LOCK_H_
#define TFPROF_RECORD_PLUGINS_SPIN_LOCK_H_

#include <atomic>

#include "record/system.h"

namespace tfprof::record {

class SpinLock {
 public:
  void Take() {
    while (is_taken_.exchange(true, std::memory_order_acquire)) {
      YieldProcessor();
    }
  }
  void GiveBack() { is_taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_taken_ = false;
};

class SpinLocked {
 public:
  explicit SpinLocked(SpinLock& lock) : lock_(lock) { lock_.Take(); }
  SpinLocked(const SpinLocked&) = delete;
  SpinLocked& operator=(const SpinLocked&) = delete;
  ~SpinLocked() { lock_.GiveBack(); }

 private:
  SpinLock& lock_;
};

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PLUGINS_SPIN_LOCK_H_

// Launches: the calls of each process by their correlation ids.
//
//   launches.Add(process, correlation, call);   // for each call
//   launches.Finish();
//   launches.Find(process, correlation)
//
// Ids count up with the calls, so they are nearly sorted; a table by hash would
// cost a cache miss for each of millions of calls. Of several calls with one
// id, the first that was added counts. Use one thread.

#ifndef TFPROF_LOADERS_NSYS_LAUNCHES_H_
#define TFPROF_LOADERS_NSYS_LAUNCHES_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "profile/tables/string_pool.h"
#include "util/radix_sort.h"

namespace tfprof::nsys {

class Launches {
 public:
  void Add(int64_t process, int64_t correlation, uint32_t call) {
    if (last_ == nullptr || last_process_ != process) {
      last_ = &of_process_[process];
      last_process_ = process;
    }
    last_->push_back({correlation, call});
  }

  void Finish() {
    for (auto& [process, calls] : of_process_) {
      if (std::ranges::is_sorted(calls, {}, &Call::correlation)) continue;
      const int64_t first =
          std::ranges::min(calls, {}, &Call::correlation).correlation;
      util::RadixSort(calls, [&](const Call& call) {
        return static_cast<uint64_t>(call.correlation) -
               static_cast<uint64_t>(first);
      });
    }
  }

  // kNone: there is no such call. Call this after Finish().
  uint32_t Find(int64_t process, int64_t correlation) const {
    const auto calls = of_process_.find(process);
    if (calls == of_process_.end()) return profile::kNone;
    const auto call = std::ranges::lower_bound(calls->second, correlation, {},
                                               &Call::correlation);
    return call == calls->second.end() || call->correlation != correlation
               ? profile::kNone
               : call->number;
  }

 private:
  struct Call {
    int64_t correlation;
    uint32_t number;
  };

  std::map<int64_t, std::vector<Call>> of_process_;
  // The last one: consecutive calls are often of the same process.
  int64_t last_process_ = 0;
  std::vector<Call>* last_ = nullptr;
};

}  // namespace tfprof::nsys

#endif  // TFPROF_LOADERS_NSYS_LAUNCHES_H_

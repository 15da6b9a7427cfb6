// IntervalCollector: pairs begins and ends to ops, asynchronous ops, sessions,
// calls and ranges. trace_facts.h describes which end closes which begin.

#ifndef TFPROF_LOADERS_CTF_EVENTS_INTERVAL_COLLECTOR_H_
#define TFPROF_LOADERS_CTF_EVENTS_INTERVAL_COLLECTOR_H_

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/ctf/events/fact_context.h"

namespace tfprof::ctf {

// A call with a correlation, which launched work of a device.
struct CorrelatedCall {
  int64_t thread = -1;  // of the operating system
  int64_t begin = 0, end = 0;
};
// The calls, keyed by process and correlation.
using CorrelatedCalls =
    absl::flat_hash_map<std::pair<uint32_t, int64_t>, CorrelatedCall>;

class IntervalCollector {
 public:
  explicit IntervalCollector(FactContext& context)
      : context_(context), facts_(context.facts()) {}

  // Returns false if the event is not about an interval.
  bool Add(const Event& event, const BoundEvent& bound, ThreadId thread);
  // Counts intervals that are still open as unfinished.
  void Finish();

  const CorrelatedCalls& correlated_calls() const { return correlated_calls_; }

 private:
  // The kind of interval that an end closes.
  enum class Kind { kCall, kRange };
  struct Open {
    int64_t begin;
    profile::StringId name;
    profile::StringId place;
    ThreadId thread;
    int64_t depth = -1;  // -1: the trace does not have it
    profile::StringId type = profile::kNone;
    int64_t step = -1;
    int64_t correlation = 0;
  };
  struct PerThread {
    std::vector<Open> ops, calls, ranges;
  };

  PerThread& Own(ThreadId thread) {
    if (thread >= per_thread_.size()) per_thread_.resize(thread + 1);
    return per_thread_[thread];
  }
  static int64_t CallTime(const Event& event, const BoundEvent& bound);
  // Returns the number of open intervals of the thread. With it, an end finds
  // its begin even if events between them were dropped.
  static int64_t Depth(const Event& event, const BoundEvent& bound);
  // Returns the API that the event names ("opencl"), else its provider.
  profile::StringId Api(const Event& event, const BoundEvent& bound);
  // A linear search: there are few kinds of ranges.
  RangeSum& SumOf(profile::StringId kind);
  // Adds a call to its sum, and keeps calls that the attribution or the model
  // needs.
  void Keep(Kind kind, const Interval& interval);
  void BeginOp(const Event& event, const BoundEvent& bound, ThreadId thread);
  // Drops ops at this depth or deeper. Another op begins there, so their ends
  // were lost.
  void DropDeeper(std::vector<Open>& ops, int64_t depth);
  void CloseAt(std::vector<Open>& open, int64_t time, int64_t depth, Kind kind);
  // Adds a call that another thread recorded.
  void AddCall(const Event& event, const BoundEvent& bound);
  void EndOp(const Event& event, const BoundEvent& bound, ThreadId thread);
  // Closes the topmost open range with this name and place, and drops the
  // ranges above it.
  void Close(std::vector<Open>& open, int64_t time, profile::StringId name,
             profile::StringId place, Kind kind);
  void Async(const Event& event, const BoundEvent& bound, ThreadId thread);
  void AddSession(const Event& event, const BoundEvent& bound, ThreadId thread);

  FactContext& context_;
  TraceFacts& facts_;
  const profile::StringId inline_ready_ = facts_.names.Intern("inline_ready");
  std::pair<const std::pair<profile::StringId, profile::StringId>, CallSum>*
      last_call_ = nullptr;
  bool last_call_launches_ = false;
  std::deque<PerThread> per_thread_;
  std::map<std::tuple<uint32_t, profile::StringId, profile::StringId>,
           std::deque<Open>>
      async_;
  std::map<std::pair<uint32_t, int64_t>, std::deque<Open>> numbered_;
  CorrelatedCalls correlated_calls_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_INTERVAL_COLLECTOR_H_

// CounterCollector: collects the samples of counters, of memory and of
// allocators, and the sets of performance counters of kernels.

#ifndef TFPROF_LOADERS_CTF_EVENTS_COUNTER_COLLECTOR_H_
#define TFPROF_LOADERS_CTF_EVENTS_COUNTER_COLLECTOR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "loaders/ctf/events/fact_context.h"

namespace tfprof::ctf {

class CounterCollector {
 public:
  explicit CounterCollector(FactContext& context)
      : context_(context), facts_(context.facts()) {}

  // Returns false if the event is not about a counter.
  bool Add(const Event& event, const BoundEvent& bound, ThreadId thread);
  // Notes the name of a kernel's object, which this event gives.
  void NoteObject(const Event& event, const BoundEvent& bound, ThreadId thread);
  void Finish();

 private:
  // Returns the last set of a thread, or kNone.
  uint32_t& SetOf(ThreadId thread) {
    if (thread >= sets_.size()) sets_.resize(thread + 1, profile::kNone);
    return sets_[thread];
  }
  CounterSet& NewSet(const Event& event, ThreadId thread);
  // Begins a set with the geometry of a kernel.
  void AddGeometry(const Event& event, ThreadId thread);
  // Adds a counter to a set. Another object, or a counter that is already in
  // the set, begins the next set.
  void AddCount(const Event& event, const BoundEvent& bound, ThreadId thread);
  void AddSample(const Event& event, const BoundEvent& bound, ThreadId thread,
                 double value, bool is_change);
  void AddState(const Event& event, const BoundEvent& bound, ThreadId thread);
  void Memory(const Event& event, const BoundEvent& bound, ThreadId thread);

  FactContext& context_;
  TraceFacts& facts_;
  std::vector<uint32_t> sets_;  // by thread
  std::map<std::tuple<EventRole, uint32_t, profile::StringId>, size_t> series_;
  std::map<std::tuple<uint32_t, profile::StringId, profile::StringId>, double>
      allocated_;
  std::map<std::tuple<const EventRow*, uint32_t, profile::StringId>, size_t>
      states_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_COUNTER_COLLECTOR_H_

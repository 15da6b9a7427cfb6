// CounterCollector: series of counters, memory and allocators, and the sets of
// performance counters of kernels.

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

  // False: the role is none of a counter.
  bool Add(const Event& event, const BoundEvent& bound, ThreadId thread);
  // A kernel's object has the name that this event has.
  void NoteObject(const Event& event, const BoundEvent& bound, ThreadId thread);
  void Finish();

 private:
  // The last set of a thread; kNone: it has none.
  uint32_t& SetOf(ThreadId thread) {
    if (thread >= sets_.size()) sets_.resize(thread + 1, kNone);
    return sets_[thread];
  }
  CounterSet& NewSet(const Event& event, ThreadId thread);
  // The geometry of a kernel begins its set.
  void AddGeometry(const Event& event, ThreadId thread);
  // A set ends where another object or a counter again begins the next one.
  void AddCount(const Event& event, const BoundEvent& bound, ThreadId thread);
  void AddSample(const Event& event, const BoundEvent& bound, ThreadId thread,
                 double value, bool is_change);
  void AddState(const Event& event, const BoundEvent& bound, ThreadId thread);
  void Memory(const Event& event, const BoundEvent& bound, ThreadId thread);

  FactContext& context_;
  TraceFacts& facts_;
  std::vector<uint32_t> sets_;  // by thread
  std::map<std::tuple<EventRole, uint32_t, StringId>, size_t> series_;
  std::map<std::tuple<uint32_t, StringId, StringId>, double> allocated_;
  std::map<std::tuple<const EventRow*, uint32_t, StringId>, size_t> states_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_COUNTER_COLLECTOR_H_

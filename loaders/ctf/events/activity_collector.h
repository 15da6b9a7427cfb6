// ActivityCollector: collects the work of devices. The host records this work
// afterwards: one event for each time of an activity, or one event with all its
// times. Times are in nanoseconds, on the clock of the device.

#ifndef TFPROF_LOADERS_CTF_EVENTS_ACTIVITY_COLLECTOR_H_
#define TFPROF_LOADERS_CTF_EVENTS_ACTIVITY_COLLECTOR_H_

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "loaders/ctf/events/counter_collector.h"
#include "loaders/ctf/events/fact_context.h"
#include "loaders/ctf/events/interval_collector.h"

namespace tfprof::ctf {

class ActivityCollector {
 public:
  // Passes the names of kernels to `counters`.
  ActivityCollector(FactContext& context, CounterCollector& counters)
      : context_(context), facts_(context.facts()), counters_(counters) {}

  // Returns false if the event is not about an activity.
  bool Add(const Event& event, const BoundEvent& bound, ThreadId thread);
  // The first event that mentions hsa_init sets the origin of its ticks.
  void NoteInit(const Event& event, const BoundEvent& bound);
  // Joins commands with the calls that launched them, and counts activities
  // that never ended.
  void Finish(const CorrelatedCalls& calls);

 private:
  // The activities of a thread that have events but no end yet, by the family
  // of their events and the kind of work.
  using PerThread =
      std::map<std::pair<profile::StringId, DeviceWork>, Activity>;

  PerThread& OpenOf(ThreadId thread) {
    if (thread >= open_.size()) open_.resize(thread + 1);
    return open_[thread];
  }
  int64_t ActivityTime(const Event& event, const BoundEvent& bound) const;
  // Adds one time to an activity. The events of an activity come together and
  // in any order, except that the end comes last.
  void AddTime(const Event& event, const BoundEvent& bound, ThreadId thread);
  void Drop(const Activity& activity);
  void AddCommand(const Event& event, const BoundEvent& bound, ThreadId thread);
  // Returns kNoTime for 0, which the recorder writes for an unknown time.
  static int64_t KnownTime(int64_t time);
  void JoinCalls(const CorrelatedCalls& calls);
  void AddClockPair(const Event& event, const BoundEvent& bound,
                    ThreadId thread);

  FactContext& context_;
  TraceFacts& facts_;
  CounterCollector& counters_;
  std::deque<PerThread> open_;  // by thread
  int64_t init_ = 0;
  bool init_known_ = false;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_ACTIVITY_COLLECTOR_H_

// ActivityCollector: collects the work of devices. The host records it
// afterwards: one event for each time of an activity, or one event with all of
// its times.

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
  // `counters` gets the names of kernels.
  ActivityCollector(FactContext& context, CounterCollector& counters)
      : context_(context), facts_(context.facts()), counters_(counters) {}

  // False: the role is none of an activity.
  bool Add(const Event& event, const BoundEvent& bound, ThreadId thread);
  // The first event that mentions hsa_init is the origin of its ticks.
  void NoteInit(const Event& event, const BoundEvent& bound);
  // Joins commands with the calls that launched them, and counts activities
  // that never ended.
  void Finish(const CorrelatedCalls& calls);

 private:
  // The activities of which a thread has recorded a part and not yet the end,
  // by the family of their events and the kind of work.
  using PerThread = std::map<std::pair<StringId, DeviceWork>, Activity>;

  PerThread& OpenOf(ThreadId thread) {
    if (thread >= open_.size()) open_.resize(thread + 1);
    return open_[thread];
  }
  int64_t ActivityTime(const Event& event, const BoundEvent& bound) const;
  // Adds one time to an activity. Its events come together and in any order,
  // but the end is the last one.
  void AddTime(const Event& event, const BoundEvent& bound, ThreadId thread);
  void Drop(const Activity& activity);
  void AddCommand(const Event& event, const BoundEvent& bound, ThreadId thread);
  // 0 is what the recorder does not know.
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

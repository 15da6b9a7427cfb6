// ActivityCollector: what devices did, as the host tells it afterwards: events
// for each time of it, or one event with all of them.

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
  // Kernels tell `counters` their names.
  ActivityCollector(FactContext& context, CounterCollector& counters)
      : context_(context), facts_(context.facts()), counters_(counters) {}

  // False: the role is none of an activity.
  bool Add(const Event& event, const BoundEvent& bound, ThreadId thread);
  // The first event that mentions hsa_init is the origin of its ticks.
  void NoteInit(const Event& event, const BoundEvent& bound);
  // Gives work the call that launched it, and counts what has no end.
  void Finish(const CorrelatedCalls& calls);

 private:
  // The activity that a thread tells of, by the family of its events and the
  // kind of work.
  using PerThread = std::map<std::pair<StringId, Work>, Activity>;

  PerThread& Telling(ThreadId thread) {
    if (thread >= telling_.size()) telling_.resize(thread + 1);
    return telling_[thread];
  }
  int64_t ActivityTime(const Event& event, const BoundEvent& bound) const;
  // The events of one activity come together, in any order, but for its end.
  void Tell(const Event& event, const BoundEvent& bound, ThreadId thread);
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
  std::deque<PerThread> telling_;  // by thread
  int64_t init_ = 0;
  bool init_known_ = false;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_ACTIVITY_COLLECTOR_H_

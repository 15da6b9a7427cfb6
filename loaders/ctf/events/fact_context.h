// FactContext: shared by all collectors of facts (trace_facts.cc): the facts,
// the names in them, and the thread that recorded an event.
//
// Each event needs names and threads, so the last lookups are cached. The facts
// must outlive the context.

#ifndef TFPROF_LOADERS_CTF_EVENTS_FACT_CONTEXT_H_
#define TFPROF_LOADERS_CTF_EVENTS_FACT_CONTEXT_H_

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "loaders/ctf/events/bound_event.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/packets/event_stream.h"

namespace tfprof::ctf {

class FactContext {
 public:
  explicit FactContext(TraceFacts& facts) : facts_(facts) {
    recent_names_.fill(profile::kNone);
  }

  TraceFacts& facts() { return facts_; }

  // Returns the text of a field, a number in decimal, or kNone without the
  // field.
  profile::StringId Text(const Event& event, const BoundEvent::Field& field);
  // Returns an empty text for kNone.
  std::string_view TextOf(profile::StringId id) const {
    return id == profile::kNone ? std::string_view() : facts_.names.Get(id);
  }
  // Reads a number from the payload.
  static int64_t Number(const Event& event, std::string_view field,
                        int64_t otherwise) {
    return IntegerOf(event, FieldOf(event, field, Scope::kPayload), otherwise);
  }
  // Host times in tfprof's events are cycles of the clock of the trace.
  static int64_t ToNanos(const Event& event, int64_t cycles) {
    return cycles == Activity::kNoTime
               ? cycles
               : event.trace->ToNanos(event.stream->clock,
                                      static_cast<uint64_t>(cycles));
  }

  // Returns the thread that recorded an event, or another thread of its host
  // that the event names.
  ThreadId ThreadOf(const Event& event, const BoundEvent& bound) {
    return FindThread(event, bound, IntegerOf(event, bound.process, -1),
                      IntegerOf(event, bound.thread, -1));
  }
  ThreadId FindThread(const Event& event, const BoundEvent& bound,
                      int64_t process, int64_t thread);
  uint32_t ProcessOf(ThreadId thread) const {
    return facts_.threads[thread].process_index;
  }

 private:
  struct Recent {
    std::tuple<profile::StringId, int64_t, int64_t> key;
    ThreadId id = profile::kNone;
  };

  TraceFacts& facts_;
  std::map<std::tuple<profile::StringId, int64_t, int64_t>, ThreadId> threads_;
  std::map<std::pair<profile::StringId, int64_t>, uint32_t> processes_;
  std::array<Recent, 64> recent_;
  std::array<profile::StringId, 256> recent_names_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_FACT_CONTEXT_H_

// FactContext: what all collectors of facts (trace_facts.cc) share: the facts,
// the names in them, and who recorded an event.
//
// Names and threads are looked up once for each event, so the last ones are
// remembered.

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
  // The facts outlive the context.
  explicit FactContext(TraceFacts& facts) : facts_(facts) {
    recent_names_.fill(kNone);
  }

  TraceFacts& facts() { return facts_; }

  // The text of a field; a number in decimal. kNone: there is no such field.
  StringId Text(const Event& event, const BoundEvent::Field& field);
  // Empty for kNone.
  std::string_view TextOf(StringId id) const {
    return id == kNone ? std::string_view() : facts_.names.Get(id);
  }
  // Of the payload.
  static int64_t Number(const Event& event, std::string_view field,
                        int64_t otherwise) {
    return IntegerOf(event, FieldOf(event, field, Scope::kPayload), otherwise);
  }
  // Host times of our own events are cycles of the clock of the trace.
  static int64_t ToNanos(const Event& event, int64_t cycles) {
    return cycles == Activity::kNoTime
               ? cycles
               : event.trace->ToNanos(event.stream->clock,
                                      static_cast<uint64_t>(cycles));
  }

  // The thread that recorded an event, or another one of the same host.
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
    std::tuple<StringId, int64_t, int64_t> key;
    ThreadId id = kNone;
  };

  TraceFacts& facts_;
  std::map<std::tuple<StringId, int64_t, int64_t>, ThreadId> threads_;
  std::map<std::pair<StringId, int64_t>, uint32_t> processes_;
  std::array<Recent, 64> recent_;
  std::array<StringId, 256> recent_names_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_FACT_CONTEXT_H_

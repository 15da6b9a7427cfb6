// BoundEvent: a row of the schema (event_schema.h) that is bound to the events
// of one class, with the slots of their fields.
//
// Fields are looked up once for each class, so reading a value is one load.
// Owned by BoundEvents, whose addresses stay valid.

#ifndef TFPROF_LOADERS_CTF_EVENTS_BOUND_EVENT_H_
#define TFPROF_LOADERS_CTF_EVENTS_BOUND_EVENT_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "loaders/ctf/events/event_schema.h"
#include "loaders/ctf/packets/event_stream.h"
#include "profile/tables/string_pool.h"

namespace tfprof::ctf {

struct BoundEvent {
  struct Field {
    SlotId slot = kNoSlot;  // kNoSlot: the events have no such field
    const Slot* type = nullptr;
  };
  const EventRow* row = nullptr;  // nullptr: no row describes the event
  profile::StringId provider = profile::kNone;
  profile::StringId family =
      profile::kNone;  // of process_entry: "tensorflowTracer:process"
  profile::StringId range_kind =
      profile::kNone;  // the same without the provider
  uint32_t host = 0;
  Field name, place, value, time, queue, object;
  // Only tfprof's own events have these. `depth` is how many intervals of this
  // kind are open on the thread.
  Field depth, type, step, id, correlation;
  Field thread, process, program;
  uint64_t count = 0;  // number of its events
  std::string event;   // "provider:event"
};

BoundEvent::Field FieldOf(const Event& event, std::string_view name,
                          Scope scope);
int64_t IntegerOf(const Event& event, const BoundEvent::Field& field,
                  int64_t otherwise);
double RealOf(const Event& event, const BoundEvent::Field& field);
// Returns the text of a field, a number in decimal, or kNone without the field.
profile::StringId FieldText(const Event& event, const BoundEvent::Field& field,
                            profile::StringPool& names);

class EventBinder {
 public:
  explicit EventBinder(profile::StringPool& names) : names_(names) {}

  BoundEvent& Bind(const Event& event);
  // In the order in which the classes first occurred.
  const std::deque<BoundEvent>& all() const { return all_; }

 private:
  profile::StringPool& names_;
  absl::flat_hash_map<const EventPlan*, BoundEvent*> by_plan_;
  std::deque<BoundEvent> all_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_BOUND_EVENT_H_

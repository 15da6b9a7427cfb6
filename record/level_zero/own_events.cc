#include "record/level_zero/own_events.h"

#include "record/plugins/real_symbol.h"
#include "record/system.h"

namespace tfprof::record::level_zero {
namespace {

constinit RealSymbol create_pool("zeEventPoolCreate", TFPROF_LEVEL_ZERO);
constinit RealSymbol create_event("zeEventCreate", TFPROF_LEVEL_ZERO);
constinit RealSymbol reset_event("zeEventHostReset", TFPROF_LEVEL_ZERO);

struct Event {
  Handle context;
  Handle event;
  bool is_taken;
};

constexpr size_t kMaxEvents = 16'384;
constexpr uint32_t kEventsOfPool = 64;

constinit Event* events = nullptr;
constinit size_t num_events = 0;

// Creates another pool and adds its events.
bool AddPool(Handle context) {
  const auto make_pool = create_pool.As<EventPoolCreate>();
  const auto make_event = create_event.As<EventCreate>();
  if (make_pool == nullptr || make_event == nullptr ||
      num_events + kEventsOfPool > kMaxEvents) {
    return false;
  }
  if (events == nullptr) {
    events = static_cast<Event*>(AllocatePages(kMaxEvents * sizeof(Event)));
    if (events == nullptr) return false;
  }
  EventPoolDescription description;
  description.flags = kHostVisible | kKernelTimestamp;
  description.count = kEventsOfPool;
  Handle pool = nullptr;
  if (make_pool(context, &description, 0, nullptr, &pool) != kSuccess) {
    return false;
  }
  for (uint32_t i = 0; i < kEventsOfPool; ++i) {
    EventDescription event_description;
    event_description.index = i;
    Handle event = nullptr;
    if (make_event(pool, &event_description, &event) != kSuccess) break;
    events[num_events++] = {context, event, false};
  }
  return true;
}

}  // namespace

Handle TakeEvent(Handle context) {
  for (int i = 0; i < 2; ++i) {
    for (size_t e = 0; e < num_events; ++e) {
      Event& event = events[e];
      if (event.is_taken || event.context != context) continue;
      event.is_taken = true;
      return event.event;
    }
    if (i == 0 && !AddPool(context)) break;
  }
  return nullptr;
}

void ResetEvent(Handle event) {
  const auto reset = reset_event.As<OfEvent>();
  if (reset != nullptr) reset(event);
}

void GiveBackEvent(Handle event) {
  for (size_t e = 0; e < num_events; ++e) {
    if (events[e].event != event) continue;
    ResetEvent(event);
    events[e].is_taken = false;
  }
}

}  // namespace tfprof::record::level_zero

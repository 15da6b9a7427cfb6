#include "loaders/ctf/events/activity_collector.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tfprof::ctf {
namespace {

// Indexed by tfprof_work_kind (record/tfprof_record.h): kernel, copy, fill,
// other.
constexpr std::array<DeviceWork, 4> kWorkOfEvent = {
    DeviceWork::kKernel, DeviceWork::kCopy, DeviceWork::kCopy,
    DeviceWork::kOther};

}  // namespace

bool ActivityCollector::Add(const Event& event, const BoundEvent& bound,
                            ThreadId thread) {
  switch (bound.row->role) {
    case EventRole::kQueued:
    case EventRole::kSubmitted:
    case EventRole::kBegin:
    case EventRole::kEnd:
      AddTime(event, bound, thread);
      return true;
    case EventRole::kCommand:
      AddCommand(event, bound, thread);
      return true;
    case EventRole::kClockPair:
      AddClockPair(event, bound, thread);
      return true;
    case EventRole::kLaunch:
      facts_.launches.push_back({event.time, event.time,
                                 context_.Text(event, bound.name),
                                 context_.Text(event, bound.place), thread});
      counters_.NoteObject(event, bound, thread);
      return true;
    case EventRole::kCallback:
      facts_.callbacks.push_back(event.time);
      return true;
    default:
      return false;
  }
}

void ActivityCollector::Finish(const CorrelatedCalls& calls) {
  for (const PerThread& open : open_) {
    for (const auto& [key, activity] : open) Drop(activity);
  }
  JoinCalls(calls);
}

void ActivityCollector::NoteInit(const Event& event, const BoundEvent& bound) {
  if (init_known_ || bound.name.slot == kNoSlot ||
      bound.name.type->kind != Slot::kText) {
    return;
  }
  if (event.values[bound.name.slot].text() == "hsa_init") {
    init_ = event.time;
    init_known_ = true;
  }
}

int64_t ActivityCollector::ActivityTime(const Event& event,
                                        const BoundEvent& bound) const {
  const int64_t time = IntegerOf(event, bound.time, event.time);
  switch (bound.row->clock) {
    case DeviceClock::kEvent:
      return event.time;
    case DeviceClock::kMicros: {
      int64_t nanos = 0;
      return __builtin_mul_overflow(time, int64_t{1000}, &nanos) ? event.time
                                                                 : nanos;
    }
    case DeviceClock::kMonotonic:
      return event.trace->ToNanos(event.stream->clock,
                                  static_cast<uint64_t>(time));
    case DeviceClock::kSinceInit: {
      int64_t nanos = 0;
      return __builtin_add_overflow(time, init_, &nanos) ? event.time : nanos;
    }
    case DeviceClock::kUnknown:
    case DeviceClock::kNanos:
      return time;
  }
  return time;
}

void ActivityCollector::AddTime(const Event& event, const BoundEvent& bound,
                                ThreadId thread) {
  const EventRow& row = *bound.row;
  auto& open = OpenOf(thread);
  const std::pair key(bound.family, row.work);
  const auto [it, is_new] = open.try_emplace(key);
  Activity& activity = it->second;
  const profile::StringId name = context_.Text(event, bound.name);
  int64_t& time = row.role == EventRole::kQueued      ? activity.queued
                  : row.role == EventRole::kSubmitted ? activity.submitted
                  : row.role == EventRole::kBegin     ? activity.begin
                                                      : activity.end;
  const bool fits =
      !is_new && activity.name == name && time == Activity::kNoTime;
  if (!fits) {
    if (!is_new) Drop(activity);
    activity = {};
    activity.name = name;
    activity.provider = bound.provider;
    activity.thread = thread;
    activity.work = row.work;
    activity.clock = row.clock;
    activity.queue = context_.Text(event, bound.queue);
    counters_.NoteObject(event, bound, thread);
  }
  time = ActivityTime(event, bound);
  if (row.place != row.name || row.clock == DeviceClock::kMicros) {
    const profile::StringId annotation = context_.Text(event, bound.place);
    if (annotation != profile::kNone && !facts_.names.Get(annotation).empty()) {
      activity.annotation = annotation;
    }
  }
  if (bound.value.slot != kNoSlot) {
    activity.bytes = IntegerOf(event, bound.value, 0);
  }
  if (row.role != EventRole::kEnd) return;
  if (activity.begin != Activity::kNoTime) {
    if (activity.end < activity.begin) activity.end = activity.begin;
    facts_.activities.push_back(activity);
  } else {
    ++facts_.unpaired_activity_events;
  }
  open.erase(it);
}

void ActivityCollector::Drop(const Activity& activity) {
  for (const int64_t time :
       {activity.queued, activity.submitted, activity.begin}) {
    facts_.unpaired_activity_events += time != Activity::kNoTime;
  }
}

void ActivityCollector::AddCommand(const Event& event, const BoundEvent& bound,
                                   ThreadId thread) {
  const auto integer = [&](std::string_view name) {
    return IntegerOf(event, FieldOf(event, name, Scope::kPayload),
                     Activity::kNoTime);
  };
  Activity command;
  command.name = context_.Text(event, bound.name);
  command.provider = bound.provider;
  command.thread = thread;
  const profile::StringId kind = context_.Text(event, bound.place);
  const int64_t work = integer("work");
  command.work = work >= 0
                     ? kWorkOfEvent[std::min<size_t>(static_cast<size_t>(work),
                                                     kWorkOfEvent.size() - 1)]
                 : context_.TextOf(kind) == "ndrange" ? DeviceWork::kKernel
                                                      : DeviceWork::kCopy;
  const bool on_host = integer("clock") == 0;
  command.clock = on_host ? DeviceClock::kNanos : DeviceClock::kUnknown;
  // Older traces have an address here.
  if (const BoundEvent::Field device =
          FieldOf(event, "device", Scope::kPayload);
      device.slot != kNoSlot && device.type->kind == Slot::kText) {
    command.device = context_.Text(event, device);
  }
  command.correlation = FactContext::Number(event, "correlation", 0);
  command.bytes = IntegerOf(event, bound.value, 0);
  command.launch_thread = integer("launch_tid");
  command.queue =
      context_.Text(event, FieldOf(event, "queue", Scope::kPayload));
  command.entry = FactContext::ToNanos(event, KnownTime(integer("entry")));
  command.exit = FactContext::ToNanos(event, KnownTime(integer("exit")));
  if (integer("profiled") == 0) {
    ++facts_.untimed_commands;
  } else {
    command.queued = KnownTime(integer("queued"));
    command.submitted = KnownTime(integer("submit"));
    command.begin = integer("start");
    command.end = integer("end");
    if (on_host) {
      for (int64_t* time : {&command.queued, &command.submitted, &command.begin,
                            &command.end}) {
        *time = FactContext::ToNanos(event, *time);
      }
    }
  }
  facts_.commands.push_back(command);
}

int64_t ActivityCollector::KnownTime(int64_t time) {
  return time == 0 ? Activity::kNoTime : time;
}

void ActivityCollector::JoinCalls(const CorrelatedCalls& calls) {
  for (Activity& command : facts_.commands) {
    if (command.entry != Activity::kNoTime || command.correlation == 0) {
      continue;
    }
    const auto it = calls.find(
        {facts_.threads[command.thread].process_index, command.correlation});
    if (it == calls.end()) continue;
    command.launch_thread = it->second.thread;
    command.entry = it->second.begin;
    command.exit = it->second.end;
  }
}

void ActivityCollector::AddClockPair(const Event& event,
                                     const BoundEvent& bound, ThreadId thread) {
  facts_.clock_pairs.push_back(
      {context_.ProcessOf(thread), context_.Text(event, bound.place),
       FactContext::ToNanos(event,
                            FactContext::Number(event, "host_before", 0)),
       FactContext::Number(event, "device_time", 0),
       FactContext::ToNanos(event,
                            FactContext::Number(event, "host_after", 0))});
}

}  // namespace tfprof::ctf

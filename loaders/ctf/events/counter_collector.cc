#include "loaders/ctf/events/counter_collector.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace tfprof::ctf {

bool CounterCollector::Add(const Event& event, const BoundEvent& bound,
                           ThreadId thread) {
  switch (bound.row->role) {
    case EventRole::kAllocator:
    case EventRole::kCounter:
      AddSample(event, bound, thread, RealOf(event, bound.value), false);
      AddCount(event, bound, thread);
      if (bound.row->role == EventRole::kAllocator) {
        AddState(event, bound, thread);
      }
      return true;
    case EventRole::kState:
      AddState(event, bound, thread);
      return true;
    case EventRole::kGeometry:
      AddGeometry(event, thread);
      return true;
    case EventRole::kAllocate:
    case EventRole::kFree:
      Memory(event, bound, thread);
      return true;
    default:
      return false;
  }
}

void CounterCollector::Finish() {
  std::erase_if(facts_.counter_sets,
                [](const CounterSet& set) { return set.counts.empty(); });
}

void CounterCollector::NoteObject(const Event& event, const BoundEvent& bound,
                                  ThreadId thread) {
  if (bound.object.slot == kNoSlot) return;
  facts_.object_names.insert_or_assign(
      {context_.ProcessOf(thread), context_.Text(event, bound.object)},
      context_.Text(event, bound.name));
}

CounterSet& CounterCollector::NewSet(const Event& event, ThreadId thread) {
  SetOf(thread) = static_cast<uint32_t>(facts_.counter_sets.size());
  CounterSet& set = facts_.counter_sets.emplace_back();
  set.time = event.time;
  set.process = context_.ProcessOf(thread);
  return set;
}

void CounterCollector::AddGeometry(const Event& event, ThreadId thread) {
  CounterSet& set = NewSet(event, thread);
  const auto sizes = [&](std::string_view name, std::array<int64_t, 3>& to) {
    const BoundEvent::Field of = FieldOf(event, name, Scope::kPayload);
    if (of.slot == kNoSlot) return;
    for (size_t i = 0; i < to.size(); ++i) {
      to[i] = NumberAt(event.values[of.slot], *of.type, i);
    }
  };
  sizes("workgroup_size", set.workgroup);
  sizes("grid_size", set.grid);
  set.group_segment =
      FactContext::Number(event, "static_group_segment_size", 0);
  set.private_segment = FactContext::Number(event, "private_segment_size", 0);
}

void CounterCollector::AddCount(const Event& event, const BoundEvent& bound,
                                ThreadId thread) {
  if (bound.object.slot == kNoSlot) return;
  const profile::StringId object = context_.Text(event, bound.object);
  const profile::StringId counter = context_.Text(event, bound.place);
  const uint32_t at = SetOf(thread);
  CounterSet* set = at == profile::kNone ? nullptr : &facts_.counter_sets[at];
  if (set == nullptr ||
      (set->object != profile::kNone && set->object != object) ||
      std::any_of(set->counts.begin(), set->counts.end(),
                  [&](const auto& c) { return c.counter == counter; })) {
    set = &NewSet(event, thread);
  }
  if (set->object == profile::kNone) {
    set->object = object;
    const auto it = facts_.object_names.find({set->process, object});
    if (it != facts_.object_names.end()) set->name = it->second;
  }
  set->counts.push_back(
      {counter, RealOf(event, bound.value),
       bound.value.slot != kNoSlot && bound.value.type->kind == Slot::kReal});
}

void CounterCollector::AddSample(const Event& event, const BoundEvent& bound,
                                 ThreadId thread, double value,
                                 bool is_change) {
  const profile::StringId place = bound.place.slot != kNoSlot
                                      ? context_.Text(event, bound.place)
                                      : bound.provider;
  const uint32_t process = context_.ProcessOf(thread);
  const auto [it, is_new] = series_.try_emplace(
      std::tuple(bound.row->role == EventRole::kFree ? EventRole::kAllocate
                                                     : bound.row->role,
                 process, place),
      facts_.series.size());
  if (is_new) {
    facts_.series.push_back({place,
                             bound.row->role == EventRole::kCounter
                                 ? profile::kNone
                                 : facts_.names.Intern("bytes"),
                             process,
                             is_change,
                             {}});
  }
  Series& series = facts_.series[it->second];
  series.samples.push_back({event.time, value});
  series.releases += bound.row->role == EventRole::kFree;
}

void CounterCollector::AddState(const Event& event, const BoundEvent& bound,
                                ThreadId thread) {
  const std::tuple key(bound.row, context_.ProcessOf(thread),
                       context_.Text(event, bound.place));
  const auto [it, is_new] =
      states_.try_emplace(key, facts_.allocator_states.size());
  if (is_new) {
    facts_.allocator_states.push_back(
        {facts_.names.Intern(bound.event), std::get<2>(key), std::get<1>(key)});
  }
  AllocatorState& state = facts_.allocator_states[it->second];
  ++state.samples;
  size_t f = 0;
  const std::vector<Slot>& slots = event.plan->slots;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].scope != Scope::kPayload ||
        (slots[i].kind != Slot::kUnsigned && slots[i].kind != Slot::kSigned)) {
      continue;
    }
    const int64_t value = event.values[event.plan->first_slot + i].i;
    if (f == state.fields.size()) {
      state.fields.push_back(
          {facts_.names.Intern(slots[i].path), value, value});
    }
    state.fields[f].last = value;
    state.fields[f].most = std::max(state.fields[f].most, value);
    ++f;
  }
}

void CounterCollector::Memory(const Event& event, const BoundEvent& bound,
                              ThreadId thread) {
  const std::tuple key(context_.ProcessOf(thread),
                       context_.Text(event, bound.place),
                       context_.Text(event, bound.name));
  double bytes = RealOf(event, bound.value);
  if (bound.row->role == EventRole::kAllocate) {
    allocated_[key] = bytes;
  } else {
    // Some tracers do not record the size of a free.
    const auto it = allocated_.find(key);
    if (it != allocated_.end()) {
      if (bytes == 0) bytes = it->second;
      allocated_.erase(it);
    }
    bytes = -std::abs(bytes);
  }
  AddSample(event, bound, thread, bytes, true);
}

}  // namespace tfprof::ctf

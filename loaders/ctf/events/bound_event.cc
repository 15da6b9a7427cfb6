#include "loaders/ctf/events/bound_event.h"

#include "fmt/format.h"

namespace tfprof::ctf {
namespace {

// The provider of the events that tfprof records.
constexpr std::string_view kOwnProvider = "tfprof:";

BoundEvent::Field ContextOf(const Event& event, std::string_view name) {
  for (const Scope scope :
       {Scope::kStreamContext, Scope::kEventContext, Scope::kPacketContext}) {
    const BoundEvent::Field field = FieldOf(event, name, scope);
    if (field.slot != kNoSlot) return field;
  }
  // The rewriter of the LTTng profiler calls it "_vtid".
  return name.starts_with('_') ? BoundEvent::Field()
                               : ContextOf(event, fmt::format("_{}", name));
}

}  // namespace

BoundEvent::Field FieldOf(const Event& event, std::string_view name,
                          Scope scope) {
  BoundEvent::Field field;
  if (!name.empty()) {
    field.slot = FindSlot(*event.stream, *event.plan, scope, name, &field.type);
  }
  return field;
}

int64_t IntegerOf(const Event& event, const BoundEvent::Field& field,
                  int64_t otherwise) {
  if (field.slot == kNoSlot) return otherwise;
  const Value& value = event.values[field.slot];
  switch (field.type->kind) {
    case Slot::kUnsigned:
    case Slot::kSigned:
      return value.i;
    case Slot::kReal:
      return value.d > -9e18 && value.d < 9e18 ? static_cast<int64_t>(value.d)
                                               : otherwise;
    default:
      return otherwise;
  }
}

double RealOf(const Event& event, const BoundEvent::Field& field) {
  if (field.slot == kNoSlot) return 0;
  const Value& value = event.values[field.slot];
  switch (field.type->kind) {
    case Slot::kReal:
      return value.d;
    case Slot::kSigned:
      return static_cast<double>(value.i);
    case Slot::kUnsigned:
      return static_cast<double>(value.u);
    default:
      return 0;
  }
}

profile::StringId FieldText(const Event& event, const BoundEvent::Field& field,
                            profile::StringPool& names) {
  if (field.slot == kNoSlot) return profile::kNone;
  const Value& value = event.values[field.slot];
  if (field.type->kind == Slot::kText) return names.Intern(value.text());
  return names.Intern(fmt::format("{}", IntegerOf(event, field, 0)));
}

BoundEvent& EventBinder::Bind(const Event& event) {
  const auto [it, is_new] = by_plan_.try_emplace(event.plan, nullptr);
  if (!is_new) return *it->second;
  BoundEvent& bound = all_.emplace_back();
  it->second = &bound;
  bound.event = event.type().name;
  bound.row = FindEventRow(bound.event);
  bound.provider = names_.Intern(
      std::string_view(bound.event).substr(0, bound.event.find(':')));
  const std::string_view family =
      std::string_view(bound.event).substr(0, bound.event.rfind('_'));
  bound.family = names_.Intern(family);
  bound.range_kind = names_.Intern(family.substr(family.find(':') + 1));
  bound.host = names_.Intern(event.trace->host);
  bound.thread = ContextOf(event, "vtid");
  if (bound.thread.slot == kNoSlot) bound.thread = ContextOf(event, "tid");
  bound.process = ContextOf(event, "vpid");
  if (bound.process.slot == kNoSlot) bound.process = ContextOf(event, "pid");
  bound.program = ContextOf(event, "procname");
  const auto payload = [&](std::string_view name) {
    return FieldOf(event, name, Scope::kPayload);
  };
  bound.queue = payload("queue_id");
  bound.object = payload("kernel_object");
  if (bound.row != nullptr) {
    bound.name = payload(bound.row->name);
    bound.place = payload(bound.row->place);
    bound.value = payload(bound.row->value);
    bound.time = payload(bound.row->time);
  }
  if (bound.event.starts_with(kOwnProvider)) {
    bound.depth = payload("depth");
    bound.type = payload("type");
    bound.step = payload("step");
    bound.id = payload("id");
    bound.correlation = payload("correlation");
  }
  return bound;
}

}  // namespace tfprof::ctf

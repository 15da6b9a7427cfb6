#include "loaders/ctf/events/fact_context.h"

namespace tfprof::ctf {

profile::StringId FactContext::Text(const Event& event,
                                    const BoundEvent::Field& field) {
  if (field.slot == kNoSlot || field.type->kind != Slot::kText) {
    return FieldText(event, field, facts_.names);
  }
  // Each event of an op repeats its name. A comparison is cheaper than a hash.
  const std::string_view text = event.values[field.slot].text();
  const size_t size = text.size();
  profile::StringId& recent =
      recent_names_[size < 2 ? size
                             : (size + 31 * static_cast<uint8_t>(text.back()) +
                                7 * static_cast<uint8_t>(text[size - 2])) %
                                   recent_names_.size()];
  if (recent == profile::kNone || facts_.names.Get(recent) != text) {
    recent = facts_.names.Intern(text);
  }
  return recent;
}

ThreadId FactContext::FindThread(const Event& event, const BoundEvent& bound,
                                 int64_t process, int64_t thread) {
  // The events of several streams alternate between threads.
  const auto key = std::tuple(bound.host, process, thread);
  Recent& recent = recent_[static_cast<uint64_t>(thread) % recent_.size()];
  if (recent.id != profile::kNone && key == recent.key) return recent.id;
  const auto [it, is_new] =
      threads_.try_emplace(key, static_cast<ThreadId>(facts_.threads.size()));
  if (is_new) {
    const auto [in, new_process] =
        processes_.try_emplace(std::pair(bound.host, process),
                               static_cast<uint32_t>(facts_.processes.size()));
    if (new_process) {
      facts_.processes.push_back(
          {bound.host, process, Text(event, bound.program)});
    }
    facts_.threads.push_back(
        {bound.host, process, thread, Text(event, bound.program), in->second});
  }
  recent = {key, it->second};
  return it->second;
}

}  // namespace tfprof::ctf

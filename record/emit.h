// Emit: writes one event of the tables in event_types.h.
//
//     Emit<kRangeBegin>(*trace, depth, name);
//
// The arguments must have the types of the fields; other types do not compile.
// The event gets the time of the call.

#ifndef TFPROF_RECORD_EMIT_H_
#define TFPROF_RECORD_EMIT_H_

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "record/copy_text.h"
#include "record/event_types.h"
#include "record/sink.h"
#include "record/thread_stream.h"

namespace tfprof::record {

template <typename T>
constexpr FieldType FieldTypeOf() {
  if constexpr (std::is_same_v<T, uint8_t>) {
    return FieldType::kU8;
  } else if constexpr (std::is_same_v<T, uint16_t>) {
    return FieldType::kU16;
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    return FieldType::kU32;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return FieldType::kI32;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return FieldType::kU64;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return FieldType::kI64;
  } else if constexpr (std::is_same_v<T, double>) {
    return FieldType::kF64;
  } else {
    static_assert(std::is_same_v<T, std::string_view>);
    return FieldType::kText;
  }
}

template <typename... A>
constexpr bool FieldsAre(const EventType& event) {
  const FieldType types[] = {FieldTypeOf<A>()...};
  if (event.num_fields() != static_cast<int>(sizeof...(A))) return false;
  for (int i = 0; i < event.num_fields(); ++i) {
    if (event.fields[i].type != types[i]) return false;
  }
  return true;
}

// The number of bytes of a text in an event, without its terminating 0.
inline uint32_t TextBytes(std::string_view text) {
  return text.size() < kMaxText ? static_cast<uint32_t>(text.size()) : kMaxText;
}

template <typename T>
uint32_t FieldBytes(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return TextBytes(value) + 1;
  } else {
    return sizeof(T);
  }
}

template <typename T>
char* PutField(char* at, const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    const uint32_t bytes = TextBytes(value);
    char* const end = at + bytes;
    CopyText(at, value.data(), bytes);
    *end = 0;
    return end + 1;
  } else {
    memcpy(at, &value, sizeof(value));
    return at + sizeof(value);
  }
}

constexpr uint32_t MostBytes(const EventType& event) {
  uint32_t bytes = 0;
  for (int i = 0; i < event.num_fields(); ++i) {
    bytes += event.fields[i].type == FieldType::kText ? kMaxText + 1
                                                      : sizeof(uint64_t);
  }
  return bytes;
}

// Passes an event to a tracer that writes its own files (LTTng).
template <const EventType& kEvent, typename... A>
__attribute__((noinline)) void GiveAway(const ThreadStream& trace,
                                        const A&... fields) {
  char bytes[MostBytes(kEvent)];
  char* at = bytes;
  ((at = PutField(at, fields)), ...);
  trace.emit(kEvent.id, bytes);
}

// Returns false if the event was dropped and counted.
template <const EventType& kEvent, typename... A>
bool Emit(ThreadStream& trace, const A&... fields) {
  static_assert(FieldsAre<A...>(kEvent), "other fields than the event has");
  const uint32_t bytes =
      sizeof(uint8_t) + sizeof(uint64_t) + (FieldBytes(fields) + ... + 0);
  if (trace.limit - trace.cursor < static_cast<ptrdiff_t>(bytes)) {
    if (trace.emit != nullptr) {
      GiveAway<kEvent>(trace, fields...);
      return true;
    }
    if (!MakeRoom(trace, bytes)) return false;
  }
  // The time is read only here: a new packet begins with events of its own,
  // which must have earlier times.
  const uint64_t time = Now();
  char* at = PutField(trace.cursor, kEvent.id);
  at = PutField(at, time);
  ((at = PutField(at, fields)), ...);
  trace.cursor = at;
  PacketHead& head = *trace.head;
  head.timestamp_end = time;
  ++head.events;
  // This store comes last, so that a reader of the file finds a whole event or
  // none.
  __atomic_store_n(
      &head.content_size,
      static_cast<uint64_t>(at - reinterpret_cast<char*>(&head)) * 8,
      __ATOMIC_RELEASE);
  return true;
}

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_EMIT_H_

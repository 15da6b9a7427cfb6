// The event types of the recorder as tables: the metadata of a trace is printed
// from them, and Emit (emit.h) checks its arguments against them, so the two
// cannot differ.
//
// All fields are aligned to bytes, in the order of the table. Times in fields
// are nanoseconds on the clock of the trace, or on a device's clock where the
// event says so.

#ifndef TFPROF_RECORD_EVENT_TYPES_H_
#define TFPROF_RECORD_EVENT_TYPES_H_

#include <cstdint>
#include <type_traits>

namespace tfprof::record {

enum class FieldType : uint8_t {
  kU8,
  kU16,
  kU32,
  kI32,
  kU64,
  kI64,
  kF64,
  kText
};

struct Field {
  const char* name;
  FieldType type;
};

// The type of a field in C and in the metadata of a trace. The two differ only
// for `real` and `text`.
inline const char* TypeName(FieldType type, const char* real,
                            const char* text) {
  switch (type) {
    case FieldType::kU8:
      return "uint8_t";
    case FieldType::kU16:
      return "uint16_t";
    case FieldType::kU32:
      return "uint32_t";
    case FieldType::kI32:
      return "int32_t";
    case FieldType::kU64:
      return "uint64_t";
    case FieldType::kI64:
      return "int64_t";
    case FieldType::kF64:
      return real;
    case FieldType::kText:
      return text;
  }
  return "";
}

inline constexpr int kMaxFields = 20;

struct EventType {
  uint8_t id;
  const char* name;  // without the provider's name
  Field fields[kMaxFields];

  constexpr int num_fields() const {
    int n = 0;
    while (n < kMaxFields && fields[n].name != nullptr) ++n;
    return n;
  }
};

// The prefix of event names in a trace.
inline constexpr char kProvider[] = "tfprof:";

#define U8 FieldType::kU8
#define U16 FieldType::kU16
#define U32 FieldType::kU32
#define I32 FieldType::kI32
#define U64 FieldType::kU64
#define I64 FieldType::kI64
#define F64 FieldType::kF64
#define TEXT FieldType::kText

// `depth` is the number of open events of the kind on the thread. An end closes
// the begin of the same depth, even if events between them were dropped.
inline constexpr EventType kOpBegin = {0,
                                       "op_begin",
                                       {{"depth", U16},
                                        {"step", I64},
                                        {"name", TEXT},
                                        {"type", TEXT},
                                        {"device", TEXT}}};
inline constexpr EventType kOpEnd = {1, "op_end", {{"depth", U16}}};
inline constexpr EventType kRangeBegin = {
    2, "range_begin", {{"depth", U16}, {"name", TEXT}}};
inline constexpr EventType kRangeEnd = {3, "range_end", {{"depth", U16}}};
inline constexpr EventType kCallBegin = {
    4,
    "call_begin",
    {{"depth", U16}, {"correlation", U64}, {"domain", TEXT}, {"name", TEXT}}};
inline constexpr EventType kCallEnd = {5, "call_end", {{"depth", U16}}};
inline constexpr EventType kStepBegin = {
    6, "step_begin", {{"step", I64}, {"name", TEXT}}};
inline constexpr EventType kStepEnd = {7, "step_end", {{"step", I64}}};
inline constexpr EventType kAsyncBegin = {8,
                                          "async_begin",
                                          {{"id", U64},
                                           {"step", I64},
                                           {"name", TEXT},
                                           {"type", TEXT},
                                           {"device", TEXT}}};
inline constexpr EventType kAsyncEnd = {9, "async_end", {{"id", U64}}};
inline constexpr EventType kCall = {10,
                                    "call",
                                    {{"correlation", U64},
                                     {"thread", U32},
                                     {"begin", U64},
                                     {"end", U64},
                                     {"domain", TEXT},
                                     {"name", TEXT}}};
// `clock` (enum tfprof_clock_kind) applies to queued, submit, start and end.
// `entry` and `exit` are the times of the call in which thread `launch_tid`
// launched the work, or 0. `kind` is the interface's name of the operation.
inline constexpr EventType kWork = {11,
                                    "work",
                                    {{"work", U8},
                                     {"clock", U8},
                                     {"profiled", U8},
                                     {"status", I32},
                                     {"launch_tid", U32},
                                     {"correlation", U64},
                                     {"context", U64},
                                     {"queue", U64},
                                     {"bytes", U64},
                                     {"entry", U64},
                                     {"exit", U64},
                                     {"queued", U64},
                                     {"submit", U64},
                                     {"start", U64},
                                     {"end", U64},
                                     {"kind", TEXT},
                                     {"name", TEXT},
                                     {"device", TEXT}}};
inline constexpr EventType kRecvTensor = {12,
                                          "recv_tensor",
                                          {{"server", U8},
                                           {"step", I64},
                                           {"bytes", U64},
                                           {"begin", U64},
                                           {"end", U64},
                                           {"key", TEXT},
                                           {"source", TEXT},
                                           {"destination", TEXT}}};
inline constexpr EventType kWorkCounter = {
    13, "work_counter", {{"correlation", U64}, {"value", F64}, {"name", TEXT}}};
inline constexpr EventType kAllocate = {
    14, "allocate", {{"address", U64}, {"bytes", U64}, {"allocator", TEXT}}};
inline constexpr EventType kRelease = {
    15, "release", {{"address", U64}, {"bytes", U64}, {"allocator", TEXT}}};
inline constexpr EventType kAllocatorState = {16,
                                              "allocator_state",
                                              {{"bytes_in_use", U64},
                                               {"peak_bytes", U64},
                                               {"num_allocations", U64},
                                               {"allocator", TEXT}}};
inline constexpr EventType kCounter = {
    17, "counter", {{"value", F64}, {"name", TEXT}, {"unit", TEXT}}};
inline constexpr EventType kClockPair = {18,
                                         "clock_pair",
                                         {{"host_before", U64},
                                          {"device_time", U64},
                                          {"host_after", U64},
                                          {"device", TEXT}}};
// Clocks of the system, read one right after the other.
inline constexpr EventType kClocks = {19,
                                      "clocks",
                                      {{"monotonic", U64},
                                       {"monotonic_raw", U64},
                                       {"realtime", U64},
                                       {"boottime", U64}}};
inline constexpr EventType kThreadName = {20, "thread_name", {{"name", TEXT}}};
inline constexpr EventType kQueueName = {
    21, "queue_name", {{"queue", U64}, {"device", TEXT}, {"name", TEXT}}};
inline constexpr EventType kNote = {
    22, "note", {{"source", TEXT}, {"text", TEXT}}};

#undef U8
#undef U16
#undef U32
#undef I32
#undef U64
#undef I64
#undef F64
#undef TEXT

// Indexed by id.
inline constexpr const EventType* kEventTypes[] = {
    &kOpBegin,    &kOpEnd,          &kRangeBegin, &kRangeEnd,    &kCallBegin,
    &kCallEnd,    &kStepBegin,      &kStepEnd,    &kAsyncBegin,  &kAsyncEnd,
    &kCall,       &kWork,           &kRecvTensor, &kWorkCounter, &kAllocate,
    &kRelease,    &kAllocatorState, &kCounter,    &kClockPair,   &kClocks,
    &kThreadName, &kQueueName,      &kNote};

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_EVENT_TYPES_H_

// Decoding plans: the types of a trace, compiled into flat programs.
//
// A program decodes one part of a stream: a packet header, a context, an event
// header, or the rest of the events of one class. It writes each field to its
// own slot, and the slots of all parts differ, so one array holds the values of
// a packet and of its current event. The value of a text or of an array of
// numbers is a view into the packet; of other arrays, only the fields of the
// last element are kept.
//
// Run() takes time linear in the bits that are read: an array whose elements
// have no bits ends at once, whatever its length. It allocates nothing and does
// not recurse. Positions and sizes are in bits unless noted.

#ifndef TFPROF_LOADERS_CTF_PACKETS_DECODING_PLAN_H_
#define TFPROF_LOADERS_CTF_PACKETS_DECODING_PLAN_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "loaders/ctf/language/trace_types.h"

namespace tfprof::ctf {

using SlotId = uint32_t;
inline constexpr SlotId kNoSlot = 0xffffffff;

struct Value {
  union {
    uint64_t u = 0;
    int64_t i;
    double d;
    const char* data;  // of texts and arrays
  };
  uint64_t size = 0;  // characters of a text, or elements of an array

  std::string_view text() const { return {data, size}; }
};

// The place and the type of a value.
struct Slot {
  enum Kind : uint8_t {
    kUnsigned,
    kSigned,
    kReal,
    kText,
    kNumbers,  // `data` has `size` numbers of `bits` bits
    kOther,    // only `size` is valid
  };
  Scope scope = Scope::kPayload;
  std::string path;  // "v.timestamp"
  Kind kind = kUnsigned;
  // The type of the numbers of kNumbers.
  bool is_signed = false, is_real = false, big_endian = false;
  uint32_t bits = 0;
};

struct Instruction {
  enum Op : uint8_t {
    kLoad8,
    kLoad16,
    kLoad32,
    kLoad64,
    kBits,
    kLeb128,
    kReal32,
    kReal64,
    kString,
    kText,    // `count` characters, or the value of slot `source`
    kSpan,    // `count` numbers of `bits` bits, or as for kText
    kAlign,   // to a multiple of `count` bits
    kLoop,    // `count` times, or as for kText; `target`: after kNext
    kNext,    // back to `target`
    kSelect,  // by `source`, in the table `target`
    kJump,
    kRole,  // applies the role of the field in `slot`
    kEnd,
  };
  Op op = kEnd;
  bool is_signed = false;
  bool big_endian = false;
  FieldRole role = FieldRole::kNone;
  uint32_t bits = 0;
  SlotId slot = 0;
  SlotId source = kNoSlot;
  uint32_t target = 0;
  uint64_t count = 0;
};

// Maps the values of a tag to the instructions of its options.
struct Selection {
  struct Row {
    int64_t first, last;
    uint32_t target;
  };
  bool is_signed = false;
  uint32_t otherwise = 0;  // 0: no option fits, which is damage
  std::vector<Row> rows;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<Selection> selections;
};

struct EventPlan {
  uint32_t event = 0;  // index in TraceTypes::events
  Program body;        // contexts and payload
  std::vector<Slot> slots;
  SlotId first_slot = 0;  // of `slots`
};

struct StreamPlan {
  uint32_t stream = 0;  // index in TraceTypes::streams
  int clock = -1;       // index in TraceTypes::clocks
  Program packet_context;
  Program event_header;
  bool has_packet_context = false;
  uint64_t event_alignment = 1;
  std::vector<Slot> slots;  // of the packet context and the event header
  SlotId first_slot = 0;
  absl::flat_hash_map<uint64_t, uint32_t> events;  // by id, in `plans`
  std::vector<uint32_t> small_ids;  // the same for small ids; kNoSlot: none
  std::vector<EventPlan> plans;

  // Returns nullptr if no event has this id.
  const EventPlan* Find(uint64_t id) const {
    if (id < small_ids.size() && small_ids[id] != kNoSlot) {
      return &plans[small_ids[id]];
    }
    const auto it = events.find(id);
    return it == events.end() ? nullptr : &plans[it->second];
  }
};

struct TracePlan {
  Program packet_header;
  bool has_packet_header = false;
  std::vector<Slot> slots;                          // of the packet header
  absl::flat_hash_map<uint64_t, uint32_t> streams;  // by id
  std::vector<StreamPlan> plans;
  uint32_t num_values = 0;
};

// Compiles all types. Errors: types that contradict each other, such as an
// array whose length is not in an earlier field; two events with the same id;
// more than half a million instructions.
absl::StatusOr<TracePlan> CompilePlan(const TraceTypes& types);

// Returns the first slot of `plan` for a field with this name at the top of a
// scope, or kNoSlot.
SlotId FindSlot(const StreamPlan& stream, const EventPlan& event, Scope scope,
                std::string_view name, const Slot** slot = nullptr);

// The position of Run() in a packet. Positions are bits from its first byte.
struct Cursor {
  static constexpr int kNumRoles = static_cast<int>(FieldRole::kDiscarded) + 1;

  const char* data = nullptr;
  uint64_t position = 0;
  uint64_t limit = 0;
  uint64_t clock = 0;  // cycles
  uint64_t event_id = 0;
  std::array<uint64_t, kNumRoles> roles = {};
  uint32_t has_roles = 0;        // one bit for each role that occurred
  uint32_t discarded_bits = 64;  // size of the kDiscarded field
  SlotId uuid_slot = kNoSlot;
  // The reason and the bit position of a failure of Run().
  const char* error = nullptr;

  bool Has(FieldRole role) const {
    return (has_roles >> static_cast<int>(role) & 1) != 0;
  }
  uint64_t Of(FieldRole role) const { return roles[static_cast<int>(role)]; }
};

// Decodes at the position of the cursor. Returns false if the data ends or does
// not fit the types; `error` has the reason.
bool Run(const Program& program, Cursor& cursor, Value* values);

// Returns element `i` of a kNumbers slot, as an integer.
int64_t NumberAt(const Value& value, const Slot& slot, uint64_t i);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_PACKETS_DECODING_PLAN_H_

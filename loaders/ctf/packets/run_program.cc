// Runs the programs of decoding_plan.h.

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/base/attributes.h"
#include "loaders/ctf/language/byte_order.h"
#include "loaders/ctf/packets/decoding_plan.h"

namespace tfprof::ctf {
namespace {

constexpr char kEnds[] = "the content of the packet ends within a field";

// Loads `size` bits at bit `position`. The caller has checked the bounds.
uint64_t LoadBits(const char *data, uint64_t position, uint32_t size,
                  bool big_endian) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(data);
  uint64_t value = 0;
  uint32_t done = 0;
  while (done < size) {
    const uint32_t shift = position & 7;
    const uint32_t taken = std::min(8 - shift, size - done);
    const uint8_t byte = bytes[position >> 3];
    const uint64_t mask = (1u << taken) - 1;
    if (big_endian) {
      value = value << taken | (byte >> (8 - shift - taken) & mask);
    } else {
      value |= (byte >> shift & mask) << done;
    }
    done += taken;
    position += taken;
  }
  return value;
}

int64_t SignExtended(uint64_t value, uint32_t bits) {
  const uint32_t unused = 64 - bits;
  return static_cast<int64_t>(value << unused) >> unused;
}

template <typename T>
void StoreInteger(T raw, bool is_signed, Value &value) {
  if (is_signed) {
    value.i = SignExtended(raw, 8 * sizeof(T));
  } else {
    value.u = raw;
  }
}

void UpdateClock(uint64_t value, uint32_t bits, uint64_t &clock) {
  if (bits >= 64) {
    clock = value;
    return;
  }
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  const uint64_t low = clock & mask;
  clock = (clock & ~mask) | (value & mask);
  if ((value & mask) < low) clock += mask + 1;
}

const Selection::Row *FindRow(const Selection &selection, const Value &tag) {
  for (const Selection::Row &row : selection.rows) {
    const bool in = selection.is_signed
                        ? tag.i >= row.first && tag.i <= row.last
                        : tag.u >= static_cast<uint64_t>(row.first) &&
                              tag.u <= static_cast<uint64_t>(row.last);
    if (in) return &row;
  }
  return nullptr;
}

// The position of a run in its packet. All functions below are inlined into the
// loop in Run(), so this state stays in registers. They return false if the
// data ends or does not fit the types; `error` then has the reason.
struct Reader {
  const char *const data;
  const uint64_t limit;
  uint64_t at;
  const char *error = nullptr;

  uint64_t rest() const { return limit - at; }
  const char *here() const { return data + (at >> 3); }
  bool Fail(const char *why) {
    error = why;
    return false;
  }
};

template <typename T>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadBytes(const Instruction &op,
                                                   Reader &in, Value &value) {
  constexpr uint64_t kBits = 8 * sizeof(T);
  if (in.rest() < kBits) return in.Fail(kEnds);
  StoreInteger(LoadInteger<T>(in.here(), op.big_endian), op.is_signed, value);
  in.at += kBits;
  return true;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadBits(const Instruction &op,
                                                  Reader &in, Value &value) {
  if (in.rest() < op.bits) return in.Fail(kEnds);
  uint64_t raw;
  const uint32_t shift = in.at & 7;
  if (shift + op.bits <= 64 && in.rest() >= 72) {
    raw = LoadInteger<uint64_t>(in.here(), op.big_endian);
    raw = op.big_endian ? raw << shift >> (64 - op.bits)
                        : raw << (64 - op.bits - shift) >> (64 - op.bits);
  } else {
    raw = LoadBits(in.data, in.at, op.bits, op.big_endian);
  }
  if (op.is_signed) {
    value.i = SignExtended(raw, op.bits);
  } else {
    value.u = raw;
  }
  in.at += op.bits;
  return true;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadLeb128(const Instruction &op,
                                                    Reader &in, Value &value) {
  uint64_t raw = 0;
  uint32_t shift = 0;
  uint8_t byte = 0;
  do {
    if (in.rest() < 8) return in.Fail(kEnds);
    byte = static_cast<uint8_t>(*in.here());
    in.at += 8;
    if (shift > 63) return in.Fail("a number of more than 64 bits");
    raw |= static_cast<uint64_t>(byte & 0x7f) << shift;
    shift += 7;
  } while ((byte & 0x80) != 0);
  if (op.is_signed && shift < 64) {
    value.i = SignExtended(raw, shift);
  } else {
    value.u = raw;
  }
  return true;
}

// `Real` is the type to read; `T` is the integer of the same size.
template <typename Real, typename T>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadReal(const Instruction &op,
                                                  Reader &in, Value &value) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  if (in.rest() < kBits) return in.Fail(kEnds);
  value.d = std::bit_cast<Real>(
      (in.at & 7) == 0
          ? LoadInteger<T>(in.here(), op.big_endian)
          : static_cast<T>(LoadBits(in.data, in.at, kBits, op.big_endian)));
  in.at += kBits;
  return true;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadString(Reader &in, Value &value) {
  const char *const begin = in.here();
  const void *const end = std::memchr(begin, 0, in.rest() >> 3);
  if (end == nullptr) {
    return in.Fail("a string has no end in the content of the packet");
  }
  value.data = begin;
  value.size = static_cast<uint64_t>(static_cast<const char *>(end) - begin);
  in.at += (value.size + 1) << 3;
  return true;
}

// Returns the number of elements of an array or a loop.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline uint64_t CountOf(const Instruction &op,
                                                     const Value *values) {
  return op.source == kNoSlot ? op.count : values[op.source].u;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadText(uint64_t count, Reader &in,
                                                  Value &value) {
  if (count > in.rest() >> 3) {
    return in.Fail("a text is longer than the content of the packet");
  }
  value.data = in.here();
  value.size = count == 0 ? 0 : strnlen(value.data, count);
  in.at += count << 3;
  return true;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ReadSpan(uint64_t count, uint32_t bits,
                                                  Reader &in, Value &value) {
  if (count > in.rest() / bits) {
    return in.Fail("an array is longer than the content of the packet");
  }
  value.data = in.here();
  value.size = count;
  in.at += count * bits;
  return true;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool SkipTo(uint64_t alignment,
                                                Reader &in) {
  const uint64_t gap = (0 - in.at) & (alignment - 1);
  if (in.rest() < gap) return in.Fail(kEnds);
  in.at += gap;
  return true;
}

// The open loops; the innermost one is last.
class Loops {
 public:
  void Begin(uint64_t count, uint64_t at) { loops_[depth_++] = {count, at}; }
  // Ends an element at bit `at`. Returns false after the last element. Elements
  // without bits are all equal, so the first one ends the loop.
  bool Repeat(uint64_t at) {
    Loop &loop = loops_[depth_ - 1];
    if (--loop.remaining == 0 || at == loop.begin) {
      --depth_;
      return false;
    }
    loop.begin = at;
    return true;
  }

 private:
  struct Loop {
    uint64_t remaining;
    uint64_t begin;  // where this element begins
  };
  Loop loops_[kMaxTypeDepth + 1];
  int depth_ = 0;
};

// Returns where the option of a tag begins, or 0 if there is none.
uint32_t TargetOf(const Selection &selection, const Value &tag) {
  const Selection::Row *const row = FindRow(selection, tag);
  return row != nullptr ? row->target : selection.otherwise;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void SetRole(const Instruction &op,
                                                 const Value &value,
                                                 Cursor &cursor) {
  if (op.role == FieldRole::kTimestamp || op.role == FieldRole::kPacketBegin) {
    UpdateClock(value.u, op.bits, cursor.clock);
  } else if (op.role == FieldRole::kEventId) {
    cursor.event_id = value.u;
  } else if (op.role == FieldRole::kUuid) {
    cursor.uuid_slot = op.slot;
  } else if (op.role == FieldRole::kDiscarded) {
    cursor.discarded_bits = op.bits;
  }
  cursor.roles[static_cast<int>(op.role)] = value.u;
  cursor.has_roles |= 1u << static_cast<int>(op.role);
}

}  // namespace

bool Run(const Program &program, Cursor &cursor, Value *values) {
  Reader in = {cursor.data, cursor.limit, cursor.position};
  Loops loops;
  const Instruction *const code = program.code.data();
  const Instruction *op = code;
  // The loop then continues after the instruction at `op`.
  const auto jump = [&](uint32_t target) { op = code + target - 1; };
  const auto stop = [&] {
    cursor.position = in.at;
    cursor.error = in.error;
    return false;
  };
  for (;; ++op) {
    Value &value = values[op->slot];
    switch (op->op) {
      case Instruction::kLoad8:
        if (!ReadBytes<uint8_t>(*op, in, value)) return stop();
        break;
      case Instruction::kLoad16:
        if (!ReadBytes<uint16_t>(*op, in, value)) return stop();
        break;
      case Instruction::kLoad32:
        if (!ReadBytes<uint32_t>(*op, in, value)) return stop();
        break;
      case Instruction::kLoad64:
        if (!ReadBytes<uint64_t>(*op, in, value)) return stop();
        break;
      case Instruction::kBits:
        if (!ReadBits(*op, in, value)) return stop();
        break;
      case Instruction::kLeb128:
        if (!ReadLeb128(*op, in, value)) return stop();
        break;
      case Instruction::kReal32:
        if (!ReadReal<float, uint32_t>(*op, in, value)) return stop();
        break;
      case Instruction::kReal64:
        if (!ReadReal<double, uint64_t>(*op, in, value)) return stop();
        break;
      case Instruction::kString:
        if (!ReadString(in, value)) return stop();
        break;
      case Instruction::kText:
        if (!ReadText(CountOf(*op, values), in, value)) return stop();
        break;
      case Instruction::kSpan:
        if (!ReadSpan(CountOf(*op, values), op->bits, in, value)) return stop();
        break;
      case Instruction::kAlign:
        if (!SkipTo(op->count, in)) return stop();
        break;
      case Instruction::kLoop:
        value.size = CountOf(*op, values);
        if (value.size == 0) {
          jump(op->target);
        } else {
          loops.Begin(value.size, in.at);
        }
        break;
      case Instruction::kNext:
        if (loops.Repeat(in.at)) jump(op->target);
        break;
      case Instruction::kSelect: {
        const uint32_t target =
            TargetOf(program.selections[op->target], values[op->source]);
        if (target == 0) {
          in.Fail("no option of a variant fits its tag");
          return stop();
        }
        jump(target);
        break;
      }
      case Instruction::kJump:
        jump(op->target);
        break;
      case Instruction::kRole:
        SetRole(*op, value, cursor);
        break;
      case Instruction::kEnd:
        cursor.position = in.at;
        return true;
    }
  }
}

int64_t NumberAt(const Value &value, const Slot &slot, uint64_t i) {
  if (i >= value.size || slot.kind != Slot::kNumbers) return 0;
  const uint64_t raw =
      LoadBits(value.data, i * slot.bits, slot.bits, slot.big_endian);
  return slot.is_signed ? SignExtended(raw, slot.bits)
                        : static_cast<int64_t>(raw);
}

}  // namespace tfprof::ctf

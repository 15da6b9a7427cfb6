// Runs the programs of decoding_plan.h.

#include <algorithm>
#include <bit>
#include <cstring>

#include "loaders/ctf/language/byte_order.h"
#include "loaders/ctf/packets/decoding_plan.h"

namespace tfprof::ctf {
namespace {

constexpr char kEnds[] = "the content of the packet ends within a field";

// `size` bits at bit `position`; all of them are there.
uint64_t LoadBits(const char* data, uint64_t position, uint32_t size,
                  bool big_endian) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(data);
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
void StoreInteger(T raw, bool is_signed, Value& value) {
  if (is_signed) {
    value.i = static_cast<std::make_signed_t<T>>(raw);
  } else {
    value.u = raw;
  }
}

void UpdateClock(uint64_t value, uint32_t bits, uint64_t& clock) {
  if (bits >= 64) {
    clock = value;
    return;
  }
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  const uint64_t low = clock & mask;
  clock = (clock & ~mask) | (value & mask);
  if ((value & mask) < low) clock += mask + 1;
}

const Selection::Row* FindRow(const Selection& selection, const Value& tag) {
  for (const Selection::Row& row : selection.rows) {
    const bool in = selection.is_signed
                        ? tag.i >= row.first && tag.i <= row.last
                        : tag.u >= static_cast<uint64_t>(row.first) &&
                              tag.u <= static_cast<uint64_t>(row.last);
    if (in) return &row;
  }
  return nullptr;
}

}  // namespace

bool Run(const Program& program, Cursor& cursor, Value* values) {
  struct Loop {
    uint64_t remaining;
    uint64_t begin;  // of this element
  };
  Loop loops[kMaxTypeDepth + 1];
  int depth = 0;
  const char* const data = cursor.data;
  const uint64_t limit = cursor.limit;
  uint64_t at = cursor.position;
  const Instruction* const code = program.code.data();
  const Instruction* op = code;
  const auto fail = [&](const char* why) {
    cursor.position = at;
    cursor.error = why;
    return false;
  };
  for (;; ++op) {
    Value& value = values[op->slot];
    switch (op->op) {
      case Instruction::kLoad8:
        if (limit - at < 8) return fail(kEnds);
        StoreInteger(LoadInteger<uint8_t>(data + (at >> 3), false),
                     op->is_signed, value);
        at += 8;
        break;
      case Instruction::kLoad16:
        if (limit - at < 16) return fail(kEnds);
        StoreInteger(LoadInteger<uint16_t>(data + (at >> 3), op->big_endian),
                     op->is_signed, value);
        at += 16;
        break;
      case Instruction::kLoad32:
        if (limit - at < 32) return fail(kEnds);
        StoreInteger(LoadInteger<uint32_t>(data + (at >> 3), op->big_endian),
                     op->is_signed, value);
        at += 32;
        break;
      case Instruction::kLoad64:
        if (limit - at < 64) return fail(kEnds);
        value.u = LoadInteger<uint64_t>(data + (at >> 3), op->big_endian);
        at += 64;
        break;
      case Instruction::kBits: {
        if (limit - at < op->bits) return fail(kEnds);
        uint64_t raw;
        const uint32_t shift = at & 7;
        if (shift + op->bits <= 64 && (limit - at) >= 72) {
          raw = LoadInteger<uint64_t>(data + (at >> 3), op->big_endian);
          raw = op->big_endian
                    ? raw << shift >> (64 - op->bits)
                    : raw << (64 - op->bits - shift) >> (64 - op->bits);
        } else {
          raw = LoadBits(data, at, op->bits, op->big_endian);
        }
        if (op->is_signed) {
          value.i = SignExtended(raw, op->bits);
        } else {
          value.u = raw;
        }
        at += op->bits;
        break;
      }
      case Instruction::kLeb128: {
        uint64_t raw = 0;
        uint32_t shift = 0;
        uint8_t byte = 0;
        do {
          if (limit - at < 8) return fail(kEnds);
          byte = static_cast<uint8_t>(data[at >> 3]);
          at += 8;
          if (shift > 63) return fail("a number of more than 64 bits");
          raw |= static_cast<uint64_t>(byte & 0x7f) << shift;
          shift += 7;
        } while ((byte & 0x80) != 0);
        if (op->is_signed && shift < 64) {
          value.i = SignExtended(raw, shift);
        } else {
          value.u = raw;
        }
        break;
      }
      case Instruction::kReal32:
        if (limit - at < 32) return fail(kEnds);
        value.d = std::bit_cast<float>(
            (at & 7) == 0
                ? LoadInteger<uint32_t>(data + (at >> 3), op->big_endian)
                : static_cast<uint32_t>(
                      LoadBits(data, at, 32, op->big_endian)));
        at += 32;
        break;
      case Instruction::kReal64:
        if (limit - at < 64) return fail(kEnds);
        value.d = std::bit_cast<double>(
            (at & 7) == 0
                ? LoadInteger<uint64_t>(data + (at >> 3), op->big_endian)
                : LoadBits(data, at, 64, op->big_endian));
        at += 64;
        break;
      case Instruction::kString: {
        const char* const begin = data + (at >> 3);
        const uint64_t size = (limit - at) >> 3;
        const void* const end = std::memchr(begin, 0, size);
        if (end == nullptr) {
          return fail("no end of a string in the content of the packet");
        }
        value.data = begin;
        value.size =
            static_cast<uint64_t>(static_cast<const char*>(end) - begin);
        at += (value.size + 1) << 3;
        break;
      }
      case Instruction::kText: {
        const uint64_t count =
            op->source == kNoSlot ? op->count : values[op->source].u;
        if (count > (limit - at) >> 3) {
          return fail("a text is longer than the content of the packet");
        }
        value.data = data + (at >> 3);
        value.size = count == 0 ? 0 : strnlen(value.data, count);
        at += count << 3;
        break;
      }
      case Instruction::kSpan: {
        const uint64_t count =
            op->source == kNoSlot ? op->count : values[op->source].u;
        if (count > (limit - at) / op->bits) {
          return fail("an array is longer than the content of the packet");
        }
        value.data = data + (at >> 3);
        value.size = count;
        at += count * op->bits;
        break;
      }
      case Instruction::kAlign: {
        const uint64_t gap = (0 - at) & (op->count - 1);
        if (limit - at < gap) return fail(kEnds);
        at += gap;
        break;
      }
      case Instruction::kLoop: {
        const uint64_t count =
            op->source == kNoSlot ? op->count : values[op->source].u;
        value.size = count;
        if (count == 0) {
          op = code + op->target - 1;
        } else {
          loops[depth++] = {count, at};
        }
        break;
      }
      case Instruction::kNext: {
        Loop& loop = loops[depth - 1];
        // Elements that take no bits are all alike.
        if (--loop.remaining == 0 || at == loop.begin) {
          --depth;
        } else {
          loop.begin = at;
          op = code + op->target - 1;
        }
        break;
      }
      case Instruction::kSelect: {
        const Selection& selection = program.selections[op->target];
        const Selection::Row* const row =
            FindRow(selection, values[op->source]);
        const uint32_t target =
            row != nullptr ? row->target : selection.otherwise;
        if (target == 0) return fail("no option of a variant fits its tag");
        op = code + target - 1;
        break;
      }
      case Instruction::kJump:
        op = code + op->target - 1;
        break;
      case Instruction::kRole:
        if (op->role == FieldRole::kTimestamp ||
            op->role == FieldRole::kPacketBegin) {
          UpdateClock(value.u, op->bits, cursor.clock);
        } else if (op->role == FieldRole::kEventId) {
          cursor.event_id = value.u;
        } else if (op->role == FieldRole::kUuid) {
          cursor.uuid_slot = op->slot;
        } else if (op->role == FieldRole::kDiscarded) {
          cursor.discarded_bits = op->bits;
        }
        cursor.roles[static_cast<int>(op->role)] = value.u;
        cursor.has_roles |= 1u << static_cast<int>(op->role);
        break;
      case Instruction::kEnd:
        cursor.position = at;
        return true;
    }
  }
}

int64_t NumberAt(const Value& value, const Slot& slot, uint64_t i) {
  if (i >= value.size || slot.kind != Slot::kNumbers) return 0;
  const uint64_t raw =
      LoadBits(value.data, i * slot.bits, slot.bits, slot.big_endian);
  return slot.is_signed ? SignExtended(raw, slot.bits)
                        : static_cast<int64_t>(raw);
}

}  // namespace tfprof::ctf

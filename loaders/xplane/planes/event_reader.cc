#include "loaders/xplane/planes/event_reader.h"

#include "util/files/wire.h"

namespace tfprof::xplane {
namespace {

constexpr uint32_t kTexts =
    RoleBit(StatRole::kHloOp) | RoleBit(StatRole::kHloModule) |
    RoleBit(StatRole::kOpName) | RoleBit(StatRole::kTfOp) |
    RoleBit(StatRole::kAnnotation) | RoleBit(StatRole::kFunctionCall) |
    RoleBit(StatRole::kAllocator);
// For these stats it only matters whether the event has them.
constexpr uint32_t kMarks =
    RoleBit(StatRole::kKernelDetails) | RoleBit(StatRole::kCopyDetails);
constexpr uint32_t kNumbers = ~(kTexts | kMarks | RoleBit(StatRole::kNone));

constexpr uint64_t TagBit(uint32_t tag) { return uint64_t{1} << tag; }

// Reads a varint of 9 or 10 bytes: ids of flows are 64-bit hashes.
bool ReadLong(const char*& at, const char* end, uint64_t& value) {
  constexpr int kMostBytes = 10;
  if (end - at < kMostBytes - 1) return false;
  uint64_t v = 0;
  for (int i = 0; i < kMostBytes && at + i < end; ++i) {
    const auto byte = static_cast<unsigned char>(at[i]);
    if (i == kMostBytes - 1 && byte > 1) return false;
    v |= static_cast<uint64_t>(byte & 0x7f) << 7 * i;
    if (byte >= 0x80) continue;
    value = v;
    at += i + 1;
    return true;
  }
  return false;
}

}  // namespace

EventReader::EventReader(const StatTable& table, size_t bytes) : table_(table) {
  if (bytes < kFewIds) return;
  constexpr uint64_t kIntegers =
      TagBit(xstat_field::kUint64) | TagBit(xstat_field::kInt64);
  for (size_t id = 0; id < kFewIds; ++id) {
    const StatRole role = table.RoleOf(static_cast<int64_t>(id));
    KnownStat& known = known_[id];
    known.role = static_cast<uint32_t>(role);
    known.bit = RoleBit(role);
    known.tags = (known.bit & kNumbers) != 0 ? kIntegers
                 : (known.bit & kTexts) != 0
                     ? TagBit(xstat_field::kRef)
                     : kIntegers | TagBit(xstat_field::kRef);
  }
}

bool EventReader::ReadOther(const char*& at, const char* end,
                            EventFields& fields) const {
  if (static_cast<unsigned char>(*at) == xevent_field::kStat) {
    const char* next = at + 1;
    uint64_t size = 0;
    if (ReadShort(next, end, size) &&
        size <= static_cast<uint64_t>(end - next)) {
      ReadEventStat({next, static_cast<size_t>(size)}, fields);
      at = next + size;
      return true;
    }
  }
  util::WireReader r({at, static_cast<size_t>(end - at)});
  if (!r.Next()) return false;
  switch (r.tag()) {
    case xevent_field::kMetadataId:
      fields.metadata_id = r.int64();
      break;
    case xevent_field::kOffsetPs:
      fields.offset_ps = r.int64();
      fields.aggregated = false;  // both are one field: the last one wins
      break;
    case xevent_field::kDurationPs:
      fields.duration_ps = r.int64();
      break;
    case xevent_field::kStat:
      ReadEventStat(r.view(), fields);
      break;
    case xevent_field::kNumOccurrences:
      fields.aggregated = true;
      fields.offset_ps = 0;
      break;
  }
  at += r.good_bytes();
  return true;
}

// The id comes first, so the value of an unknown stat is only checked for
// damage.
void EventReader::ReadEventStat(std::string_view bytes,
                                EventFields& fields) const {
  const char* at = bytes.data() + 1;
  const char* const end = bytes.data() + bytes.size();
  uint64_t id = 0;
  PlaneStat stat;
  StatRole role = StatRole::kNone;
  if (!bytes.empty() && bytes[0] == xstat_field::kMetadataId &&
      ReadShort(at, end, id)) {
    stat.metadata_id = static_cast<int64_t>(id);
    role = table_.RoleOf(stat.metadata_id);
    if (role == StatRole::kNone && IsWhole(at, end)) return;
    if (!ReadNumber(at, end, stat) && !ReadStat(bytes, stat)) {
      ++fields.damaged_stats;
      return;
    }
  } else if (!ReadStat(bytes, stat)) {
    ++fields.damaged_stats;
    return;
  } else {
    role = table_.RoleOf(stat.metadata_id);
  }
  const uint32_t bit = RoleBit(role);
  if ((bit & kNumbers) != 0 && !stat.is_integer()) return;
  const auto number = static_cast<size_t>(role);
  fields.has |= bit;
  fields.refs &= ~bit;
  if (stat.kind == PlaneStat::Kind::kRef) fields.refs |= bit;
  fields.value[number] = stat.bits;
  if ((bit & kTexts) != 0) fields.text[number] = table_.TextOf(stat);
}

// Reads the value of a stat that is a single number, as most are; returns false
// for other values.
bool EventReader::ReadNumber(const char* at, const char* end,
                             PlaneStat& stat) const {
  if (at == end) return false;
  switch (static_cast<unsigned char>(*at)) {
    case xstat_field::kUint64:
      stat.kind = PlaneStat::Kind::kUint;
      break;
    case xstat_field::kInt64:
      stat.kind = PlaneStat::Kind::kInt;
      break;
    case xstat_field::kRef:
      stat.kind = PlaneStat::Kind::kRef;
      break;
    default:
      return false;
  }
  ++at;
  return (ReadShort(at, end, stat.bits) || ReadLong(at, end, stat.bits)) &&
         at == end;
}

// Returns whether the value of a stat, all of `at` to `end`, is undamaged, as
// far as a quick check can show.
bool EventReader::IsWhole(const char* at, const char* end) const {
  if (at == end) return false;
  constexpr ptrdiff_t kFixedSize = 8;
  uint64_t value = 0;
  switch (static_cast<unsigned char>(*at++)) {
    case xstat_field::kUint64:
    case xstat_field::kInt64:
    case xstat_field::kRef:
      return ReadShort(at, end, value) && at == end;
    case xstat_field::kString:
    case xstat_field::kBytes:
      return ReadShort(at, end, value) &&
             value == static_cast<uint64_t>(end - at);
    case xstat_field::kDouble:
      return end - at == kFixedSize;
  }
  return false;
}

// Reads a varint in the last bytes of a line.
bool EventReader::ReadLast(const char*& at, const char* end, uint64_t& value) {
  uint64_t v = 0;
  const char* p = at;
  for (int shift = 0; shift < 56 && p < end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*p++);
    v |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      value = v;
      at = p;
      return true;
    }
  }
  return false;
}

}  // namespace tfprof::xplane

// EventReader: decodes the bytes of one event of an XPlane.
//
// An event has three numbers and a few stats, and nearly every stat is a single
// number. Then tags, ids and lengths take one byte, so this class reads them
// directly, and reads a number from eight bytes at once; the length of the stat
// shows where the number must end. Anything longer, unknown or damaged is left
// to a WireReader. The only lookup is the role of a stat, in an array.
//
// Offsets and durations are in picoseconds. Views are into the input.

#ifndef TFPROF_LOADERS_XPLANE_PLANES_EVENT_READER_H_
#define TFPROF_LOADERS_XPLANE_PLANES_EVENT_READER_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "loaders/xplane/planes/fields.h"
#include "loaders/xplane/planes/stats.h"

namespace tfprof::xplane {

// Sets of roles.
constexpr uint32_t RoleBit(StatRole role) {
  return uint32_t{1} << static_cast<int>(role);
}

// The decoded fields of an event.
struct EventFields {
  int64_t metadata_id = 0;
  int64_t offset_ps = 0;
  int64_t duration_ps = 0;
  bool aggregated = false;
  int32_t damaged_stats = 0;  // they are dropped
  uint32_t has = 0;           // the roles of its stats
  uint32_t refs = 0;          // of these, stats whose value is a text id
  // The number, or the id of a text, of each role in `has`.
  std::array<uint64_t, kNumStatRoles> value;
  // The text of each role whose text has no id.
  std::array<std::string_view, kNumStatRoles> text;

  bool Has(StatRole role) const { return (has & RoleBit(role)) != 0; }
  // Returns 0 if the event does not have it.
  uint64_t Value(StatRole role) const {
    return Has(role) ? value[static_cast<size_t>(role)] : 0;
  }
  int64_t Number(StatRole role) const {
    return static_cast<int64_t>(Value(role));
  }
  // Returns the text of a role, or "" if the event does not have it.
  std::string_view Text(StatRole role, const StatTable& table) const {
    if (!Has(role)) return {};
    const auto at = static_cast<size_t>(role);
    return (refs & RoleBit(role)) != 0
               ? table.NameOf(static_cast<int64_t>(value[at]))
               : text[at];
  }
};

class EventReader {
 public:
  // `bytes` is the size of the line: a short line is read without the array.
  EventReader(const StatTable& table, size_t bytes);

  // All events that are read from now on must end at or before `end`; the bytes
  // before it are readable.
  void SetEnd(const char* end) { end_ = end; }

  // Returns false if the event is damaged; `fields` then has the part before
  // the damage.
  bool Read(std::string_view bytes, EventFields& fields) const {
    fields.metadata_id = fields.offset_ps = fields.duration_ps = 0;
    fields.aggregated = false;
    fields.damaged_stats = 0;
    fields.has = fields.refs = 0;
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    // All writers use this order.
    ReadField(xevent_field::kMetadataId, at, end, fields.metadata_id);
    ReadField(xevent_field::kOffsetPs, at, end, fields.offset_ps);
    ReadField(xevent_field::kDurationPs, at, end, fields.duration_ps);
    while (at < end) {
      if (ReadPlainStat(at, end, fields)) continue;
      if (!ReadOther(at, end, fields)) return false;
    }
    fields.has &= ~RoleBit(StatRole::kNone);
    fields.refs &= fields.has;
    return true;
  }

  // Reads a varint of at most 8 bytes; returns false if it is longer or cut
  // off.
  bool ReadShort(const char*& at, const char* end, uint64_t& value) const {
    if (at < end && static_cast<signed char>(*at) >= 0) {
      value = static_cast<unsigned char>(*at++);
      return true;
    }
    return ReadWide(at, end, value);
  }

 private:
  static constexpr size_t kFewIds = 128;
  static constexpr uint64_t kMoreFollows = 0x8080808080808080;

  // A stat whose id takes one byte.
  struct KnownStat {
    uint64_t tags = 0;  // one bit for each value tag that is read directly
    uint32_t bit = 0;
    uint32_t role = 0;
  };

  // Joins the low 7 bits of each byte.
  static uint64_t Join(uint64_t v) {
    v = (v & 0x007f007f007f007f) | (v & 0x7f007f007f007f00) >> 1;
    v = (v & 0x00003fff00003fff) | (v & 0x3fff00003fff0000) >> 2;
    return (v & 0x000000000fffffff) | (v & 0x0fffffff00000000) >> 4;
  }

  // Like ReadShort(), for numbers that often have several bytes.
  bool ReadWide(const char*& at, const char* end, uint64_t& value) const {
    if (end_ - at < 8) return ReadLast(at, end, value);
    // Reads all bytes at once. The lengths of times differ, so a loop over the
    // bytes would often be mispredicted.
    uint64_t v;
    std::memcpy(&v, at, sizeof(v));
    const uint64_t last = ~v & kMoreFollows;  // its lowest bit
    if (last == 0) return false;
    const char* const behind = at + (std::countr_zero(last) + 1) / 8;
    if (behind > end) return false;
    value = Join(v & (last ^ (last - 1)));
    at = behind;
    return true;
  }

  // Reads the field if it begins at `at`.
  void ReadField(uint32_t tag, const char*& at, const char* end,
                 int64_t& value) const {
    if (at >= end || static_cast<unsigned char>(*at) != tag) return;
    const char* next = at + 1;
    uint64_t v = 0;
    if (!ReadWide(next, end, v)) return;
    value = static_cast<int64_t>(v);
    at = next;
  }

  // Reads the field at `at` if it is a stat with a single number of at most 8
  // bytes, or with the id of a text. It has a tag, a size, a tag and one byte
  // for its id, the tag of the value, and the value.
  bool ReadPlainStat(const char*& at, const char* end,
                     EventFields& fields) const {
    constexpr ptrdiff_t kBeforeValue = 5;
    constexpr uint64_t kBeforeSize = 2, kBeforeNumber = 3;
    if (end_ - at < kBeforeValue + 8) return false;
    const auto* const p = reinterpret_cast<const unsigned char*>(at);
    const uint64_t size = p[1];
    const uint64_t number = size - kBeforeNumber;  // size in bytes
    if (p[0] != xevent_field::kStat || number - 1 >= 8 ||
        kBeforeSize + size > static_cast<uint64_t>(end - at) ||
        p[2] != xstat_field::kMetadataId || p[3] >= kFewIds || p[4] >= 64) {
      return false;
    }
    const KnownStat& known = known_[p[3]];
    if ((known.tags >> p[4] & 1) == 0) return false;
    uint64_t v;
    std::memcpy(&v, at + kBeforeValue, sizeof(v));
    const uint64_t unused = 64 - 8 * number;
    const uint64_t marks = kMoreFollows >> unused;
    if ((v & marks) != marks >> 8) return false;  // it has another length
    fields.has |= known.bit;
    fields.refs = (fields.refs & ~known.bit) |
                  (p[4] == xstat_field::kRef ? known.bit : 0);
    fields.value[known.role] = Join(v & (~uint64_t{0} >> unused));
    at += kBeforeSize + size;
    return true;
  }

  // Reads any other field; returns false if it is damaged.
  bool ReadOther(const char*& at, const char* end, EventFields& fields) const;
  // Reads the content of a stat.
  void ReadEventStat(std::string_view bytes, EventFields& fields) const;
  bool ReadNumber(const char* at, const char* end, PlaneStat& stat) const;
  bool IsWhole(const char* at, const char* end) const;
  static bool ReadLast(const char*& at, const char* end, uint64_t& value);

  const StatTable& table_;
  const char* end_ = nullptr;
  std::array<KnownStat, kFewIds> known_;  // by id
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_PLANES_EVENT_READER_H_

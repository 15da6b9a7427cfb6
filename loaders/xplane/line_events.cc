#include "loaders/xplane/line_events.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "loaders/xplane/event_names.h"
#include "loaders/xplane/fields.h"
#include "profile/string_pool.h"
#include "util/arithmetic.h"
#include "util/huge_pages.h"
#include "util/wire.h"

namespace tfprof {
namespace {

constexpr int64_t kPicosPerNano = 1000;
// A plane has some hundred stats, with ids from 1.
constexpr size_t kFewIds = 1024;
// A cancellation is looked for after so many events.
constexpr size_t kCheckEvery = 1 << 16;
// No machine has more devices. Each one that a file names takes memory.
constexpr int64_t kMaxOrdinal = 4095;

// Strings are hashed with a seed that no file can know.
struct KeyHash {
  size_t operator()(const EventKey& key) const {
    return absl::HashOf(
        key.metadata, key.program_id, StringPool::Hash(key.hlo_op),
        StringPool::Hash(key.hlo_module), StringPool::Hash(key.op_name),
        StringPool::Hash(key.annotation), key.is_kernel, key.is_copy,
        key.is_launch);
  }
};

// Equal texts are mostly one text of the plane's table.
bool IsSame(std::string_view a, std::string_view b) {
  return (a.data() == b.data() && a.size() == b.size()) || a == b;
}

bool IsSame(const EventKey& a, const EventKey& b) {
  return a.metadata == b.metadata && a.program_id == b.program_id &&
         a.is_kernel == b.is_kernel && a.is_copy == b.is_copy &&
         a.is_launch == b.is_launch && IsSame(a.hlo_op, b.hlo_op) &&
         IsSame(a.hlo_module, b.hlo_module) && IsSame(a.op_name, b.op_name) &&
         IsSame(a.annotation, b.annotation);
}

class LineReader {
 public:
  // `bytes` is the size of the line. A short line of a plane with many metadata
  // does without a table of them: a file may have a million of both.
  LineReader(const XPlane& plane, const char* file, int64_t origin_ns,
             size_t bytes, LineEvents& to)
      : plane_(plane), file_(file), origin_ns_(origin_ns), to_(to) {
    if (plane.events.size() <= bytes) {
      of_metadata_.resize(plane.events.size());
    }
    if (bytes >= kFewIds) {
      for (size_t id = 0; id < kFewIds; ++id) {
        roles_.push_back(plane.stat_table.RoleOf(static_cast<int64_t>(id)));
      }
    }
  }

  void Read(const XLine& header, const Cancellation* cancellation) {
    const std::string_view line = header.bytes;
    base_ps_ = SaturatingMul(
        SaturatingAdd(header.timestamp_ns, SaturatingMul(origin_ns_, -1)),
        kPicosPerNano);
    const char* at = line.data();
    const char* const end = at + line.size();
    end_ = end;
    size_t until_check = kCheckEvery;
    bool cut = false;
    while (at < end && !cut) {
      const char* const field = at;
      const auto offset = static_cast<uint64_t>(field - file_);
      uint64_t size = 0;
      if (static_cast<unsigned char>(*at) != xline_field::kEvent ||
          !ReadShort(++at, end, size) ||
          size > static_cast<uint64_t>(end - at)) {
        // Another field, or damage.
        WireReader r({field, static_cast<size_t>(end - field)});
        cut = !r.Next();
        if (cut && to_.damage_offset == 0) to_.damage_offset = offset;
        at = field + r.good_bytes();
        if (cut || r.tag() != xline_field::kEvent) continue;
        size = r.view().size();
        at = r.view().data();
      }
      ReadEvent({at, static_cast<size_t>(size)}, offset);
      at += size;
      if (--until_check == 0) {
        if (IsCancelled(cancellation)) return;
        until_check = kCheckEvery;
      }
    }
    to_.cut |= cut;
    if (to_.device_spans.size() != to_.events.size()) to_.device_spans.clear();
  }

 private:
  // What the stats of one event say.
  struct Seen {
    EventKey key;
    bool has_consumer = false, has_producer = false;
    bool has_device_offset = false, has_device_duration = false;
    bool has_correlation = false, has_group = false, has_step = false;
    uint64_t consumer_type = 0, consumer = 0;
    uint64_t producer_type = 0, producer = 0;
    uint64_t correlation = 0;
    int64_t group = 0, step = 0, ordinal = 0;
    Span device;
    MemoryEvent memory;
  };

  // The tags of an event's fields take one byte, and nothing else is in most
  // events: so this reads them itself, which is twice as fast as a WireReader.
  // That one reads what is longer, unknown or damaged.
  void ReadEvent(std::string_view bytes, uint64_t offset) {
    int64_t metadata_id = 0, offset_ps = 0, duration = 0;
    bool aggregated = false;
    bool plain = true;  // no stat that matters
    Seen& seen = seen_;
    if (seen_used_) seen = {};
    seen_used_ = false;
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    // As all writers write them.
    ReadField(xevent_field::kMetadataId, at, end, metadata_id);
    ReadField(xevent_field::kOffsetPs, at, end, offset_ps);
    ReadField(xevent_field::kDurationPs, at, end, duration);
    while (at < end) {
      const char* field = at++;
      uint64_t value = 0;
      switch (static_cast<unsigned char>(*field)) {
        case xevent_field::kMetadataId:
          if (!ReadShort(at, end, value)) break;
          metadata_id = static_cast<int64_t>(value);
          continue;
        case xevent_field::kOffsetPs:
          if (!ReadShort(at, end, value)) break;
          offset_ps = static_cast<int64_t>(value);
          aggregated = false;  // both are one field: the last one counts
          continue;
        case xevent_field::kDurationPs:
          if (!ReadShort(at, end, value)) break;
          duration = static_cast<int64_t>(value);
          continue;
        case xevent_field::kStat:
          if (!ReadShort(at, end, value) ||
              value > static_cast<uint64_t>(end - at)) {
            break;
          }
          plain &=
              !ReadEventStat({at, static_cast<size_t>(value)}, offset, seen);
          at += value;
          continue;
      }
      WireReader r({field, static_cast<size_t>(end - field)});
      if (!r.Next()) {
        if (to_.damaged++ == 0 && to_.damage_offset == 0) {
          to_.damage_offset = offset;
        }
        return;
      }
      if (r.tag() == xevent_field::kOffsetPs) {
        offset_ps = r.int64();
        aggregated = false;
      }
      if (r.tag() == xevent_field::kDurationPs) duration = r.int64();
      if (r.tag() == xevent_field::kMetadataId) metadata_id = r.int64();
      if (r.tag() == xevent_field::kStat) {
        plain &= !ReadEventStat(r.view(), offset, seen);
      }
      if (r.tag() == xevent_field::kNumOccurrences) {
        aggregated = true;
        offset_ps = 0;
      }
      at = field + r.good_bytes();
    }
    if (aggregated) {
      ++to_.aggregated;
      return;
    }
    const uint32_t metadata = plane_.event_ids.Find(metadata_id);
    if (metadata == kNone) {
      ++to_.without_metadata;
      return;
    }
    if (duration < 0) {
      ++to_.negative;
      duration = 0;
    }
    const auto number = static_cast<uint32_t>(to_.events.size());
    seen.key.metadata = metadata;
    const uint32_t key = NumberOf(seen.key);
    to_.events.push_back({.start = SaturatingAdd(base_ps_, offset_ps),
                          .duration = duration,
                          .offset = offset,
                          .key = key,
                          .group = key});
    if (!plain) AddLists(number, seen);
  }

  // A varint of at most 8 bytes; false: it is longer or cut off. `end` is in
  // the line.
  bool ReadShort(const char*& at, const char* end, uint64_t& value) const {
    if (at < end && static_cast<signed char>(*at) >= 0) {
      value = static_cast<unsigned char>(*at++);
      return true;
    }
    return ReadWide(at, end, value);
  }

  // The same for numbers that may well have several bytes.
  bool ReadWide(const char*& at, const char* end, uint64_t& value) const {
    if (end_ - at < 8) return ReadLast(at, end, value);
    // All bytes at once: those of a time differ in number, and a loop over them
    // ends where the processor does not expect it.
    uint64_t v;
    std::memcpy(&v, at, sizeof(v));
    const uint64_t last = ~v & 0x8080808080808080;  // its lowest bit
    if (last == 0) return false;
    const char* const behind = at + (std::countr_zero(last) + 1) / 8;
    if (behind > end) return false;
    v &= last ^ (last - 1);
    v = (v & 0x007f007f007f007f) | (v & 0x7f007f007f007f00) >> 1;
    v = (v & 0x00003fff00003fff) | (v & 0x3fff00003fff0000) >> 2;
    value = (v & 0x000000000fffffff) | (v & 0x0fffffff00000000) >> 4;
    at = behind;
    return true;
  }

  // Reads the field if it is at `at`.
  void ReadField(uint32_t tag, const char*& at, const char* end,
                 int64_t& value) const {
    if (at >= end || static_cast<unsigned char>(*at) != tag) return;
    const char* next = at + 1;
    uint64_t v = 0;
    if (!ReadWide(next, end, v)) return;
    value = static_cast<int64_t>(v);
    at = next;
  }

  // The same for the last bytes of a line.
  static bool ReadLast(const char*& at, const char* end, uint64_t& value) {
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

  // A varint of 9 or 10 bytes: ids of flows are hashes of 64 bits.
  [[gnu::noinline]] static bool ReadLong(const char*& at, const char* end,
                                         uint64_t& value) {
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

  // The value of a stat that is one number, which most are; false: it is not.
  bool ReadNumber(const char* at, const char* end, PlaneStat& stat) const {
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

  // Whether the value of a stat, all of `at` to `end`, is in one piece, as far
  // as this can be seen quickly.
  bool IsWhole(const char* at, const char* end) const {
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

  // Stats that must be numbers.
  static bool IsNumber(StatRole role) {
    switch (role) {
      case StatRole::kNone:
      case StatRole::kHloOp:
      case StatRole::kHloModule:
      case StatRole::kOpName:
      case StatRole::kTfOp:
      case StatRole::kAnnotation:
      case StatRole::kKernelDetails:
      case StatRole::kCopyDetails:
      case StatRole::kAllocator:
        return false;
      default:
        return true;
    }
  }

  // Whether the loader knows the stat. The id comes first, so the value of a
  // stat that it does not know is only looked at for damage. `event` is the
  // place of the event, for messages.
  bool ReadEventStat(std::string_view bytes, uint64_t event, Seen& seen) {
    const StatTable& table = plane_.stat_table;
    const char* at = bytes.data() + 1;
    uint64_t id = 0;
    const char* const end = bytes.data() + bytes.size();
    PlaneStat stat;
    StatRole role = StatRole::kNone;
    if (!bytes.empty() && bytes[0] == xstat_field::kMetadataId &&
        ReadShort(at, end, id)) {
      stat.metadata_id = static_cast<int64_t>(id);
      role = id < roles_.size() ? roles_[id] : table.RoleOf(stat.metadata_id);
      if (role == StatRole::kNone && IsWhole(at, end)) return false;
      if (!ReadNumber(at, end, stat) && !ReadStat(bytes, stat)) {
        return CountDamagedStat(event);
      }
    } else if (!ReadStat(bytes, stat)) {
      return CountDamagedStat(event);
    } else {
      role = table.RoleOf(stat.metadata_id);
    }
    if (IsNumber(role) && !stat.is_integer()) return false;
    seen_used_ = true;
    switch (role) {
      case StatRole::kNone:
        return false;
      case StatRole::kHloOp:
        seen.key.hlo_op = LastLevel(table.TextOf(stat));
        break;
      case StatRole::kHloModule:
        seen.key.hlo_module = table.TextOf(stat);
        break;
      case StatRole::kProgramId:
        seen.key.program_id = stat.integer();
        break;
      case StatRole::kOpName:
        seen.key.op_name = table.TextOf(stat);
        break;
      case StatRole::kTfOp:
        seen.memory.tf_op = table.TextOf(stat);
        seen.key.annotation = seen.memory.tf_op;
        break;
      case StatRole::kAnnotation:
        if (seen.key.annotation.empty()) {
          seen.key.annotation = table.TextOf(stat);
        }
        break;
      case StatRole::kCorrelationId:
        seen.correlation = stat.bits;
        seen.has_correlation = seen.key.is_launch = true;
        break;
      case StatRole::kGroupId:
        seen.group = stat.integer();
        seen.has_group = true;
        break;
      case StatRole::kStepNum:
        seen.step = stat.integer();
        seen.has_step = true;
        break;
      case StatRole::kConsumerType:
        seen.consumer_type = stat.bits;
        break;
      case StatRole::kConsumerId:
        seen.consumer = stat.bits;
        seen.has_consumer = true;
        break;
      case StatRole::kProducerType:
        seen.producer_type = stat.bits;
        break;
      case StatRole::kProducerId:
        seen.producer = stat.bits;
        seen.has_producer = true;
        break;
      case StatRole::kDeviceOrdinal:
        seen.ordinal = stat.integer();
        break;
      case StatRole::kDeviceOffset:
        seen.device.start = stat.integer();
        seen.has_device_offset = true;
        break;
      case StatRole::kDeviceDuration:
        seen.device.duration = std::max<int64_t>(0, stat.integer());
        seen.has_device_duration = true;
        break;
      case StatRole::kKernelDetails:
        seen.key.is_kernel = true;
        break;
      case StatRole::kCopyDetails:
        seen.key.is_copy = true;
        break;
      case StatRole::kAllocator:
        seen.memory.allocator = table.TextOf(stat);
        break;
      case StatRole::kAllocationBytes:
        seen.memory.allocation_bytes = stat.integer();
        break;
      case StatRole::kRequestedBytes:
        seen.memory.requested_bytes = stat.integer();
        break;
      case StatRole::kBytesInUse:
        seen.memory.bytes_in_use = stat.integer();
        break;
    }
    return true;
  }

  bool CountDamagedStat(uint64_t event) {
    if (to_.damaged_stats++ == 0 && to_.damage_offset == 0) {
      to_.damage_offset = event;
    }
    return false;
  }

  // A nested op of a GPU is "while.1::fusion.3".
  static std::string_view LastLevel(std::string_view hlo_op) {
    // Most have none; a search from the end looks at each byte by itself.
    if (hlo_op.find(':') == hlo_op.npos) return hlo_op;
    const size_t mark = hlo_op.rfind("::");
    return mark == hlo_op.npos ? hlo_op : hlo_op.substr(mark + 2);
  }

  void AddLists(uint32_t number, Seen& seen) {
    if (seen.has_correlation) {
      AddTo(to_.correlations, {number, seen.correlation});
    }
    if (seen.has_group) to_.groups.push_back({number, seen.group});
    if (seen.has_step) to_.steps.push_back({number, seen.step});
    if (seen.ordinal > 0 && seen.ordinal <= kMaxOrdinal) {
      to_.ordinals.push_back({number, static_cast<uint32_t>(seen.ordinal)});
    }
    if (seen.has_producer) {
      AddTo(to_.flows, {number, true, seen.producer_type, seen.producer});
    }
    if (seen.has_consumer) {
      AddTo(to_.flows, {number, false, seen.consumer_type, seen.consumer});
    }
    // Only while all events so far have it.
    if (seen.has_device_duration && seen.has_device_offset &&
        to_.device_spans.size() == number) {
      to_.device_spans.push_back(seen.device);
    }
    if (IsMemory(seen.key.metadata)) {
      seen.memory.event = number;
      seen.memory.allocates =
          plane_.events[seen.key.metadata].name == kAllocationEvent;
      to_.memory.push_back(seen.memory);
    }
  }

  // What one event has, many may have. Memory that is not used is only
  // reserved; to grow would copy the list again and again.
  template <typename Entry>
  void AddTo(std::vector<Entry>& list, const Entry& entry) {
    if (list.empty()) list.reserve(to_.events.capacity());
    list.push_back(entry);
  }

  bool IsMemory(uint32_t number) {
    const auto read = [&] {
      const EventMetadata& metadata = plane_.events[number];
      return KindOfEvent(metadata.name, metadata.display_name) ==
             EventKind::kMemory;
    };
    if (of_metadata_.empty()) return read();
    std::optional<bool>& known = of_metadata_[number].is_memory;
    if (!known.has_value()) known = read();
    return *known;
  }

  // Most events have the key of the last event with their metadata.
  uint32_t NumberOf(EventKey& key) {
    const bool is_plain =
        !seen_used_ || (key.hlo_op.empty() && !key.is_kernel && !key.is_copy &&
                        !key.is_launch);
    // Arguments of a range do not say what it is.
    if (is_plain && seen_used_) key = {.metadata = key.metadata};
    if (of_metadata_.empty()) return Intern(key);
    OfMetadata& known = of_metadata_[key.metadata];
    if (is_plain) {
      if (known.plain_key == kNone) known.plain_key = Intern(key);
      return known.plain_key;
    }
    if (known.last_key == kNone || !IsSame(to_.keys[known.last_key], key)) {
      known.last_key = Intern(key);
    }
    return known.last_key;
  }

  uint32_t Intern(const EventKey& key) {
    const auto [it, is_new] =
        numbers_.try_emplace(key, static_cast<uint32_t>(to_.keys.size()));
    if (is_new) to_.keys.push_back(key);
    return it->second;
  }

  // What is known about the events of a metadata.
  struct OfMetadata {
    uint32_t plain_key = kNone;  // of those that have nothing else in their key
    uint32_t last_key = kNone;   // of the last of the others
    std::optional<bool> is_memory;
  };

  const XPlane& plane_;
  const char* const file_;
  const int64_t origin_ns_;
  int64_t base_ps_ = 0;
  const char* end_ = nullptr;  // of the line
  LineEvents& to_;
  // Of the event at hand; cleared only if it was used.
  Seen seen_;
  bool seen_used_ = false;
  std::vector<OfMetadata> of_metadata_;  // empty: not kept
  // By id of a stat, of ids below kFewIds; empty: not kept.
  std::vector<StatRole> roles_;
  absl::flat_hash_map<EventKey, uint32_t, KeyHash> numbers_;
};

}  // namespace

LineEvents ReadLine(std::span<const XLine* const> parts, const XPlane& plane,
                    const char* file, int64_t origin_ns,
                    const Cancellation* cancellation) {
  LineEvents events;
  size_t bytes = 0, num_events = 0;
  for (const XLine* part : parts) {
    bytes += part->bytes.size();
    num_events += part->num_events;
  }
  events.events.reserve(num_events);
  AdviseHugePages(events.events.data(), num_events * sizeof(Event));
  LineReader reader(plane, file, origin_ns, bytes, events);
  for (const XLine* part : parts) reader.Read(*part, cancellation);
  return events;
}

}  // namespace tfprof

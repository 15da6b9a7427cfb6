#include "loaders/xplane/lines/line_events.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "loaders/xplane/planes/event_names.h"
#include "loaders/xplane/planes/event_reader.h"
#include "loaders/xplane/planes/fields.h"
#include "profile/tables/string_pool.h"
#include "util/arithmetic.h"
#include "util/files/wire.h"
#include "util/run/huge_pages.h"

namespace tfprof::xplane {
namespace {

constexpr int64_t kPicosPerNano = 1000;
// How many events are handled between two checks for a cancellation.
constexpr size_t kCheckEvery = 1 << 16;
// No machine has more devices. Each device in a file takes memory.
constexpr int64_t kMaxOrdinal = 4095;

// The stats in a key that are numbers or texts; they are adjacent roles.
constexpr auto kFirstKeyValue = static_cast<size_t>(StatRole::kHloOp);
constexpr size_t kNumKeyValues =
    static_cast<size_t>(StatRole::kFunctionCall) + 1 - kFirstKeyValue;
constexpr uint32_t kKeyTexts =
    RoleBit(StatRole::kHloOp) | RoleBit(StatRole::kHloModule) |
    RoleBit(StatRole::kOpName) | RoleBit(StatRole::kTfOp) |
    RoleBit(StatRole::kAnnotation) | RoleBit(StatRole::kFunctionCall);
// The key of an event without these stats only has its metadata.
constexpr uint32_t kOwnKey =
    RoleBit(StatRole::kHloOp) | RoleBit(StatRole::kKernelDetails) |
    RoleBit(StatRole::kCopyDetails) | RoleBit(StatRole::kCorrelationId) |
    RoleBit(StatRole::kFunctionCall);
constexpr uint32_t kKey = kKeyTexts | kOwnKey | RoleBit(StatRole::kProgramId);
constexpr uint32_t kDeviceSpan =
    RoleBit(StatRole::kDeviceOffset) | RoleBit(StatRole::kDeviceDuration);
// An allocation has one of these.
constexpr uint32_t kOfMemory =
    RoleBit(StatRole::kAllocator) | RoleBit(StatRole::kAllocationBytes) |
    RoleBit(StatRole::kRequestedBytes) | RoleBit(StatRole::kBytesInUse);
// Stats that few events have; they are stored in separate lists.
constexpr uint32_t kRare = ~(kKey | kDeviceSpan);

// Strings are hashed with a random seed, which no file can know.
struct KeyHash {
  size_t operator()(const EventKey& key) const {
    return absl::HashOf(
        key.metadata, key.program_id, profile::StringPool::Hash(key.hlo_op),
        profile::StringPool::Hash(key.hlo_module),
        profile::StringPool::Hash(key.op_name),
        profile::StringPool::Hash(key.annotation), key.is_kernel, key.is_copy,
        key.is_launch, key.is_tracing);
  }
};

// Equal texts usually are the same text in the plane's table.
bool IsSame(std::string_view a, std::string_view b) {
  return (a.data() == b.data() && a.size() == b.size()) || a == b;
}

bool IsSame(const EventKey& a, const EventKey& b) {
  return a.metadata == b.metadata && a.program_id == b.program_id &&
         a.is_kernel == b.is_kernel && a.is_copy == b.is_copy &&
         a.is_launch == b.is_launch && a.is_tracing == b.is_tracing &&
         IsSame(a.hlo_op, b.hlo_op) && IsSame(a.hlo_module, b.hlo_module) &&
         IsSame(a.op_name, b.op_name) && IsSame(a.annotation, b.annotation);
}

class LineReader {
 public:
  // `bytes` is the size of the line. For a short line of a plane with much
  // metadata no table of metadata is made: a file may have a million of both.
  LineReader(const XPlane& plane, const char* file, int64_t origin_ns,
             size_t bytes, LineEvents& to)
      : plane_(plane),
        file_(file),
        origin_ns_(origin_ns),
        to_(to),
        event_reader_(plane.stat_table, bytes) {
    if (plane.events.size() <= bytes) {
      plain_keys_.resize(plane.events.size(), profile::kNone);
    }
  }

  void Read(const XLine& header, const util::Cancellation* cancellation) {
    const std::string_view line = header.bytes;
    base_ps_ = util::SaturatingMul(
        util::SaturatingAdd(header.timestamp_ns,
                            util::SaturatingMul(origin_ns_, -1)),
        kPicosPerNano);
    const char* at = line.data();
    const char* const end = at + line.size();
    event_reader_.SetEnd(end);
    size_t until_check = kCheckEvery;
    bool cut = false;
    while (at < end && !cut) {
      const char* const field = at;
      const auto offset = static_cast<uint64_t>(field - file_);
      uint64_t size = 0;
      if (static_cast<unsigned char>(*at) != xline_field::kEvent ||
          !event_reader_.ReadShort(++at, end, size) ||
          size > static_cast<uint64_t>(end - at)) {
        // Another field, or damage.
        util::WireReader r({field, static_cast<size_t>(end - field)});
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
        if (util::IsCancelled(cancellation)) return;
        until_check = kCheckEvery;
      }
    }
    to_.cut |= cut;
    if (to_.device_spans.size() != to_.events.size()) to_.device_spans.clear();
  }

 private:
  // A cache for metadata whose events have more in their key.
  struct OfMetadata {
    uint32_t last_key = profile::kNone;
    // The stats of it that are in the key; 0: not all are numbers and ids.
    uint32_t last_has = 0;
    std::array<uint64_t, kNumKeyValues> last_value;
  };

  void ReadEvent(std::string_view bytes, uint64_t offset) {
    EventFields& fields = fields_;
    const bool whole = event_reader_.Read(bytes, fields);
    if (fields.damaged_stats != 0) {
      if (to_.damaged_stats == 0) NoteDamage(offset);
      to_.damaged_stats += fields.damaged_stats;
    }
    if (!whole) {
      if (to_.damaged++ == 0) NoteDamage(offset);
      return;
    }
    if (fields.aggregated) {
      ++to_.aggregated;
      return;
    }
    const uint32_t metadata = plane_.event_ids.Find(fields.metadata_id);
    if (metadata == profile::kNone) {
      ++to_.without_metadata;
      return;
    }
    if (fields.duration_ps < 0) {
      ++to_.negative;
      fields.duration_ps = 0;
    }
    const auto number = static_cast<uint32_t>(to_.events.size());
    const uint32_t key = NumberOf(metadata, fields);
    to_.events.push_back(
        {.start = util::SaturatingAdd(base_ps_, fields.offset_ps),
         .duration = fields.duration_ps,
         .offset = offset,
         .key = key,
         .group = key});
    if (fields.has != 0) AddLists(number, metadata, fields);
  }

  void NoteDamage(uint64_t offset) {
    if (to_.damage_offset == 0) to_.damage_offset = offset;
  }

  // A nested op of a GPU is "while.1::fusion.3".
  static std::string_view LastLevel(std::string_view hlo_op) {
    // Most have no ':', and a search from the end is slower.
    if (hlo_op.find(':') == hlo_op.npos) return hlo_op;
    const size_t mark = hlo_op.rfind("::");
    return mark == hlo_op.npos ? hlo_op : hlo_op.substr(mark + 2);
  }

  void AddLists(uint32_t number, uint32_t metadata, const EventFields& fields) {
    if (fields.Has(StatRole::kCorrelationId)) {
      AddTo(to_.correlations, {number, fields.Value(StatRole::kCorrelationId)});
    }
    // Kept only while all events so far have it.
    if ((fields.has & kDeviceSpan) == kDeviceSpan &&
        to_.device_spans.size() == number) {
      AddTo(to_.device_spans,
            {fields.Number(StatRole::kDeviceOffset),
             std::max<int64_t>(0, fields.Number(StatRole::kDeviceDuration))});
    }
    if ((fields.has & kRare) == 0) return;
    if (fields.Has(StatRole::kGroupId)) {
      to_.groups.push_back({number, fields.Number(StatRole::kGroupId)});
    }
    if (fields.Has(StatRole::kStepNum)) {
      to_.steps.push_back({number, fields.Number(StatRole::kStepNum)});
    }
    const int64_t ordinal = fields.Number(StatRole::kDeviceOrdinal);
    if (ordinal > 0 && ordinal <= kMaxOrdinal) {
      to_.ordinals.push_back({number, static_cast<uint32_t>(ordinal)});
    }
    if (fields.Has(StatRole::kProducerId)) {
      AddTo(to_.flows, {number, true, fields.Value(StatRole::kProducerType),
                        fields.Value(StatRole::kProducerId)});
    }
    if (fields.Has(StatRole::kConsumerId)) {
      AddTo(to_.flows, {number, false, fields.Value(StatRole::kConsumerType),
                        fields.Value(StatRole::kConsumerId)});
    }
    if ((fields.has & kOfMemory) != 0 && IsMemory(metadata)) {
      AddMemory(number, metadata, fields);
    }
  }

  void AddMemory(uint32_t number, uint32_t metadata,
                 const EventFields& fields) {
    const StatTable& table = plane_.stat_table;
    to_.memory.push_back(
        {.event = number,
         .allocates = plane_.events[metadata].name == kAllocationEvent,
         .allocator = fields.Text(StatRole::kAllocator, table),
         .tf_op = fields.Text(StatRole::kTfOp, table),
         .allocation_bytes = fields.Number(StatRole::kAllocationBytes),
         .requested_bytes = fields.Number(StatRole::kRequestedBytes),
         .bytes_in_use = fields.Number(StatRole::kBytesInUse)});
  }

  // Reserves much at once, because growing would copy the list again and again,
  // and unused memory is only reserved.
  template <typename Entry>
  void AddTo(std::vector<Entry>& list, const Entry& entry) {
    if (list.empty()) list.reserve(to_.events.capacity());
    list.push_back(entry);
  }

  bool IsMemory(uint32_t number) {
    const EventMetadata& metadata = plane_.events[number];
    return KindOfEvent(metadata.name, metadata.display_name) ==
           EventKind::kMemory;
  }

  EventKey KeyOf(uint32_t metadata, const EventFields& fields) const {
    const StatTable& table = plane_.stat_table;
    EventKey key = {.metadata = metadata,
                    .program_id = fields.Number(StatRole::kProgramId)};
    key.hlo_op = LastLevel(fields.Text(StatRole::kHloOp, table));
    key.hlo_module = fields.Text(StatRole::kHloModule, table);
    key.op_name = fields.Text(StatRole::kOpName, table);
    key.annotation = fields.Text(StatRole::kTfOp, table);
    if (key.annotation.empty()) {
      key.annotation = fields.Text(StatRole::kAnnotation, table);
    }
    key.is_kernel = fields.Has(StatRole::kKernelDetails);
    key.is_copy = fields.Has(StatRole::kCopyDetails);
    key.is_launch = fields.Has(StatRole::kCorrelationId);
    // "traced-nonXla"; a later call is "notTraced-nonXla".
    key.is_tracing =
        fields.Text(StatRole::kFunctionCall, table).starts_with("traced");
    // The arguments of a range do not change its identity.
    if (key.hlo_op.empty() && !key.is_kernel && !key.is_copy &&
        !key.is_launch) {
      key = {.metadata = metadata, .is_tracing = key.is_tracing};
    }
    return key;
  }

  // Most events have the same key as the last event with their metadata. If the
  // stats are equal, they need not be looked up.
  uint32_t NumberOf(uint32_t metadata, const EventFields& fields) {
    if (plain_keys_.empty()) return Intern(KeyOf(metadata, fields));
    if ((fields.has & kOwnKey) == 0) return PlainKey(metadata);
    if (of_metadata_.empty()) of_metadata_.resize(plain_keys_.size());
    OfMetadata& known = of_metadata_[metadata];
    const uint32_t has = fields.has & kKey;
    const bool is_short = (has & kKeyTexts & ~fields.refs) == 0;
    if (is_short && has == known.last_has && IsLast(fields, known)) {
      return known.last_key;
    }
    const EventKey key = KeyOf(metadata, fields);
    if (known.last_key == profile::kNone ||
        !IsSame(to_.keys[known.last_key], key)) {
      known.last_key = key == EventKey{.metadata = metadata}
                           ? PlainKey(metadata)
                           : Intern(key);
    }
    known.last_has = is_short ? has : 0;
    for (size_t i = 0; i < kNumKeyValues; ++i) {
      known.last_value[i] = fields.value[kFirstKeyValue + i];
    }
    return known.last_key;
  }

  // Returns whether the values of a key are equal to the last ones. The caller
  // has checked that both have the same stats.
  static bool IsLast(const EventFields& fields, const OfMetadata& known) {
    uint64_t differ = 0;
    for (size_t i = 0; i < kNumKeyValues; ++i) {
      const uint64_t has = fields.has >> (kFirstKeyValue + i) & 1;
      differ |= (fields.value[kFirstKeyValue + i] ^ known.last_value[i]) &
                (uint64_t{0} - has);
    }
    return differ == 0;
  }

  // Returns the key of events with only their metadata in it. A TPU has ten
  // thousand such keys, and they need no hash.
  uint32_t PlainKey(uint32_t metadata) {
    uint32_t& key = plain_keys_[metadata];
    if (key == profile::kNone) {
      key = static_cast<uint32_t>(to_.keys.size());
      to_.keys.push_back({.metadata = metadata});
    }
    return key;
  }

  uint32_t Intern(const EventKey& key) {
    const auto [it, is_new] =
        numbers_.try_emplace(key, static_cast<uint32_t>(to_.keys.size()));
    if (is_new) to_.keys.push_back(key);
    return it->second;
  }

  const XPlane& plane_;
  const char* const file_;
  const int64_t origin_ns_;
  int64_t base_ps_ = 0;
  LineEvents& to_;
  EventReader event_reader_;
  EventFields fields_;  // of the current event
  // By metadata; empty: no table. Most events only need plain_keys_, so that
  // the cache holds it.
  std::vector<uint32_t> plain_keys_;
  std::vector<OfMetadata> of_metadata_;
  absl::flat_hash_map<EventKey, uint32_t, KeyHash> numbers_;
};

}  // namespace

LineEvents ReadLine(std::span<const XLine* const> parts, const XPlane& plane,
                    const char* file, int64_t origin_ns,
                    const util::Cancellation* cancellation) {
  LineEvents events;
  size_t bytes = 0, num_events = 0;
  for (const XLine* part : parts) {
    bytes += part->bytes.size();
    num_events += part->num_events;
  }
  events.events.reserve(num_events);
  util::AdviseHugePages(events.events.data(), num_events * sizeof(Event));
  LineReader reader(plane, file, origin_ns, bytes, events);
  for (const XLine* part : parts) reader.Read(*part, cancellation);
  return events;
}

}  // namespace tfprof::xplane

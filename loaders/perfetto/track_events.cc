#include "loaders/perfetto/track_events.h"

#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "loaders/chrome_json/kineto/category.h"
#include "util/files/wire.h"

namespace tfprof::perfetto {
namespace {

using util::LengthTag;
using util::VarintTag;

constexpr uint32_t FixedTag(uint32_t field) { return field << 3 | 1; }

// The annotations that the export of tfprof adds, which are no arguments.
constexpr std::string_view kOwnEvent = "event";  // the name in the profile
bool IsOwnKey(std::string_view key) {
  return key == kOwnEvent || key == "node" || key == "inputs";
}

// Reads the arguments that slices have as numbers. Returns whether the slice
// now has all that the argument says: each is set once, by a plain number.
bool ReadNumber(std::string_view key, std::string_view annotation,
                const TextFinder& texts, Slice& slice) {
  const auto number = [&] { return AnnotationInteger(annotation, texts); };
  const auto small = [&](int32_t& of) {
    const std::optional<int64_t> value = number();
    const bool is_first = of < 0;
    if (!value || *value < 0 || *value > INT32_MAX) return false;
    of = static_cast<int32_t>(*value);
    return is_first && HasPlainNumber(annotation);
  };
  if (key == "device") return small(slice.device);
  if (key == "stream") {
    slice.has_stream = true;
    return small(slice.stream);
  }
  if (key == "correlation") {
    const bool is_first = slice.correlation == 0;
    slice.correlation = number().value_or(0);
    return is_first && slice.correlation > 0 && HasPlainNumber(annotation);
  }
  if (key == "Input Dims" || key == "Sequence number") slice.has_shapes = true;
  return false;
}

void ReadFacts(std::string_view annotation, const TextFinder& texts,
               bool is_own, Slice& slice) {
  // Names and texts that are lost are counted when the arguments are written.
  const TextFinder silent = {.texts = texts.texts};
  const std::string_view key = AnnotationKey(annotation, silent);
  if (is_own && IsOwnKey(key)) {
    if (key == kOwnEvent) slice.name = AnnotationText(annotation, silent);
    return;
  }
  slice.has_annotations = true;
  slice.is_whole = slice.is_whole && IsWhole(annotation, texts.texts);
  if (kineto::ReadsArgument(key)) {
    slice.has_facts = true;
    slice.has_more_facts |= !ReadNumber(key, annotation, silent, slice);
  } else if (key == "cuda_sync_kind") {
    slice.is_wait = true;
  } else if (key == "Python id") {
    slice.is_python = true;
  } else if (key == "External id") {
    slice.is_operator = true;
  }
}

template <typename Function>
void ForEachFixed64(std::string_view packed, const Function& visit) {
  for (; packed.size() >= 8; packed.remove_prefix(8)) {
    uint64_t value = 0;
    std::memcpy(&value, packed.data(), 8);
    visit(value);
  }
}

// Appends the flows of a field, and returns false if the field is none.
bool ReadFlows(const util::WireReader& r, std::vector<uint64_t>& flows) {
  switch (r.tag()) {
    case VarintTag(36):
    case VarintTag(42):
    case FixedTag(47):
    case FixedTag(48):
      flows.push_back(r.value());
      return true;
    case LengthTag(47):
    case LengthTag(48): {
      ForEachFixed64(r.view(), [&](uint64_t id) { flows.push_back(id); });
      return true;
    }
    case LengthTag(3000): {
      util::WireReader work(r.view());
      std::vector<int64_t> ids;
      while (work.Next()) {
        if (work.number() == 1) util::AppendInts(work, ids);
      }
      for (const int64_t id : ids) {
        flows.push_back(FlowOfWork(static_cast<uint64_t>(id)));
      }
      return true;
    }
    default:
      return false;
  }
}

std::string_view FirstCategory(const util::WireReader& r,
                               const TextFinder& texts,
                               std::string_view event) {
  std::vector<int64_t> ids;
  if (!util::AppendInts(r, ids) || ids.empty()) return {};
  return texts.Get(TextTable::kCategories, static_cast<uint64_t>(ids[0]),
                   event);
}

}  // namespace

TrackEvent ReadTrackEvent(std::string_view bytes, const TextFinder& texts,
                          bool is_own, std::vector<uint64_t>& flows) {
  TrackEvent event;
  std::string_view name;
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case VarintTag(3):
        if (event.category.empty()) {
          event.category = texts.Get(TextTable::kCategories, r.value(), bytes);
        }
        break;
      case LengthTag(3):
        if (event.category.empty()) {
          event.category = FirstCategory(r, texts, bytes);
        }
        break;
      case LengthTag(22):
        if (event.category.empty()) event.category = r.view();
        break;
      case VarintTag(9):
        event.unknown_type = r.value() > 4;
        if (r.value() <= 4) event.type = static_cast<EventType>(r.value());
        break;
      case VarintTag(10):
        if (name.empty()) name = texts.Get(TextTable::kNames, r.value(), bytes);
        break;
      case LengthTag(23):
        name = r.view();
        break;
      case VarintTag(11):
        event.track = r.value();
        event.has_track = true;
        break;
      case LengthTag(4):
        ReadFacts(r.view(), texts, is_own, event.slice);
        break;
      case LengthTag(6):
        event.is_legacy = true;
        break;
      case VarintTag(30):
        event.value = static_cast<double>(r.int64());
        event.has_value = true;
        break;
      case FixedTag(44):
        event.value = std::bit_cast<double>(r.value());
        event.has_value = true;
        break;
      default:
        event.has_extra_counters |= r.number() == 12 || r.number() == 46;
        ReadFlows(r, flows);
        break;
    }
  }
  if (event.slice.name.empty()) event.slice.name = name;
  event.damaged = r.damaged();
  return event;
}

void ReadExtraCounters(std::string_view bytes, ExtraCounters& extra) {
  // Tracks replace those of the defaults.
  ExtraCounters read;
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.number()) {
      case 31:
        util::AppendInts(r, read.tracks);
        break;
      case 12:
        util::AppendInts(r, read.values);
        break;
      case 45:
        util::AppendInts(r, read.double_tracks);
        break;
      case 46: {
        const auto add = [&](uint64_t bits) {
          read.doubles.push_back(std::bit_cast<double>(bits));
        };
        if (r.tag() == FixedTag(46)) add(r.value());
        if (r.tag() == LengthTag(46)) ForEachFixed64(r.view(), add);
        break;
      }
      default:
        break;
    }
  }
  if (!read.tracks.empty()) extra.tracks = std::move(read.tracks);
  if (!read.double_tracks.empty()) {
    extra.double_tracks = std::move(read.double_tracks);
  }
  extra.values = std::move(read.values);
  extra.doubles = std::move(read.doubles);
}

void AppendAnnotations(std::string_view bytes, const TextFinder& texts,
                       bool is_own, bool only_facts, std::string& json) {
  const TextFinder silent = {.texts = texts.texts};
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() != LengthTag(4)) continue;
    if (is_own || only_facts) {
      const std::string_view key = AnnotationKey(r.view(), silent);
      if (is_own && IsOwnKey(key)) continue;
      if (only_facts && !kineto::ReadsArgument(key)) continue;
    }
    AppendAnnotation(r.view(), texts, json);
  }
}

}  // namespace tfprof::perfetto

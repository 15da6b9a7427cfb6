// Track events: slices, instants and counter values that programs record
// (TrackEvent).
//
// Begins and ends are separate packets; pairing is in slice_pairs.h. What the
// annotations of a slice tell about it is read at once; the rest of them stays
// in the bytes (Record). Views are into the bytes of the trace.
//
// Source: perfetto/trace/track_event/track_event.proto; field 3000 is of the
// encoder of torch 2.15.

#ifndef TFPROF_LOADERS_PERFETTO_TRACK_EVENTS_H_
#define TFPROF_LOADERS_PERFETTO_TRACK_EVENTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/perfetto/annotations.h"
#include "loaders/perfetto/trace_tables.h"

namespace tfprof::perfetto {

enum class EventType { kNone = 0, kBegin, kEnd, kInstant, kCounter };

struct TrackEvent {
  EventType type = EventType::kNone;
  bool unknown_type = false;
  bool damaged = false;
  bool has_track = false;
  bool has_value = false;
  bool has_extra_counters = false;
  bool is_legacy = false;  // its content is a LegacyEvent
  uint64_t track = 0;
  double value = 0;
  std::string_view category;
  // name, correlation, device and bits; flows are appended to a list.
  Slice slice;
};

// Reads an event. Appends its flows to `flows`. `is_own`: as in TraceState.
TrackEvent ReadTrackEvent(std::string_view bytes, const TextFinder& texts,
                          bool is_own, std::vector<uint64_t>& flows);

// Values of counters that an event has beside its own content. Of both types,
// value i is of track i.
struct ExtraCounters {
  std::vector<int64_t> tracks, double_tracks;  // uuids
  std::vector<int64_t> values;
  std::vector<double> doubles;
};

// Reads the tracks from an event or from the defaults of events, which have the
// same fields, and the values from an event. What is absent stays.
void ReadExtraCounters(std::string_view bytes, ExtraCounters& extra);

// Appends the annotations of an event to a JSON object that is open; with
// `only_facts`, those that kineto::ReadsArgument() accepts.
void AppendAnnotations(std::string_view bytes, const TextFinder& texts,
                       bool is_own, bool only_facts, std::string& json);

// Work of a GPU and its launch share a flow whose id has a mark.
inline uint64_t FlowOfWork(uint64_t work) {
  return work ^ (uint64_t{0x5ab} << 52);
}

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_TRACK_EVENTS_H_

// The tables of a Perfetto trace: slices, counters and tracks.
//
// Packets depend on the packets before them of their sequence. All that needs
// this order is resolved in the tables, except annotations, which stay in the
// bytes of the trace and are decoded when they are asked for (records.h). Times
// are nanoseconds of the trace's clock. Names are views into the bytes of the
// trace, which TraceState owns. Indices have 32 bits: a trace has at most
// kMaxSlices slices.

#ifndef TFPROF_LOADERS_PERFETTO_TRACE_TABLES_H_
#define TFPROF_LOADERS_PERFETTO_TRACE_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/core/input_file.h"
#include "loaders/perfetto/texts.h"

namespace tfprof::perfetto {

inline constexpr uint32_t kNoIndex = UINT32_MAX;
inline constexpr uint32_t kEndBit = uint32_t{1} << 31;
inline constexpr uint32_t kMaxSlices = kEndBit - 1;

struct UnpackedPackets {
  std::string bytes;
  size_t offset = 0;  // of the packed ones in the file
};

// What outlives the load: the bytes, and the texts that were sent by number.
struct TraceState {
  std::shared_ptr<const loaders::InputFile> file;
  std::deque<UnpackedPackets> unpacked;
  std::deque<Texts> texts;
  // tfprof wrote the file: its categories are kinds of lanes.
  bool is_own = false;
};

// The bytes of an event, and the texts it uses.
struct Record {
  const char* data = nullptr;
  uint32_t size = 0;
  uint32_t texts : 31 = 0;   // in TraceState::texts
  uint32_t is_work : 1 = 0;  // a GpuRenderStageEvent, not a TrackEvent

  std::string_view bytes() const { return {data, size}; }
};
inline constexpr uint32_t kMaxTexts = (uint32_t{1} << 31) - 1;

// Work of a GPU is complete; other slices get their duration from their end.
struct Slice {
  int64_t time = 0;
  int64_t duration = -1;  // -1: unknown
  std::string_view name;
  Record record;
  int64_t correlation = 0;  // 0: none
  uint32_t track = 0;       // in TraceTables::tracks
  uint32_t category = 0;    // in TraceTables::categories
  int32_t device = -1;      // of the annotations; -1: none
  int32_t stream = -1;      // the same
  uint32_t first_flow = 0;  // in TraceTables::flows
  uint32_t num_flows = 0;
  bool is_instant : 1 = false;
  bool has_stream : 1 = false;
  bool has_annotations : 1 = false;
  bool is_whole : 1 = true;    // nothing of its annotations is lost
  bool has_facts : 1 = false;  // has arguments of kineto::ReadsArgument()
  // Has others than `correlation`, `device` and `stream` have.
  bool has_more_facts : 1 = false;
  bool is_wait : 1 = false;      // has the kind of a synchronization
  bool is_python : 1 = false;    // has the number of a Python function
  bool is_operator : 1 = false;  // has the number of an operator
  bool has_shapes : 1 = false;   // has shapes, or a sequence number
};

// A begin or an end, to be paired with the other one of its track.
struct Mark {
  int64_t time = 0;
  uint32_t track = 0;
  // A begin: its slice. An end: its number in TraceTables::ends, and kEndBit.
  uint32_t of = 0;
};

struct CounterValue {
  int64_t time = 0;
  double value = 0;
  std::string_view name;
  uint32_t track = 0;
  bool in_bytes = false;
};

struct Track {
  uint64_t uuid = 0;
  uint64_t parent = 0;  // uuid; 0: none
  std::string_view name;
  std::string_view process_name;
  std::string_view thread_name;
  int64_t pid = -1;
  int64_t tid = -1;
  bool is_described = false;
  bool is_process = false;
  bool is_thread = false;
  // Of counters: a value is added to the one before, in these units.
  bool is_incremental = false;
  bool in_bytes = false;
  int64_t unit = 1;
  double sum = 0;
};

struct TraceTables {
  std::shared_ptr<TraceState> state;
  std::vector<Slice> slices;  // in the order of the file
  std::vector<Mark> marks;
  std::vector<const char*> ends;  // their events
  std::vector<CounterValue> counters;
  std::vector<uint64_t> flows;
  std::vector<std::string_view> categories;
  std::vector<Track> tracks;
  absl::flat_hash_map<uint64_t, uint32_t> track_of;              // by uuid
  absl::flat_hash_map<int64_t, std::string_view> process_names;  // by pid

  // Returns the row of a track, which is added if it is new.
  uint32_t TrackOf(uint64_t uuid) {
    if (uuid == last_uuid && !tracks.empty()) return last_track;
    const auto [it, added] =
        track_of.try_emplace(uuid, static_cast<uint32_t>(tracks.size()));
    if (added) tracks.push_back({.uuid = uuid});
    last_uuid = uuid;
    return last_track = it->second;
  }

  uint64_t last_uuid = 0;
  uint32_t last_track = 0;
};

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_TRACE_TABLES_H_

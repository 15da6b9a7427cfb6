#include "loaders/perfetto/tracks.h"

#include <algorithm>
#include <cstdint>

#include "util/files/wire.h"

namespace tfprof::perfetto {
namespace {

using util::LengthTag;
using util::VarintTag;

bool ReadTrackProcess(std::string_view bytes, Track& track) {
  track.is_process = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == VarintTag(1)) track.pid = r.int32();
    if (r.tag() == LengthTag(6)) track.process_name = r.view();
  }
  return !r.damaged();
}

bool ReadTrackThread(std::string_view bytes, Track& track) {
  track.is_thread = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == VarintTag(1)) track.pid = r.int32();
    if (r.tag() == VarintTag(2)) track.tid = r.int64();
    if (r.tag() == LengthTag(5)) track.thread_name = r.view();
  }
  return !r.damaged();
}

bool ReadTrackCounter(std::string_view bytes, Track& track) {
  util::WireReader r(bytes);
  while (r.Next()) {
    // Counters of threads that have a type need no name.
    if (r.tag() == VarintTag(1) && track.name.empty()) {
      if (r.value() == 1) track.name = "thread time";
      if (r.value() == 2) track.name = "thread instructions";
    }
    if (r.tag() == VarintTag(3)) track.in_bytes |= r.value() == 3;
    if (r.tag() == LengthTag(6)) {
      track.in_bytes |= r.view() == "bytes" || r.view() == "B";
    }
    if (r.tag() == VarintTag(4)) track.unit = std::max<int64_t>(1, r.int64());
    if (r.tag() == VarintTag(5)) track.is_incremental = r.value() != 0;
  }
  return !r.damaged();
}

}  // namespace

bool ReadTrackDescriptor(std::string_view bytes, TraceTables& tables) {
  Track track = {.is_described = true};
  bool whole = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case VarintTag(1):
        track.uuid = r.value();
        break;
      case VarintTag(5):
        track.parent = r.value();
        break;
      case LengthTag(2):
      case LengthTag(10):
        track.name = r.view();
        break;
      case LengthTag(3):
        whole &= ReadTrackProcess(r.view(), track);
        break;
      case LengthTag(4):
        whole &= ReadTrackThread(r.view(), track);
        break;
      case LengthTag(8):
        whole &= ReadTrackCounter(r.view(), track);
        break;
      default:
        break;
    }
  }
  tables.tracks[tables.TrackOf(track.uuid)] = track;
  return whole && !r.damaged();
}

bool ReadProcessTree(std::string_view bytes, TraceTables& tables) {
  bool whole = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() != LengthTag(1)) continue;
    int64_t pid = -1;
    std::string_view name;
    util::WireReader process(r.view());
    while (process.Next()) {
      if (process.tag() == VarintTag(1)) pid = process.int32();
      // The first word of the command line.
      if (process.tag() == LengthTag(3) && name.empty()) name = process.view();
    }
    whole &= !process.damaged();
    if (pid >= 0 && !name.empty()) tables.process_names[pid] = name;
  }
  return whole && !r.damaged();
}

bool ReadProcessName(std::string_view bytes, TraceTables& tables) {
  int64_t pid = -1;
  std::string_view name;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == VarintTag(1)) pid = r.int32();
    if (r.tag() == LengthTag(6)) name = r.view();
  }
  if (pid >= 0 && !name.empty()) tables.process_names[pid] = name;
  return !r.damaged();
}

}  // namespace tfprof::perfetto

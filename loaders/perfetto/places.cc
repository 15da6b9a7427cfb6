#include "loaders/perfetto/places.h"

#include <fmt/format.h>

#include "util/text/decimal.h"

namespace tfprof::perfetto {

const Track* Places::Find(uint64_t uuid) const {
  const auto it = tables_.track_of.find(uuid);
  if (it == tables_.track_of.end()) return nullptr;
  const Track& track = tables_.tracks[it->second];
  return track.is_described ? &track : nullptr;
}

const Place& Places::Of(uint32_t track) {
  std::unique_ptr<Place>& known = places_[track];
  if (known != nullptr) return *known;
  known = std::make_unique<Place>();
  Place& place = *known;
  place.root = track;
  const uint64_t uuid = tables_.tracks[track].uuid;
  uint64_t thread_track = uuid;
  int64_t pid = -1, tid = -1;
  std::string_view device;
  const Track* of = Find(uuid);
  for (int depth = 0; depth < kMaxParents && of != nullptr; ++depth) {
    place.root = static_cast<uint32_t>(of - tables_.tracks.data());
    const std::string_view name =
        !of->thread_name.empty() ? of->thread_name : of->name;
    if (of->is_thread && tid < 0) {
      tid = of->tid;
      thread_track = of->uuid;
      place.thread = name;
    } else if (place.thread.empty() && !of->is_process) {
      place.thread = name;
    } else if (tid < 0 && !of->is_process && name == place.thread) {
      thread_track = of->uuid;  // a further row of the same lane
    }
    if (depth == 1) device = name;
    if (pid < 0) pid = of->pid;
    if (of->is_process) {
      place.process = !of->process_name.empty() ? of->process_name : of->name;
    }
    of = of->parent == 0 ? nullptr : Find(of->parent);
  }
  if (place.process.empty()) {
    const auto name = tables_.process_names.find(pid);
    if (name != tables_.process_names.end()) place.process = name->second;
  }
  if (tables_.state->is_own) SetOwn(device, thread_track, place);
  place.pid = fmt::format("{}", pid < 0 ? 0 : pid);
  if (place.tid.empty()) {
    place.tid =
        tid >= 0 ? fmt::format("{}", tid) : fmt::format("{}", thread_track);
  }
  return place;
}

// Lanes of one thread are several tracks, whose names have an end.
void Places::SetOwn(std::string_view device, uint64_t track, Place& place) {
  const size_t colon = device.rfind(':');
  if (colon != device.npos && !device.starts_with("cpu")) {
    place.device = util::ParseDecimal(device.substr(colon + 1)).value_or(-1);
  }
  std::string_view name = place.thread;
  if (const size_t row = name.rfind(" (");
      row != name.npos && name.ends_with(')') &&
      util::ParseDecimal(name.substr(row + 2, name.size() - row - 3))) {
    name = name.substr(0, row);
  }
  for (const std::string_view end : {" copies", " communication", " ranges",
                                     " launches", " Python", " waits"}) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  }
  const auto [it, added] = own_threads_.try_emplace(
      fmt::format("{}/{}/{}", place.root, device, name), track);
  place.thread = std::string(name);
  place.tid = fmt::format("{}", it->second);
}

}  // namespace tfprof::perfetto

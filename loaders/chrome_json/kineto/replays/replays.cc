#include "loaders/chrome_json/kineto/replays/replays.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "util/text/ascii.h"

namespace tfprof::kineto {
namespace {

constexpr size_t kNone = ~size_t{0};

// Returns the file whose captures serve a step of this batch (-1: there is no
// step) with as many replays; kNone if none does.
size_t ChooseFile(std::span<const CaptureFile* const> files, int64_t batch,
                  size_t replays) {
  if (files.size() == 1 && files[0]->batch < 0) return 0;
  if (batch < 0) return kNone;
  size_t best = kNone;
  for (size_t i = 0; i < files.size(); ++i) {
    const CaptureFile& file = *files[i];
    if (file.batch < batch) continue;
    if (best == kNone || file.batch < files[best]->batch) {
      best = i;
      continue;
    }
    // A batch may have a graph in one piece and one in several.
    const auto fits = [&](const CaptureFile& f) {
      return (f.captures.size() == 1) == (replays == 1);
    };
    if (file.batch == files[best]->batch && !fits(*files[best]) && fits(file)) {
      best = i;
    }
  }
  return best;
}

// Returns the number of the stream of each lane. A stream has several lanes,
// one for each kind of its events.
std::vector<uint32_t> StreamsOfLanes(const KinetoEvents& events) {
  absl::flat_hash_map<std::pair<int64_t, int64_t>, uint32_t> numbers;
  std::vector<uint32_t> streams;
  for (const DeviceLane& lane : events.device_lanes) {
    const auto number = static_cast<uint32_t>(numbers.size());
    streams.push_back(
        numbers.try_emplace({lane.device, lane.stream}, number).first->second);
  }
  return streams;
}

}  // namespace

bool IsGraphLaunch(std::string_view call) {
  return util::LowerCase(call).find("graphlaunch") != std::string::npos;
}

std::vector<Replay> FindReplays(const KinetoEvents& events,
                                const profile::StringPool& strings,
                                std::span<const uint32_t> launch,
                                std::span<const uint32_t> launches) {
  absl::flat_hash_map<profile::StringId, bool> is_graph;  // by name
  std::vector<Replay> replays;
  for (const uint32_t e : launches) {
    const profile::StringId name = events.host[e].name;
    const auto [it, added] = is_graph.try_emplace(name, false);
    if (added) it->second = IsGraphLaunch(strings.Get(name));
    if (it->second) replays.push_back({.launch = e, .kernels = {}});
  }
  std::sort(replays.begin(), replays.end(),
            [&](const Replay& a, const Replay& b) {
              const int64_t x = events.host[a.launch].start;
              const int64_t y = events.host[b.launch].start;
              return x != y ? x < y : a.launch < b.launch;
            });
  if (replays.empty()) return replays;
  absl::flat_hash_map<uint32_t, size_t> of_launch;
  for (size_t i = 0; i < replays.size(); ++i) of_launch[replays[i].launch] = i;
  for (uint32_t d = 0; d < launch.size(); ++d) {
    const profile::LaneKind kind =
        events.device_lanes[events.device[d].lane].kind;
    if (kind == profile::LaneKind::kAnnotation ||
        kind == profile::LaneKind::kOther) {
      continue;
    }
    const auto found = of_launch.find(launch[d]);
    if (found != of_launch.end()) replays[found->second].kernels.push_back(d);
  }
  for (Replay& replay : replays) {
    std::stable_sort(replay.kernels.begin(), replay.kernels.end(),
                     [&](uint32_t a, uint32_t b) {
                       return events.device[a].start < events.device[b].start;
                     });
  }
  return replays;
}

std::vector<KernelSource> FindSources(const KinetoEvents& events,
                                      const KinetoSteps& steps,
                                      const std::vector<Replay>& replays,
                                      std::span<const CaptureFile* const> files,
                                      const WorkKinds& kinds) {
  std::vector<KernelSource> sources(events.device.size());
  const bool has_steps = steps.of_engine();
  // The replays of each step, in the order of time.
  std::map<size_t, std::vector<const Replay*>> of_step;
  for (const Replay& replay : replays) {
    const HostEvent& call = events.host[replay.launch];
    of_step[has_steps ? steps.Around(call.start, call.end()) : 0].push_back(
        &replay);
  }
  const std::vector<uint32_t> stream = StreamsOfLanes(events);
  for (const auto& [step, of_one] : of_step) {
    if (has_steps && step == KinetoSteps::kNowhere) continue;
    const int64_t batch = has_steps ? steps.rows()[step].engine.batch : -1;
    const size_t chosen = ChooseFile(files, batch, of_one.size());
    if (chosen == kNone) continue;
    const CaptureFile& file = *files[chosen];
    if (file.captures.size() != 1 && file.captures.size() != of_one.size()) {
      continue;
    }
    for (size_t i = 0; i < of_one.size(); ++i) {
      const size_t capture = file.captures.size() == 1 ? 0 : i;
      std::vector<ReplayedKernel> kernels;
      for (const uint32_t d : of_one[i]->kernels) {
        const DeviceEvent& event = events.device[d];
        kernels.push_back(
            {event.name, kinds.OfKernel(event.name), stream[event.lane]});
      }
      const std::vector<uint32_t> calls =
          PairReplay(file.captures[capture].work, kernels);
      for (size_t k = 0; k < calls.size(); ++k) {
        sources[of_one[i]->kernels[k]] = {static_cast<uint32_t>(chosen),
                                          static_cast<uint32_t>(capture),
                                          calls[k]};
      }
    }
  }
  return sources;
}

}  // namespace tfprof::kineto

#include "loaders/gpu_trace/rank_traces.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "fmt/format.h"

namespace tfprof::gpu_trace {
namespace {

// The processes that communicate; none if some of them share a device, because
// it would count as several devices.
std::set<int64_t> RanksOf(const GpuTrace& trace) {
  std::set<int64_t> ranks;
  for (const WorkLane& lane : trace.lanes) {
    if (lane.kind == profile::LaneKind::kCommunication && lane.process >= 0) {
      ranks.insert(lane.process);
    }
  }
  std::map<int64_t, int64_t> user;  // by device
  for (const WorkLane& lane : trace.lanes) {
    if (user.try_emplace(lane.device, lane.process).first->second !=
        lane.process) {
      return {};
    }
  }
  return ranks;
}

std::vector<GpuTrace> Split(GpuTrace trace, const std::set<int64_t>& ranks,
                            const std::string& prefix) {
  std::vector<GpuTrace> parts(ranks.size());
  size_t next = 0;
  for (const int64_t rank : ranks) {
    GpuTrace& part = parts[next++];
    part.file = trace.file;
    // Nsight adds numbers of the machine in front of that of the process.
    constexpr int64_t kPidBits = 0xFFFFFF;
    part.label = fmt::format("{}process {}", prefix, rank & kPidBits);
    part.process = rank;
    part.clock = trace.clock;
    part.sample_period = trace.sample_period;
    part.models = trace.models;
    part.labels = trace.labels;
  }
  parts.front().counters = std::move(trace.counters);
  const auto part_of = [&](int64_t process) {
    const auto after = ranks.upper_bound(process);
    return after == ranks.begin()
               ? size_t{0}
               : static_cast<size_t>(std::distance(ranks.begin(), after)) - 1;
  };
  // Of each thread and lane of the trace: its part, and its number there.
  using Place = std::pair<size_t, uint32_t>;
  std::vector<Place> threads, lanes, events;
  for (const HostThread& thread : trace.threads) {
    const size_t part = part_of(thread.process);
    const uint32_t number = parts[part].Thread(thread.process, thread.thread);
    parts[part].threads[number].name = thread.name;
    threads.emplace_back(part, number);
  }
  for (const WorkLane& lane : trace.lanes) {
    const size_t part = part_of(lane.process);
    lanes.emplace_back(part, parts[part].Lane(lane));
  }
  events.reserve(trace.host.size());
  for (HostEvent event : trace.host) {
    const auto [part, thread] = threads[event.thread];
    GpuTrace& to = parts[part];
    event.thread = thread;
    if (event.has_own_text) event.text = to.texts.Add(trace.texts[event.text]);
    events.emplace_back(part, static_cast<uint32_t>(to.host.size()));
    to.host.push_back(event);
  }
  for (Work work : trace.work) {
    const auto [part, lane] = lanes[work.lane];
    work.lane = lane;
    if (work.launch != profile::kNone) {
      const auto [launcher, launch] = events[work.launch];
      work.launch = launcher == part ? launch : profile::kNone;
    }
    parts[part].work.push_back(work);
  }
  for (CpuSample sample : trace.samples) {
    const auto [part, thread] = threads[sample.thread];
    sample.thread = thread;
    parts[part].samples.push_back(sample);
  }
  return parts;
}

}  // namespace

std::vector<GpuTrace> SplitRanks(std::vector<GpuTrace> traces) {
  std::vector<GpuTrace> result;
  const bool alone = traces.size() == 1;
  for (GpuTrace& trace : traces) {
    const std::set<int64_t> ranks = RanksOf(trace);
    if (ranks.size() < 2 || !trace.steps.empty()) {
      result.push_back(std::move(trace));
      continue;
    }
    const std::string prefix = alone ? "" : NameOf(trace) + ' ';
    std::ranges::move(Split(std::move(trace), ranks, prefix),
                      std::back_inserter(result));
  }
  return result;
}

}  // namespace tfprof::gpu_trace

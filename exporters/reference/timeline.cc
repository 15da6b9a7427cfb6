#include "exporters/reference/timeline.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "accounting/counted_memory.h"
#include "exporters/reference/device_memory.h"
#include "exporters/reference/lists_by_key.h"
#include "exporters/reference/trace_writer.h"
#include "fmt/format.h"
#include "timeline/first_fit.h"
#include "util/arithmetic.h"
#include "util/json/json_string.h"

namespace tfprof::exporters {
namespace {

constexpr double kMega = 1000000.0;

class GraphTimeline {
 public:
  GraphTimeline(const views::Report& report, const profile::Step& step)
      : report_(report),
        profile_(*report.profile),
        nodes_(profile_.nodes()),
        step_(step) {
    const profile::DeviceTable& devices = profile_.devices();
    by_rank_.resize(devices.size());
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
    std::sort(by_rank_.begin(), by_rank_.end(),
              [&](profile::DeviceId a, profile::DeviceId b) {
                return devices.name(a) < devices.name(b);
              });
    rank_.resize(devices.size());
    for (uint32_t r = 0; r < by_rank_.size(); ++r) rank_[by_rank_[r]] = r;
    pid_.assign(devices.size(), profile::kNone);
  }

  void Write(TraceWriter& writer, TimelineResult& result) {
    for (size_t i = 1; i < report_.rows.size() && writer.wanted(); ++i) {
      const profile::NodeId n = report_.rows[i].node;
      const uint32_t group = TrackedGroup(n);
      if (group == profile::kNone) continue;
      AddMemory(n, group);
      AddTimeNodes(n, group, writer);
    }
    SortTimeNodes();
    AllocateLanes();
    for (const TimeNode& node : time_nodes_) {
      ++result.executions;
      result.micros = util::SaturatingAdd(result.micros, node.duration);
    }
    CountAll(result);
    // There are about as many arrows as regions, and none for a single device.
    const bool arrows = !time_nodes_.empty() &&
                        time_nodes_.front().rank != time_nodes_.back().rank;
    const size_t count = by_lane_.size();
    const size_t all = arrows ? 2 * count : count;
    for (size_t i = 0; i < count; ++i) {
      if (!writer.wanted()) return;
      writer.Reached(i, all);
      const TimeNode& node = time_nodes_[by_lane_[i]];
      const std::string_view name = profile_.node_name(node.node);
      writer.Region(name,
                    fmt::format(R"({{"name":{}}})", util::JsonString(name)),
                    pid_[node.rank], node.lane, node.start, node.duration);
    }
    const uint32_t first_memory_pid = num_pids_;
    for (const auto& [rank, memory] : memory_) {
      const std::string name = fmt::format(
          "mem usage on:{}", profile_.devices().name(by_rank_[rank]));
      writer.ProcessName(name, num_pids_++);
      writer.ProcessName(name + " allocations", num_pids_++);
    }
    WriteFlows(arrows, writer);
    uint32_t pid = first_memory_pid;
    for (auto& [rank, memory] : memory_) {
      const int64_t peak = memory.Write(profile_, pid, writer);
      pid += 2;
      const profile::DeviceId device = by_rank_[rank];
      if (!profile_.devices()[device].on_gpu) continue;
      result.peak_lines.push_back(fmt::format(
          "{} peak memory: {:.2f} MB\n", profile_.devices().name(device),
          static_cast<double>(peak) / kMega));
    }
  }

 private:
  // An execution of a shown node.
  struct TimeNode {
    int64_t start;
    int64_t duration;
    profile::NodeId node;
    uint32_t rank;  // of the device
    uint32_t lane;
  };

  // The group of a node that ran in the step on a known device at a known time;
  // kNone for other nodes.
  uint32_t TrackedGroup(profile::NodeId n) const {
    if (n == profile::kNone || nodes_.device[n] == profile::kNone)
      return profile::kNone;
    const uint32_t group = step_.FindGroup(n);
    return group != profile::kNone && step_.HasSpan(group) ? group
                                                           : profile::kNone;
  }

  // Calls visit(execution, device) for each accounted execution.
  template <typename Visit>
  void ForExecutions(uint32_t group, Visit visit) const {
    for (size_t e = step_.exec_begin(group); e < step_.exec_end(group); ++e) {
      if (!step_.HasStart(e)) continue;
      visit(e, profile_.device_of(step_.LaneOf(e)));
    }
  }

  bool IsCpuTime(profile::DeviceId device) const {
    const profile::Device& d = profile_.devices()[device];
    return d.canonical && !d.accelerator_stream;
  }

  bool HasTimeline(profile::DeviceId device) const {
    return IsCpuTime(device) || profile_.devices()[device].accelerator_stream;
  }

  void CountAll(TimelineResult& result) const {
    for (uint32_t group = 0; group < step_.num_groups(); ++group) {
      if (TrackedGroup(static_cast<profile::NodeId>(step_.node[group])) ==
          profile::kNone) {
        continue;
      }
      ForExecutions(group, [&](size_t e, profile::DeviceId device) {
        if (!HasTimeline(device)) return;
        ++result.all_executions;
        result.all_micros = util::SaturatingAdd(result.all_micros,
                                                step_.exec_duration.Micros(e));
      });
    }
  }

  void AddTimeNodes(profile::NodeId n, uint32_t group, TraceWriter& writer) {
    const size_t first = time_nodes_.size();
    ForExecutions(group, [&](size_t e, profile::DeviceId device) {
      if (!HasTimeline(device)) return;
      time_nodes_.push_back({step_.exec_start.Micros(e),
                             step_.exec_duration.Micros(e), n, rank_[device],
                             0});
    });
    const auto begin = time_nodes_.begin() + static_cast<ptrdiff_t>(first);
    std::stable_sort(
        begin, time_nodes_.end(),
        [](const TimeNode& a, const TimeNode& b) { return a.rank < b.rank; });
    for (auto it = begin; it != time_nodes_.end(); ++it) {
      if (pid_[it->rank] != profile::kNone) continue;
      pid_[it->rank] = num_pids_++;
      const std::string_view device =
          profile_.devices().name(by_rank_[it->rank]);
      const bool executes = device.find("stream") != device.npos;
      writer.ProcessName(
          fmt::format("Op {} threads: {}",
                      executes ? "execution" : "scheduling", device),
          pid_[it->rank]);
    }
  }

  // Sorts by device and start; of several with equal keys, the first stays.
  void SortTimeNodes() {
    std::stable_sort(time_nodes_.begin(), time_nodes_.end(), Before);
    const auto same = [](const TimeNode& a, const TimeNode& b) {
      return a.rank == b.rank && a.start == b.start;
    };
    time_nodes_.erase(std::unique(time_nodes_.begin(), time_nodes_.end(), same),
                      time_nodes_.end());
  }

  static bool Before(const TimeNode& a, const TimeNode& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.start < b.start;
  }

  void AllocateLanes() {
    std::optional<timeline::FirstFit> lanes;
    for (size_t t = 0; t < time_nodes_.size(); ++t) {
      TimeNode& node = time_nodes_[t];
      if (t == 0 || time_nodes_[t - 1].rank != node.rank) {
        lanes.emplace(timeline::FirstFit::Fit::kTouching,
                      std::numeric_limits<int64_t>::min());
      }
      node.lane =
          lanes->Place(node.start, util::WrapAdd(node.start, node.duration));
    }
    by_lane_.resize(time_nodes_.size());
    std::iota(by_lane_.begin(), by_lane_.end(), 0);
    std::stable_sort(by_lane_.begin(), by_lane_.end(),
                     [&](uint32_t a, uint32_t b) {
                       const TimeNode& x = time_nodes_[a];
                       const TimeNode& y = time_nodes_[b];
                       return std::pair(pid_[x.rank], x.lane) <
                              std::pair(pid_[y.rank], y.lane);
                     });
  }

  // Writes arrows from a source's execution to each execution of its consumer
  // on another device. The reference draws all pairs, a million for a loop of a
  // thousand iterations, so they are found while they are written.
  void WriteFlows(bool arrows, TraceWriter& writer) {
    const auto count = static_cast<uint32_t>(time_nodes_.size());
    // Shown executions by node.
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (uint32_t t = 0; t < count; ++t) {
      if (IsCpuTime(by_rank_[time_nodes_[t].rank])) {
        pairs.push_back({time_nodes_[t].node, t});
      }
    }
    const ListsByKey<uint32_t> executions(nodes_.size(), pairs);

    // Consumers by source, once per input.
    pairs.clear();
    for (profile::NodeId n = 0; n < nodes_.size(); ++n) {
      if (executions[n].empty()) continue;
      for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1];
           ++e) {
        const profile::NodeId source = nodes_.Source(n, e);
        if (source != profile::kNone &&
            report_.tree->accounted[source + 1] != 0) {
          pairs.push_back({source, n});
        }
      }
    }
    const ListsByKey<profile::NodeId> consumers(nodes_.size(), pairs);

    // Sources by the time node of their execution, which may belong to another
    // node if two nodes start at the same time.
    pairs.clear();
    for (profile::NodeId source = 0; source < nodes_.size(); ++source) {
      if (consumers[source].empty()) continue;
      const uint32_t group = TrackedGroup(source);
      if (group == profile::kNone) continue;
      ForExecutions(group, [&](size_t e, profile::DeviceId device) {
        if (!IsCpuTime(device)) return;
        const TimeNode key = {step_.exec_start.Micros(e), 0, 0, rank_[device],
                              0};
        const auto it = std::lower_bound(time_nodes_.begin(), time_nodes_.end(),
                                         key, Before);
        if (it == time_nodes_.end() || Before(key, *it)) return;
        pairs.push_back(
            {static_cast<uint32_t>(it - time_nodes_.begin()), source});
      });
    }
    const ListsByKey<profile::NodeId> sources(count, pairs);
    pairs = {};

    int64_t id = 1;
    std::vector<uint32_t> heads;
    for (size_t i = 0; i < count; ++i) {
      if (!writer.wanted()) return;
      if (arrows) writer.Reached(count + i, 2 * count);
      const uint32_t t = by_lane_[i];
      const TimeNode& from = time_nodes_[t];
      heads.clear();
      for (const profile::NodeId source : sources[t]) {
        for (const profile::NodeId consumer : consumers[source]) {
          for (const uint32_t head : executions[consumer]) {
            if (time_nodes_[head].rank != from.rank) heads.push_back(head);
          }
        }
      }
      if (heads.empty()) continue;
      std::sort(heads.begin(), heads.end());
      const std::string name = util::JsonString(
          fmt::format("{}_flow", profile_.node_name(from.node)));
      const int64_t end = util::WrapAdd(from.start, from.duration);
      for (const uint32_t head : heads) {
        const TimeNode& to = time_nodes_[head];
        writer.Flow('s', id, name, pid_[from.rank], from.lane, end);
        writer.Flow('t', id, name, pid_[to.rank], to.lane, to.start);
        ++id;
      }
    }
  }

  void AddMemory(profile::NodeId n, uint32_t group) {
    const profile::DeviceId canonical = nodes_.device[n];
    if (profile_.devices()[canonical].on_cpu) return;
    DeviceMemory& memory = memory_[rank_[canonical]];
    const profile::ExecutionDetail detail =
        accounting::CountedMemory(profile_, step_, group);
    int64_t persistent = PersistentBytes(detail);
    for (const auto& step : profile_.steps()) {
      if (step.get() == &step_) continue;
      const uint32_t other = step->FindGroup(n);
      if (other == profile::kNone) continue;
      persistent = std::max(
          persistent,
          PersistentBytes(accounting::CountedMemory(profile_, *step, other)));
    }
    memory.AddNode(n, detail.allocations, persistent);
    for (const profile::MemoryDetail& m : detail.memory) {
      if (m.micros > 0) memory.AddPoint(m.micros, m.allocator_bytes_in_use);
    }
  }

  // The result is not negative, because the reference's maximum over steps
  // starts at 0.
  static int64_t PersistentBytes(const profile::ExecutionDetail& detail) {
    int64_t sum = 0;
    for (const profile::MemoryDetail& m : detail.memory) {
      sum = util::WrapAdd(sum, m.accelerator_persistent_bytes);
    }
    return std::max<int64_t>(sum, 0);
  }

  const views::Report& report_;
  const profile::Profile& profile_;
  const profile::NodeTable& nodes_;
  const profile::Step& step_;
  // Devices in ascending order of their names.
  std::vector<profile::DeviceId> by_rank_;
  std::vector<uint32_t> rank_;
  std::vector<uint32_t> pid_;  // by rank; kNone: no process yet
  uint32_t num_pids_ = 0;
  std::vector<TimeNode> time_nodes_;         // by device, then start
  std::vector<uint32_t> by_lane_;            // by process, lane and start
  std::map<uint32_t, DeviceMemory> memory_;  // by rank
};

}  // namespace

TimelineResult WriteGraphTimeline(const views::Report& report, int64_t step_id,
                                  util::Sink& sink) {
  TimelineResult result;
  TraceWriter writer(sink);
  const profile::Step* step = report.profile->FindStep(step_id);
  if (step != nullptr) GraphTimeline(report, *step).Write(writer, result);
  result.over_200mb = writer.Finish();
  return result;
}

TimelineResult WriteNestedTimeline(const views::Report& report,
                                   util::Sink& sink) {
  TraceWriter writer(sink);
  // The start of the next bar of each level. The first bar starts with its
  // parent.
  std::vector<int64_t> next = {0};
  uint32_t levels = 0;
  // Nothing is drawn below a row without time.
  constexpr uint32_t kDrawAll = std::numeric_limits<uint32_t>::max();
  uint32_t hidden_depth = kDrawAll;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    if (!writer.wanted()) break;
    writer.Reached(i, report.rows.size());
    const views::Report::Row& row = report.rows[i];
    if (row.depth > hidden_depth) continue;
    const int64_t micros =
        report.profile->Micros(row.total[accounting::kMicros]);
    const bool hidden = row.depth > 0 && micros <= 0;
    hidden_depth = hidden ? row.depth : kDrawAll;
    if (hidden) continue;
    if (row.depth == levels) {
      writer.ProcessName(fmt::format("Scope:{}", row.depth), row.depth);
      ++levels;
      next.push_back(0);
    }
    const int64_t start = next[row.depth];
    next[row.depth] = util::WrapAdd(start, micros);
    next[row.depth + 1] = start;
    const std::string name = util::JsonString(row.name);
    writer.Region(row.name, fmt::format(R"({{"name":{0},"op":{0}}})", name),
                  row.depth, 0, start, micros);
  }
  TimelineResult result;
  result.over_200mb = writer.Finish();
  return result;
}

}  // namespace tfprof::exporters

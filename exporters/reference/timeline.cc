#include "exporters/reference/timeline.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "accounting/counted_memory.h"
#include "exporters/reference/lists_by_key.h"
#include "fmt/format.h"
#include "timeline/first_fit.h"
#include "util/arithmetic.h"
#include "util/json/json_string.h"

namespace tfprof::exporters {
namespace {

// The largest file that Chrome can open, according to the reference.
constexpr size_t kMaxTraceBytes = 200 * 1024 * 1024;
constexpr size_t kBufferBytes = 64 * 1024;
// Memory points that are closer together are skipped.
constexpr int64_t kPointGapMicros = 100;
constexpr int kMaxTopAllocations = 10;
constexpr double kMega = 1000000.0;

// Writes the list of events, which is the whole file.
class TraceWriter {
 public:
  explicit TraceWriter(util::Sink& sink) : sink_(sink) {
    buffer_ = R"({"traceEvents":[)";
  }

  bool wanted() const { return sink_.wanted(); }

  void ProcessName(std::string_view name, int64_t pid) {
    Add(R"({{"args":{{"name":{}}},"name":"process_name","ph":"M","pid":{}}})",
        util::JsonString(name), pid);
  }

  // `args` is JSON.
  void Region(std::string_view name, std::string_view args, int64_t pid,
              int64_t tid, int64_t start, int64_t duration) {
    Add(R"({{"args":{},"cat":"Op","dur":{},"name":{},"ph":"X","pid":{},)"
        R"("tid":{},"ts":{}}})",
        args, duration, util::JsonString(name), pid, tid, start);
  }

  // Writes one end of an arrow; `phase` is 's' at its start, 't' at its head.
  void Flow(char phase, int64_t id, std::string_view json_name, int64_t pid,
            int64_t tid, int64_t time) {
    Add(R"({{"cat":"DataFlow","id":{},"name":{},"ph":"{}","pid":{},)"
        R"("tid":{},"ts":{}}})",
        id, json_name, phase, pid, tid, time);
  }

  // `args` is JSON.
  void MemoryCounter(std::string_view name, std::string_view args, int64_t pid,
                     int64_t time) {
    Add(R"({{"args":{},"cat":"Memory","name":"{}","ph":"C","pid":{},)"
        R"("tid":0,"ts":{}}})",
        args, name, pid, time);
  }

  // Sets the share of the work that the events so far represent.
  void Reached(size_t done, size_t all) {
    done_ = done;
    all_ = all;
  }

  // Ends the file. Returns true if it is larger than kMaxTraceBytes.
  bool Finish() {
    buffer_ += "]}\n";
    Flush();
    return bytes_ > kMaxTraceBytes;
  }

 private:
  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    if (!first_) buffer_.push_back(',');
    first_ = false;
    fmt::format_to(std::back_inserter(buffer_), format,
                   std::forward<Args>(args)...);
    if (buffer_.size() >= kBufferBytes) Flush();
  }

  void Flush() {
    bytes_ += buffer_.size();
    sink_.Write(buffer_);
    sink_.Reached(static_cast<double>(done_) / static_cast<double>(all_));
    buffer_.clear();
  }

  util::Sink& sink_;
  std::string buffer_;
  size_t bytes_ = 0;
  size_t done_ = 0, all_ = 1;
  bool first_ = true;
};

// The memory of one device over time.
class DeviceMemory {
 public:
  // Adds the bytes in use of the device's allocator. For equal times, the last
  // call counts.
  void AddPoint(int64_t time, int64_t bytes) {
    points_.push_back({time, bytes});
  }

  // Adds the bytes of a node: allocations, and bytes held from the beginning.
  void AddNode(profile::NodeId node,
               const std::vector<profile::Allocation>& allocations,
               int64_t persistent_bytes) {
    std::map<int64_t, int64_t> changes = {{0, persistent_bytes}};
    for (const profile::Allocation& a : allocations) {
      int64_t& change = changes[a.micros];
      change = util::WrapAdd(change, a.bytes);
    }
    const auto index = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(node);
    // The first value applies from the beginning, whatever its time.
    held_.push_back(changes.begin()->second);
    int64_t held = held_.back();
    for (auto it = std::next(changes.begin()); it != changes.end(); ++it) {
      held = util::WrapAdd(held, it->second);
      updates_.push_back({it->first, held, index});
    }
  }

  // Writes the counters; returns the largest number of bytes in use.
  int64_t Write(const profile::Profile& profile, int64_t pid,
                TraceWriter& writer) {
    SortNodesByName(profile);
    const auto by_time = [](const auto& a, const auto& b) {
      return a.time < b.time;
    };
    std::stable_sort(points_.begin(), points_.end(), by_time);
    std::stable_sort(updates_.begin(), updates_.end(), by_time);
    std::set<Holding> holdings;
    for (uint32_t n = 0; n < held_.size(); ++n) Hold(n, held_[n], holdings);

    int64_t peak = 0;
    int64_t last_time = 0;
    size_t next_update = 0;
    for (size_t i = 0; i < points_.size(); ++i) {
      const auto& [time, bytes] = points_[i];
      if (i + 1 < points_.size() && points_[i + 1].time == time) continue;
      peak = std::max(peak, bytes);
      if (util::WrapSub(time, last_time) < kPointGapMicros) continue;
      last_time = time;
      for (; next_update < updates_.size() && updates_[next_update].time < time;
           ++next_update) {
        const Update& update = updates_[next_update];
        holdings.erase({held_[update.node], rank_[update.node]});
        Hold(update.node, update.held, holdings);
      }
      writer.MemoryCounter(
          "Allocated Bytes",
          fmt::format(R"({{"Allocator Bytes in Use":{}}})", bytes), pid, time);
      writer.MemoryCounter("Top Allocations",
                           TopAllocations(profile, holdings, bytes), pid + 1,
                           time);
    }
    return peak;
  }

 private:
  struct Point {
    int64_t time;
    int64_t bytes;
  };
  struct Update {
    int64_t time;
    int64_t held;  // from then on
    uint32_t node;
  };
  // In display order: most bytes first, then by name.
  struct Holding {
    int64_t bytes;
    uint32_t rank;
    friend bool operator<(const Holding& a, const Holding& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.rank < b.rank;
    }
  };

  void SortNodesByName(const profile::Profile& profile) {
    by_rank_.resize(nodes_.size());
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
    std::sort(by_rank_.begin(), by_rank_.end(), [&](uint32_t a, uint32_t b) {
      return profile.node_name(nodes_[a]) < profile.node_name(nodes_[b]);
    });
    rank_.resize(nodes_.size());
    for (uint32_t r = 0; r < by_rank_.size(); ++r) rank_[by_rank_[r]] = r;
  }

  void Hold(uint32_t node, int64_t bytes, std::set<Holding>& holdings) {
    held_[node] = bytes;
    if (bytes > 0) holdings.insert({bytes, rank_[node]});
  }

  // The largest holders first; a holder is listed only if it fits into the rest
  // of `bytes` after the ones before it.
  std::string TopAllocations(const profile::Profile& profile,
                             const std::set<Holding>& holdings,
                             int64_t bytes) const {
    // The first one has number 00, and only the others are preset.
    std::array<std::string, kMaxTopAllocations> top;
    for (int i = 1; i < kMaxTopAllocations; ++i) top[i] = "N/A";
    int count = 0;
    for (auto it = holdings.lower_bound({bytes, 0});
         it != holdings.end() && count < kMaxTopAllocations; ++count) {
      top[count] =
          fmt::format("{:g} MB from {}", static_cast<double>(it->bytes) / kMega,
                      profile.node_name(nodes_[by_rank_[it->rank]]));
      const Holding taken = *it++;
      bytes -= taken.bytes;
      if (bytes < taken.bytes) it = holdings.lower_bound({bytes, 0});
    }
    std::string args = fmt::format(R"({{"Not Displayed":"{:.2f} MB")",
                                   static_cast<double>(bytes) / kMega);
    for (int i = count > 0 ? 0 : 1; i < kMaxTopAllocations; ++i) {
      fmt::format_to(std::back_inserter(args), R"(,"Top Allocation {:02}":)",
                     i);
      util::AppendJsonString(top[i], &args);
    }
    args.push_back('}');
    return args;
  }

  std::vector<Point> points_;
  std::vector<Update> updates_;
  // By the local number of the node.
  std::vector<profile::NodeId> nodes_;
  std::vector<int64_t> held_;
  std::vector<uint32_t> rank_;  // of the name
  std::vector<uint32_t> by_rank_;
};

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

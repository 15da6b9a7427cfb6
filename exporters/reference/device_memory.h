// The memory of one device over time in the reference's timeline: what its
// allocator has in use, and which nodes hold most. Times are microseconds.

#ifndef TFPROF_EXPORTERS_REFERENCE_DEVICE_MEMORY_H_
#define TFPROF_EXPORTERS_REFERENCE_DEVICE_MEMORY_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "exporters/reference/trace_writer.h"
#include "fmt/format.h"
#include "profile/profile.h"
#include "util/arithmetic.h"
#include "util/json/json_string.h"

namespace tfprof::exporters {

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
  // Points that are closer together are skipped.
  static constexpr int64_t kPointGapMicros = 100;
  static constexpr int kMaxTopAllocations = 10;
  static constexpr double kMega = 1000000.0;

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

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_DEVICE_MEMORY_H_

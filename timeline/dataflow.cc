#include "timeline/dataflow.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "timeline/tracks.h"

namespace tfprof::timeline {
namespace {

class Finder {
 public:
  Finder(const profile::Profile& profile, size_t place)
      : profile_(profile), step_(*profile.steps()[place]), place_(place) {}

  std::vector<profile::Link> Find() {
    for (size_t g = 0; g < step_.num_groups(); ++g) {
      on_host_.push_back(Executions(g, Part::kHost));
    }
    for (size_t g = 0; g < step_.num_groups(); ++g) FindOfGroup(g);
    return std::move(links_);
  }

 private:
  enum class Part { kHost, kKernels };

  // Returns a group's executions on lanes of the host, or on lanes of kernels
  // and copies, sorted by end.
  std::vector<TrackEvent> Executions(size_t group, Part part) const {
    std::vector<TrackEvent> events;
    for (size_t e = step_.exec_begin(group); e < step_.exec_end(group); ++e) {
      const profile::LaneId lane = step_.LaneOf(e);
      if (lane == profile::kNone || !step_.HasStart(e)) continue;
      const profile::LaneKind kind = profile_.lanes()[lane].kind;
      // A call waits for the previous call of its thread, not for its inputs.
      if (profile_.lanes()[lane].calls_nest) continue;
      const bool on_host = kind == profile::LaneKind::kCompute ||
                           kind == profile::LaneKind::kLaunches;
      const bool is_kernel = kind == profile::LaneKind::kKernels ||
                             kind == profile::LaneKind::kCopies;
      if (part == Part::kHost ? !on_host : !is_kernel) continue;
      events.push_back(EventOf(profile_, place_, e));
    }
    std::sort(events.begin(), events.end(),
              [](const TrackEvent& a, const TrackEvent& b) {
                return a.end != b.end ? a.end < b.end : a.record < b.record;
              });
    return events;
  }

  void FindOfGroup(size_t group) {
    const profile::NodeTable& nodes = profile_.nodes();
    const auto n = static_cast<profile::NodeId>(step_.node[group]);
    std::vector<TrackEvent> readers = on_host_[group];
    if (readers.empty()) return;
    for (uint32_t e = nodes.edge_begin[n]; e < nodes.edge_begin[n + 1]; ++e) {
      const profile::NodeId source = nodes.Source(n, e);
      const uint32_t from =
          source == profile::kNone ? profile::kNone : step_.FindGroup(source);
      if (from == profile::kNone || from == group) continue;
      const std::vector<TrackEvent>& made = on_host_[from];
      for (const TrackEvent& reader : readers) {
        // Finds the first execution that ended after the reader began.
        const auto after = std::partition_point(
            made.begin(), made.end(),
            [&](const TrackEvent& event) { return event.end <= reader.start; });
        if (after != made.begin())
          Add(*(after - 1), reader, profile::LinkKind::kData);
      }
    }
    std::sort(readers.begin(), readers.end(),
              [](const TrackEvent& a, const TrackEvent& b) {
                return a.start != b.start ? a.start < b.start
                                          : a.record < b.record;
              });
    for (const TrackEvent& kernel : Executions(group, Part::kKernels)) {
      const auto after = std::partition_point(
          readers.begin(), readers.end(),
          [&](const TrackEvent& event) { return event.start <= kernel.start; });
      if (after != readers.begin()) {
        Add(*(after - 1), kernel, profile::LinkKind::kLaunch);
      }
    }
  }

  void Add(const TrackEvent& from, const TrackEvent& to,
           profile::LinkKind kind) {
    links_.push_back({{step_.id, from.record}, {step_.id, to.record}, kind});
  }

  const profile::Profile& profile_;
  const profile::Step& step_;
  const size_t place_;
  std::vector<std::vector<TrackEvent>> on_host_;  // indexed by group
  std::vector<profile::Link> links_;
};

}  // namespace

std::vector<profile::Link> DataflowOf(const profile::Profile& profile,
                                      size_t step) {
  if (profile.links().size() > 0) return {};
  return Finder(profile, step).Find();
}

}  // namespace tfprof::timeline

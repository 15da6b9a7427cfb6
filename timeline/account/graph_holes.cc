#include "timeline/account/graph_holes.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "absl/hash/hash.h"
#include "profile/profile.h"
#include "timeline/intervals.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

// Nodes follow each other after some microseconds.
constexpr int64_t kHole = 100;  // microseconds
// So many different graphs must have holes.
constexpr size_t kGraphs = 3;

constexpr std::string_view kGraphLaunches[] = {
    "cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"};

std::string_view NameOf(const profile::Profile& profile,
                        const DeviceLaunch& launch) {
  const profile::Step& step = *profile.steps()[launch.step];
  if (launch.record >= step.num_executions()) {
    return profile.strings().Get(step.OutsideName(launch.record));
  }
  size_t first = 0, end = step.num_groups();
  while (first + 1 < end) {
    const size_t middle = first + (end - first) / 2;
    (step.exec_begin(middle) <= launch.record ? first : end) = middle;
  }
  return profile.strings().Get(
      profile.nodes().op[static_cast<profile::NodeId>(step.node[first])]);
}

// A launch of a graph, while its runs are read in the order of their starts.
struct Launch {
  bool graph = false;
  bool has_hole = false;
  size_t signature = 0;
  int64_t end = 0;  // of its last run
};

}  // namespace

GraphHoles::GraphHoles(const Activities& activities,
                       const DeviceActivity& device) {
  if (std::ranges::none_of(device.launches, [](const DeviceLaunch& launch) {
        return launch.num_runs > 1;
      })) {
    return;
  }
  const profile::Profile& profile = activities.profile();
  std::vector<Launch> launches(device.launches.size());
  for (size_t l = 0; l < launches.size(); ++l) {
    const std::string_view name = NameOf(profile, device.launches[l]);
    launches[l].graph = std::ranges::any_of(
        kGraphLaunches,
        [name](std::string_view prefix) { return name.starts_with(prefix); });
  }
  Overlap busy(device.busy);
  const int64_t hole = util::SaturatingMul(kHole, profile.ticks_per_micro());
  for (const DeviceRun& run : device.runs) {
    if (run.launch == profile::kNone || !launches[run.launch].graph) continue;
    Launch& launch = launches[run.launch];
    if (launch.signature != 0 && run.start - launch.end >= hole &&
        run.start - launch.end - busy.Length(launch.end, run.start) >= hole) {
      launch.has_hole = true;
    }
    launch.signature = absl::HashOf(launch.signature, activities.Name(run)) | 1;
    launch.end = std::max(launch.end, run.end);
  }
  struct Graph {
    size_t launches = 0;
    size_t with_holes = 0;
  };
  std::map<size_t, Graph> graphs;  // by signature
  for (const Launch& launch : launches) {
    if (!launch.graph) continue;
    Graph& graph = graphs[launch.signature];
    ++graph.launches;
    graph.with_holes += launch.has_hole;
  }
  const auto with_holes = std::ranges::count_if(graphs, [](const auto& of) {
    return of.second.with_holes * 2 > of.second.launches;
  });
  if (static_cast<size_t>(with_holes) < kGraphs) return;
  before_.assign(device.runs.size(), false);
  std::map<std::pair<bool, int64_t>, bool> last;  // by stream, whether a graph
  for (size_t r = 0; r < device.runs.size(); ++r) {
    const DeviceRun& run = device.runs[r];
    const profile::Lane& lane = profile.lanes()[run.lane];
    const bool graph =
        run.launch != profile::kNone && launches[run.launch].graph;
    const bool numbered = lane.is_one_stream();
    bool& before = last[{numbered, numbered ? lane.stream : int64_t{run.lane}}];
    before_[r] = graph || before;
    before = graph;
  }
}

}  // namespace tfprof::timeline

#include "timeline/account/graph_holes.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "timeline/calls_testing.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;

class GraphHolesTest : public testing::Test {
 protected:
  // A launch of a graph with two kernels, and the time between them.
  void Graph(std::string_view kernel, int64_t start, int64_t gap) {
    const int launch = model_.Call("cudaGraphLaunch", start, 5);
    for (const int64_t at : {start + 10, start + 20 + gap}) {
      model_.trace.Add(
          {.name = std::string(kernel),
           .node = model_.trace.Op(kernel),
           .lane = model_.trace.Stream(0, 7, profile::LaneKind::kKernels),
           .start = at,
           .duration = 10,
           .launch = launch});
    }
  }
  std::vector<bool> Before() {
    const profile::Profile profile = std::move(model_.trace).Build();
    Activities activities(profile);
    const auto activity = activities.Everything();
    const DeviceActivity& device = activity->devices[0];
    const GraphHoles holes(activities, device);
    std::vector<bool> before;
    for (size_t r = 0; r < device.runs.size(); ++r) {
      before.push_back(holes.Before(r));
    }
    return before;
  }

  CallsModel model_;
};

TEST_F(GraphHolesTest, NodesOfSeveralGraphsAreMissing) {
  Graph("a", 0, 500);
  Graph("b", 1000, 500);
  Graph("c", 2000, 500);
  // After a graph, its missing work may go on; after another kernel, not.
  model_.Kernel("aten::mm", 4000, 10, model_.Launch(3000));
  model_.Kernel("aten::mm", 5000, 10, model_.Launch(4500));
  EXPECT_THAT(Before(),
              ElementsAre(true, true, true, true, true, true, true, false));
}

// A graph may have a node that waits for the host.
TEST_F(GraphHolesTest, HolesOfOneGraphProveNothing) {
  for (int64_t i = 0; i < 5; ++i) Graph("a", 1000 * i, 500);
  Graph("b", 5000, 500);
  EXPECT_THAT(Before(), testing::Each(false));
}

TEST_F(GraphHolesTest, NodesOfHealthyGraphsFollowEachOther) {
  Graph("a", 0, 2);
  Graph("b", 1000, 2);
  Graph("c", 2000, 2);
  Graph("d", 3000, 90);
  EXPECT_THAT(Before(), testing::Each(false));
}

// Most launches of a graph must have the hole.
TEST_F(GraphHolesTest, ARareHoleProvesNothing) {
  for (const std::string_view kernel : {"a", "b", "c"}) {
    const int64_t start = 10'000 * (kernel[0] - 'a');
    Graph(kernel, start, 500);
    Graph(kernel, start + 2000, 2);
  }
  EXPECT_THAT(Before(), testing::Each(false));
}

// Another stream works in the meantime.
TEST_F(GraphHolesTest, WorkOfAnotherStreamIsNoHole) {
  Graph("a", 0, 500);
  Graph("b", 1000, 500);
  Graph("c", 2000, 500);
  model_.Kernel("aten::mm", 0, 3000, -1, 8);
  EXPECT_THAT(Before(), testing::Each(false));
}

}  // namespace
}  // namespace tfprof::timeline

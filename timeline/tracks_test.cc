#include "timeline/tracks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/dataflow.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns a text such as "gpu:0 stream 7: 10-20 30-40" for each track.
std::vector<std::string> Texts(const profile::Profile& profile) {
  const Tracks tracks(profile, {0});
  std::vector<std::string> texts;
  for (const EventTrack& track : tracks.all()) {
    std::string text = track.device + " " + track.name + ":";
    for (const TrackEvent& event : tracks.Events(track)) {
      text +=
          " " + std::to_string(event.start) + "-" + std::to_string(event.end);
      EXPECT_EQ(&tracks.all()[tracks.TrackOf(0, event.record)], &track);
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(TracksTest, CallsAreInsideEachOther) {
  TraceModel model;
  const profile::LaneId ops = model.Ops();
  for (const auto& [start, end] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 100}, {10, 20}, {20, 100}, {90, 120}, {100, 110}}) {
    model.Add(
        {.name = "x", .lane = ops, .start = start, .duration = end - start});
  }
  EXPECT_THAT(Texts(std::move(model).Build()),
              ElementsAre("cpu:0 ops: 0-100 10-20 20-100 100-110",
                          "cpu:0 ops (2): 90-120"));
}

TEST(TracksTest, TheHostComesBeforeTheDevice) {
  TraceModel model;
  const profile::LaneId gpu = model.Stream(0, 7, profile::LaneKind::kKernels);
  model.Add({.name = "k", .lane = gpu, .start = 5, .duration = 1});
  model.Add({.name = "l", .lane = model.Launches(), .start = 1, .duration = 1});
  model.Add({.name = "o", .lane = model.Ops(), .start = 1, .duration = 1});
  model.Add({.name = "c",
             .lane = model.Stream(0, 7, profile::LaneKind::kCopies),
             .start = 9,
             .duration = 1});
  EXPECT_THAT(Texts(std::move(model).Build()),
              ElementsAre("gpu:0 stream 7: 5-6", "gpu:0 stream 7 copies: 9-10",
                          "cpu:0 ops: 1-2", "cpu:0 launches: 1-2"));
}

TEST(TracksTest, ManyThatOverlap) {
  TraceModel model;
  for (int i = 0; i < 100; ++i) {
    model.Add({.name = "x", .lane = model.Ops(), .start = i, .duration = 1000});
  }
  const profile::Profile profile = std::move(model).Build();
  const Tracks tracks(profile, {0});
  EXPECT_EQ(tracks.all().size(), 100u);
  EXPECT_EQ(tracks.num_events(), 100);
}

TEST(TracksTest, AnEndBeyondAllTime) {
  TraceModel model;
  model.Add(
      {.name = "x", .lane = model.Ops(), .start = 5, .duration = INT64_MAX});
  model.Add({.name = "y", .lane = model.Ops(), .start = 9, .duration = -4});
  EXPECT_THAT(Texts(std::move(model).Build()),
              ElementsAre("cpu:0 ops: 5-9223372036854775807 9-9"));
}

class TaskTracksTest : public tensorflow::ProfileTest {
 protected:
  static constexpr char kTask[] = "/job:localhost/replica:0/task:0";
  void Outside(const std::string& name, const std::string& device,
               int64_t start, int64_t micros) {
    profile::GraphTables& graph = builder_.mutable_graph();
    builder_.AddStep(0);
    builder_.AddOutside(
        0, {.name = graph.strings.Intern(name),
            .lane = tensorflow::LaneOfOutside(
                name, tensorflow::DeviceLane(device, graph), graph),
            .start = start,
            .duration = micros});
  }
};

TEST_F(TaskTracksTest, OpsOfAPoolAreApartAndTransfersToo) {
  const std::string cpu = std::string(kTask) + "/device:CPU:0";
  RanOn(Node("a", "Op"), cpu, 100, 10);
  RanOn(Node("b", "Op"), cpu, 105, 2);
  Outside("RecvTensor", cpu, 101, 50);
  EXPECT_THAT(Texts(Build()),
              ElementsAre("cpu:0 ops: 100-110", "cpu:0 ops (2): 105-107",
                          "cpu:0 transfers: 101-151"));
}

TEST_F(TaskTracksTest, EachKernelOnce) {
  const profile::NodeId b = Node("b", "Op");
  RanOn(b, std::string(kTask) + "/device:GPU:0", 90, 2);
  RanOn(b, "/device:GPU:0/stream:all", 105, 10);
  RanOn(b, "/device:GPU:0/stream:7", 105, 10);
  const profile::Profile profile = Build();
  const Tracks tracks(profile, {0});
  EXPECT_EQ(tracks.repeated(), 1);
  EXPECT_EQ(tracks.num_events(), 2);
}

TEST_F(TaskTracksTest, DataflowGoesToTheReaderThatWasLater) {
  const std::string cpu = std::string(kTask) + "/device:CPU:0";
  const profile::NodeId a = Node("a", "Op");
  const profile::NodeId b = Node("b", "Op");
  builder_.AddEdge(builder_.graph().nodes.name[a], 0, 0, 0);
  RanOn(a, cpu, 100, 10);
  RanOn(a, cpu, 200, 10);
  RanOn(b, cpu, 150, 10);
  RanOn(b, cpu, 205, 10);  // the second run of a has not ended
  const profile::Profile profile = Build();
  const profile::Step& step = *profile.steps()[0];
  std::vector<std::string> texts;
  for (const profile::Link& link : DataflowOf(profile, 0)) {
    texts.push_back(std::to_string(step.exec_start.Micros(link.from.index)) +
                    ">" +
                    std::to_string(step.exec_start.Micros(link.to.index)));
  }
  EXPECT_THAT(texts, ElementsAre("100>150", "100>205"));
}

TEST(DataflowTest, NoneWhereTheFileHasLinks) {
  TraceModel model;
  model.Add({.name = "x", .lane = model.Ops(), .start = 5, .duration = 1});
  EXPECT_THAT(DataflowOf(std::move(model).Build(), 0), IsEmpty());
}

}  // namespace
}  // namespace tfprof::timeline

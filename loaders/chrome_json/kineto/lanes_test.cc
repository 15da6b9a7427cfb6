#include "loaders/chrome_json/kineto/lanes.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

TEST(KinetoPlaces, RanksOfPaths) {
  EXPECT_EQ(RankOfPath("/x/rank-0.Apr_03_18_51_38.1102.pt.trace.json"), 0);
  EXPECT_EQ(RankOfPath("dlrm_rank7.json.gz"), 7);
  EXPECT_EQ(RankOfPath("trace_rank_12.json"), 12);
  EXPECT_EQ(RankOfPath("worker0.1623143089861.pt.trace.json"), 0);
  EXPECT_EQ(RankOfPath("rank3/trace.json"), -1);
  EXPECT_EQ(RankOfPath("ranking.json"), -1);
  EXPECT_EQ(RankOfPath(""), -1);
}

class KinetoPlacesTest : public ::testing::Test {
 protected:
  KinetoPlacesTest() {
    events_.threads = {{.pid = "17", .tid = "18"}, {.pid = "17", .tid = "x"}};
    events_.host = {{.start = 1}};
    events_.device_lanes = {
        {.device = 2, .stream = 7, .kind = profile::LaneKind::kKernels},
        {.device = 2, .stream = 7, .kind = profile::LaneKind::kCopies},
        {.device = 2,
         .stream = profile::Lane::kUnnumberedStream,
         .kind = profile::LaneKind::kCommunication}};
    envelope_.host = "node";
    envelope_.devices = {{2, "H100", 80}};
  }
  std::string LaneName(profile::LaneId lane) const {
    return std::string(
        builder_.graph().strings.Get(builder_.graph().lanes[lane].name));
  }

  KinetoEvents events_;
  KinetoEnvelope envelope_;
  profile::ProfileBuilder builder_;
};

TEST_F(KinetoPlacesTest, TheProcess) {
  envelope_.world_size = 8;
  const KinetoPlaces places(events_, envelope_, 3, "", 0, builder_);
  const profile::Process& process =
      builder_.graph().lanes.process(places.process());
  EXPECT_EQ(process.rank, 3);
  EXPECT_EQ(process.job_ranks, 8);
  EXPECT_EQ(process.label, "rank 3");
  EXPECT_EQ(process.host, "node");
  EXPECT_EQ(process.process_id, 17);
}

TEST_F(KinetoPlacesTest, LanesOfThreads) {
  KinetoPlaces places(events_, envelope_, -1, "", 4, builder_);
  const profile::LaneId ops = places.HostLane(0, profile::LaneKind::kCompute);
  const profile::LaneId launches =
      places.HostLane(0, profile::LaneKind::kLaunches);
  EXPECT_NE(ops, launches);
  EXPECT_EQ(places.HostLane(0, profile::LaneKind::kCompute), ops);
  EXPECT_EQ(LaneName(ops), "thread 18");
  EXPECT_EQ(LaneName(launches), "thread 18 launches");
  const profile::Lane& lane = builder_.graph().lanes[ops];
  EXPECT_EQ(lane.thread, 18);
  EXPECT_EQ(lane.clock, 4u);
  EXPECT_EQ(builder_.graph().lanes.physical(lane.physical).kind, "cpu");
  EXPECT_EQ(builder_.graph()
                .lanes[places.HostLane(1, profile::LaneKind::kCompute)]
                .thread,
            -1);
}

TEST_F(KinetoPlacesTest, LanesOfStreams) {
  KinetoPlaces places(events_, envelope_, 1, "", 0, builder_);
  const profile::LaneId kernels = places.DeviceLaneOf(0);
  EXPECT_EQ(places.DeviceLaneOf(0), kernels);
  EXPECT_EQ(LaneName(kernels), "stream 7");
  EXPECT_EQ(LaneName(places.DeviceLaneOf(1)), "stream 7 copies");
  const profile::LaneId unnumbered = places.DeviceLaneOf(2);
  EXPECT_EQ(LaneName(unnumbered), "stream communication");
  EXPECT_TRUE(builder_.graph().lanes[unnumbered].is_one_stream());
  ASSERT_EQ(builder_.graph().lanes.num_physical(), 1u);
  const profile::PhysicalDevice& device = builder_.graph().lanes.physical(0);
  EXPECT_EQ(device.label, "gpu:2");
  EXPECT_EQ(device.name, "rank 1 gpu:2");
  EXPECT_EQ(device.model, "H100");
  EXPECT_EQ(device.memory_bytes, 80);
}

}  // namespace
}  // namespace tfprof::kineto

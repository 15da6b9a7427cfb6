#include "profile/tables/lanes.h"

#include <set>
#include <string_view>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

TEST(LaneTableTest, LanesOfADevice) {
  LaneTable lanes;
  EXPECT_EQ(lanes.OfDevice(0), kNone);
  Lane of_device_5;
  of_device_5.device = 5;
  of_device_5.stream = 7;
  const LaneId first = lanes.Add(of_device_5);
  const LaneId second = lanes.Add(of_device_5);
  const LaneId without = lanes.Add({});
  EXPECT_EQ(lanes.size(), 3u);
  EXPECT_NE(first, second);
  EXPECT_EQ(lanes.OfDevice(5), first);
  EXPECT_EQ(lanes.OfDevice(4), kNone);
  EXPECT_EQ(lanes.OfDevice(kNone), kNone);
  EXPECT_TRUE(lanes[second].is_one_stream());
  EXPECT_FALSE(lanes[without].is_one_stream());
  EXPECT_EQ(lanes[without].device, kNone);
}

TEST(LaneTableTest, Processes) {
  LaneTable lanes;
  const ProcessId a = lanes.InternProcess("a");
  EXPECT_EQ(lanes.InternProcess("a"), a);
  Process rank3;
  rank3.rank = 3;
  rank3.host = "node7";
  rank3.process_id = 4711;
  rank3.name = "b";
  const ProcessId b = lanes.AddProcess(rank3);
  EXPECT_EQ(lanes.InternProcess("b"), b);
  // If several processes have the same name, the first one is found.
  EXPECT_NE(lanes.AddProcess(rank3), b);
  EXPECT_EQ(lanes.InternProcess("b"), b);
  EXPECT_EQ(lanes.num_processes(), 3u);
  EXPECT_EQ(lanes.process(b).host, "node7");
  EXPECT_EQ(lanes.process(a).rank, -1);
}

TEST(LaneTableTest, CopiesAreIndependent) {
  LaneTable lanes;
  lanes.Add({});
  LaneTable copy = lanes;
  copy.Add({});
  copy.InternProcess("p");
  EXPECT_EQ(lanes.size(), 1u);
  EXPECT_EQ(lanes.num_processes(), 0u);
  EXPECT_GT(copy.bytes(), 0u);
}

TEST(LaneKindTest, NamesAreDistinct) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(LaneKind::kLaunches); ++kind) {
    const std::string_view name = LaneKindName(static_cast<LaneKind>(kind));
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(LaneTableTest, PhysicalDevicesAreKnownByProcessAndLabel) {
  LaneTable lanes;
  const ProcessId a = lanes.InternProcess("a");
  const ProcessId b = lanes.InternProcess("b");
  const PhysicalId gpu = lanes.InternPhysical(a, "gpu:0", "/a/gpu:0");
  EXPECT_EQ(lanes.InternPhysical(a, "gpu:0", "another name"), gpu);
  EXPECT_NE(lanes.InternPhysical(b, "gpu:0", "/b/gpu:0"), gpu);
  EXPECT_NE(lanes.InternPhysical(a, "gpu:1", "/a/gpu:1"), gpu);
  EXPECT_EQ(lanes.num_physical(), 3u);
  EXPECT_EQ(lanes.physical(gpu).name, "/a/gpu:0");
  EXPECT_EQ(lanes.physical(gpu).label, "gpu:0");
  EXPECT_EQ(lanes.physical(gpu).process, a);
}

TEST(LaneTest, OnlyAnUnnumberedStreamIsAlsoOneStream) {
  EXPECT_FALSE((Lane{.stream = Lane::kNoStream}).is_one_stream());
  EXPECT_TRUE((Lane{.stream = Lane::kUnnumberedStream}).is_one_stream());
  EXPECT_TRUE((Lane{.stream = 0}).is_one_stream());
}

TEST(LaneTableTest, ALaneKeepsItsAttributes) {
  LaneTable lanes;
  const LaneId id = lanes.Add({.process = 1,
                               .name = 2,
                               .kind = LaneKind::kCopies,
                               .device = 3,
                               .thread = 4,
                               .stream = 5,
                               .clock = 6});
  EXPECT_EQ(lanes[id].process, 1u);
  EXPECT_EQ(lanes[id].name, 2u);
  EXPECT_EQ(lanes[id].kind, LaneKind::kCopies);
  EXPECT_EQ(lanes[id].thread, 4);
  EXPECT_EQ(lanes[id].stream, 5);
  EXPECT_EQ(lanes[id].clock, 6u);
}

TEST(LaneTableTest, DevicesMayComeInAnyOrder) {
  LaneTable lanes;
  const LaneId of_9 = lanes.Add({.device = 9});
  const LaneId of_2 = lanes.Add({.device = 2});
  EXPECT_EQ(lanes.OfDevice(9), of_9);
  EXPECT_EQ(lanes.OfDevice(2), of_2);
  EXPECT_EQ(lanes.OfDevice(5), kNone);
  EXPECT_EQ(lanes.OfDevice(10), kNone);
}

}  // namespace
}  // namespace tfprof::profile

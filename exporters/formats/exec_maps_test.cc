#include "exporters/formats/exec_maps.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::exporters {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr ExecMap kAccelerator = ExecMap::kAccelerator;
constexpr ExecMap kCpu = ExecMap::kCpu;

// The maps of a profile that counts the times of all devices.
std::vector<ExecMap> MapsOf(const std::vector<TimedDevice>& devices,
                            int64_t accelerator_time) {
  int64_t all = 0;
  for (const TimedDevice& device : devices) all += device.time;
  return MapsOfProfile(devices, accelerator_time, all - accelerator_time);
}

TEST(ExecMapsTest, ARunCountsKernelsAndCanonicalDevices) {
  EXPECT_EQ(MapOfRun({.stream = true}), kAccelerator);
  EXPECT_EQ(MapOfRun({.canonical = true}), kCpu);
  EXPECT_EQ(MapOfRun({}), ExecMap::kOther);
}

TEST(ExecMapsTest, AProfileCountsEveryDevice) {
  const std::vector<TimedDevice> devices = {{.canonical = true, .time = 9},
                                            {.time = 5}};
  EXPECT_THAT(MapsOf(devices, 0), ElementsAre(kCpu, kCpu));
}

TEST(ExecMapsTest, TheSumSaysWhichDevicesWereAccelerators) {
  const std::vector<TimedDevice> devices = {
      {.canonical = true, .time = 9}, {.time = 5}, {.stream = true, .time = 3}};
  EXPECT_THAT(MapsOf(devices, 3), ElementsAre(kCpu, kCpu, kAccelerator));
  EXPECT_THAT(MapsOf(devices, 8),
              ElementsAre(kCpu, kAccelerator, kAccelerator));
  EXPECT_THAT(MapsOf(devices, 9), ElementsAre(kAccelerator, kCpu, kCpu));
  // No choice gives this sum.
  EXPECT_THAT(MapsOf(devices, 1), ElementsAre(kCpu, kCpu, kAccelerator));
}

TEST(ExecMapsTest, OfEqualChoicesTheUsualOneIsTaken) {
  const std::vector<TimedDevice> devices = {{.time = 4},
                                            {.stream = true, .time = 4}};
  EXPECT_THAT(MapsOf(devices, 4), ElementsAre(kCpu, kAccelerator));
  EXPECT_THAT(MapsOf(devices, 0), ElementsAre(kCpu, kCpu));
}

TEST(ExecMapsTest, WhatTheSumsDoNotCountIsOfOtherDevices) {
  const std::vector<TimedDevice> devices = {
      {.canonical = true, .time = 9}, {.time = 5}, {.stream = true, .time = 3}};
  EXPECT_THAT(MapsOfProfile(devices, 3, 9),
              ElementsAre(kCpu, ExecMap::kOther, kAccelerator));
  EXPECT_THAT(MapsOfProfile(devices, 3, 14),
              ElementsAre(kCpu, kCpu, kAccelerator));
}

TEST(ExecMapsTest, VeryManyDevicesAreWhereTensorFlowPutsThem) {
  std::vector<TimedDevice> devices(1000, {.time = 1});
  EXPECT_THAT(MapsOf(devices, 7), Each(kCpu));
  devices.assign(1000, {.stream = true, .time = 1});
  EXPECT_THAT(MapsOf(devices, 1000), Each(kAccelerator));
}

}  // namespace
}  // namespace tfprof::exporters

#include "profile/tables/device_table.h"

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

TEST(DeviceTableTest, TheFirstCallForANameSetsTheAttributes) {
  DeviceTable devices;
  const Device gpu = {.canonical = true, .on_gpu = true};
  const DeviceId a = devices.Intern("/gpu:0", gpu);
  EXPECT_EQ(devices.Intern("/gpu:0"), a);
  EXPECT_EQ(devices[a], gpu);
  // Attributes are never derived from the name.
  const DeviceId b = devices.Intern("/GPU:0");
  EXPECT_EQ(b, a + 1);
  EXPECT_EQ(devices[b], Device());
  EXPECT_EQ(devices.name(b), "/GPU:0");
  EXPECT_EQ(devices.Find("/gpu:0"), a);
  EXPECT_EQ(devices.Find("/gpu:1"), kNone);
  EXPECT_EQ(devices.size(), 2u);
}

TEST(DeviceTableTest, AttributesDoNotChangeLater) {
  DeviceTable devices;
  const DeviceId id = devices.Intern("/cpu:0", {.on_cpu = true});
  devices.Intern("/cpu:0", {.canonical = true});
  EXPECT_TRUE(devices[id].on_cpu);
  EXPECT_FALSE(devices[id].canonical);
}

TEST(DeviceTableTest, TheNamelessDeviceIsADevice) {
  DeviceTable devices;
  EXPECT_EQ(devices.Find(""), kNone);
  const DeviceId id = devices.Intern("");
  EXPECT_EQ(devices.Find(""), id);
  EXPECT_EQ(devices.name(id), "");
  EXPECT_GT(devices.bytes(), 0u);
}

}  // namespace
}  // namespace tfprof::profile

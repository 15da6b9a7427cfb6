#include "loaders/chrome_json/kineto/host/device_steps.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Three steps of 10 ns on the host. Each launches a kernel of 50 ns on one
// stream, and a copy before it on another one.
TEST(DeviceStepsTest, AreThoseOfTheDevice) {
  profile::StringPool strings;
  KinetoEvents events;
  events.device_lanes = {{.stream = 7, .kind = profile::LaneKind::kKernels},
                         {.stream = 8, .kind = profile::LaneKind::kCopies}};
  std::vector<uint32_t> launch;
  for (int64_t s = 0; s < 3; ++s) {
    events.host.push_back(
        {.start = 10 * s,
         .duration = 10,
         .name = strings.Intern("ProfilerStep#" + std::to_string(s)),
         .is_range = true});
    events.host.push_back({.start = 10 * s + 1, .duration = 1});
    launch.resize(launch.size() + 2,
                  static_cast<uint32_t>(events.host.size() - 1));
    events.device.push_back({.start = 10 * s + 2, .duration = 1, .lane = 1});
    events.device.push_back({.start = 20 + 50 * s, .duration = 50});
  }
  const KinetoSteps steps = FindSteps(events, strings);
  const std::vector<loaders::StepTime> found =
      FindDeviceSteps(events, steps, launch);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].start, 0) << "nothing ran before";
  EXPECT_EQ(found[1].start, 70);
  EXPECT_EQ(found[2].start, 120);
  EXPECT_EQ(found[2].end, 170);
  EXPECT_EQ(HostSteps(steps)[2].start, 20);
  launch.assign(launch.size(), profile::kNone);
  EXPECT_THAT(FindDeviceSteps(events, steps, launch), IsEmpty());
}

}  // namespace
}  // namespace tfprof::kineto

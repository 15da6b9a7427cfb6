#include "inspect/devices/device_labels.h"

#include <string>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile_builder.h"
#include "timeline/activity.h"
#include "views/views.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The labels of all devices of a profile with these device names.
std::vector<std::string> Labels(const std::vector<std::string>& names) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  for (const std::string& name : names) {
    tensorflow::DeviceLane(name, builder.mutable_graph());
  }
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  const timeline::Activities& activities = views.Kept<timeline::Activities>();
  std::vector<uint32_t> units;
  for (uint32_t u = 0; u < activities.units().size(); ++u) units.push_back(u);
  return DeviceLabels(activities, units);
}

TEST(DeviceLabelsTest, OneTaskNeedsNoName) {
  EXPECT_THAT(Labels({"/job:w/replica:0/task:0/device:CPU:0",
                      "/job:w/replica:0/task:0/gpu:1"}),
              ElementsAre("cpu:0", "gpu:1"));
}

TEST(DeviceLabelsTest, SeveralTasksAreNamedByJobAndNumber) {
  EXPECT_THAT(Labels({"/job:ps/replica:0/task:0/cpu:0",
                      "/job:worker/replica:0/task:1/cpu:0"}),
              ElementsAre("ps/0 cpu:0", "worker/1 cpu:0"));
}

TEST(DeviceLabelsTest, EqualLabelsBecomeNamesInFull) {
  EXPECT_THAT(
      Labels({"/job:w/replica:0/task:0/cpu:0", "/job:w/replica:1/task:0/cpu:0",
              "/job:w/replica:1/task:1/cpu:0"}),
      ElementsAre("/job:w/replica:0/task:0/cpu:0",
                  "/job:w/replica:1/task:0/cpu:0", "w/1 cpu:0"));
}

TEST(DeviceLabelsTest, WithoutDevicesThereAreNoLabels) {
  EXPECT_THAT(Labels({}), IsEmpty());
}

}  // namespace
}  // namespace tfprof::inspect

// ProfileTest: makes profiles by hand, with a device and a start for each
// execution. Shared by the tests of several folders.

#ifndef TFPROF_LOADERS_TENSORFLOW_PROFILE_TESTING_H_
#define TFPROF_LOADERS_TENSORFLOW_PROFILE_TESTING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile.h"
#include "profile/profile_builder.h"

namespace tfprof::tensorflow {

// Every node has data_format = "NHWC" or, if its offset is above 0, "NCHW".
class DataFormats : public profile::DetailReader {
 public:
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t offset) const override {
    return {{"T", std::string_view("\x30\x01", 2)},
            {"data_format", offset == 0 ? "\x12\x04NHWC" : "\x12\x04NCHW"}};
  }
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  bool record_is_group() const override { return false; }
};

class ProfileTest : public ::testing::Test {
 protected:
  ProfileTest() : input_(builder_.AddInput(std::make_shared<DataFormats>())) {}

  profile::NodeId Node(std::string_view name, std::string_view op,
                       uint64_t format = 0) {
    return builder_.AddNode(name, op, profile::MakeRecordRef(input_, format));
  }
  // Adds an execution on `device` and, for a GPU, on its streams.
  void Ran(profile::NodeId n, int64_t start, int64_t micros, int64_t step = 0,
           const std::string& device =
               "/job:localhost/replica:0/task:0/device:GPU:0") {
    for (const char* stream : {"", ":stream:all", ":stream:0"}) {
      RanOn(n, device + stream, start, micros, step);
      if (device.find("GPU") == device.npos) break;
    }
  }
  // Adds one record, only on this device.
  void RanOn(profile::NodeId n, std::string_view device, int64_t start,
             int64_t micros, int64_t step = 0) {
    const profile::LaneId lane = DeviceLane(device, builder_.mutable_graph());
    builder_.AddExecutions(
        step, {{.node = n, .lane = lane, .start = start, .duration = micros}},
        {});
  }
  // Takes the profile out of the builder.
  profile::Profile Build() {
    builder_.FinishAllSteps();
    FinishDeviceLanes(builder_.finished_steps(), builder_.mutable_graph());
    return std::move(builder_).Build();
  }

  profile::ProfileBuilder builder_ =
      profile::ProfileBuilder(accounting::TfprofRules());
  uint32_t input_;
};

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_TESTING_H_

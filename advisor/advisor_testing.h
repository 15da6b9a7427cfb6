// What the tests of checkers share: profiles made by hand, with a device and
// a start for each execution, the bundled ones, and running one checker.

#ifndef TFPROF_ADVISOR_ADVISOR_TESTING_H_
#define TFPROF_ADVISOR_ADVISOR_TESTING_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/load.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile_builder.h"

namespace tfprof {

// Every node has data_format = "NHWC" or, above offset 0, "NCHW".
class DataFormats : public DetailReader {
 public:
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t offset) const override {
    return {{"T", std::string_view("\x30\x01", 2)},
            {"data_format", offset == 0 ? "\x12\x04NHWC" : "\x12\x04NCHW"}};
  }
  ExecutionDetail Execution(uint64_t, bool) const override { return {}; }
  bool record_is_group() const override { return false; }
};

class AdvisorTest : public ::testing::Test {
 protected:
  AdvisorTest() : input_(builder_.AddInput(std::make_shared<DataFormats>())) {}

  NodeId Node(std::string_view name, std::string_view op, uint64_t format = 0) {
    return builder_.AddNode(name, op, MakeRecordRef(input_, format));
  }
  // Ran on `device` and, for a GPU, on its streams.
  void Ran(NodeId n, int64_t start, int64_t micros, int64_t step = 0,
           const std::string& device =
               "/job:localhost/replica:0/task:0/device:GPU:0") {
    for (const char* stream : {"", ":stream:all", ":stream:0"}) {
      RanOn(n, device + stream, start, micros, step);
      if (device.find("GPU") == device.npos) break;
    }
  }
  // One record, on exactly this device.
  void RanOn(NodeId n, std::string_view device, int64_t start, int64_t micros,
             int64_t step = 0) {
    const LaneId lane = DeviceLane(device, builder_.mutable_graph());
    builder_.AddExecutions(
        step, {{.node = n, .lane = lane, .start = start, .duration = micros}},
        {});
  }
  // Each takes what was built.
  Profile Build() { return std::move(builder_).Build(); }
  // The texts of the findings of one checker, or of the reference's.
  std::vector<std::string> Check(
      std::string_view name = "",
      const std::map<std::string, double>& set = {}) {
    return CheckProfile(Build(), name, set);
  }
  // The same of a bundled profile: files of tests/golden/profiles.
  std::vector<std::string> CheckFiles(const std::vector<std::string>& files,
                                      std::string_view name) {
    LoadRequest request;
    for (const std::string& file : files) {
      request.files.push_back("tests/golden/profiles/" + file);
    }
    absl::StatusOr<Loaded> loaded = Load(request);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    if (!loaded.ok()) return {};
    return CheckProfile(loaded->profile, name);
  }

  std::vector<std::string> CheckProfile(
      const Profile& profile, std::string_view name,
      const std::map<std::string, double>& set = {}) {
    Views views(profile);
    std::vector<std::string> texts;
    for (const Checker* checker : Checkers()) {
      if (name.empty() ? !checker->reference : checker->name != name) continue;
      CheckResult result =
          checker->check(views, CheckerSettings(checker->options, set));
      for (Finding& f : result.findings) {
        texts.push_back(f.text);
        findings_.push_back(std::move(f));
      }
      notes_.insert(notes_.end(), result.notes.begin(), result.notes.end());
    }
    return texts;
  }

  ProfileBuilder builder_ = ProfileBuilder(TfprofRules());
  uint32_t input_;
  // Of all checks so far.
  std::vector<Finding> findings_;
  std::vector<std::string> notes_;
};

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_ADVISOR_TESTING_H_

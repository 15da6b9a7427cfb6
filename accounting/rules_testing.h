// One node and the lanes on which it may run, for tests of accounting rules.

#ifndef TFPROF_ACCOUNTING_RULES_TESTING_H_
#define TFPROF_ACCOUNTING_RULES_TESTING_H_

#include <cstdint>
#include <string_view>

#include "accounting/tfprof_rules.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::accounting {

class RulesTest : public ::testing::Test {
 protected:
  RulesTest() {
    n_ = builder_.AddNode("n", "Conv2D", profile::kNoRecord);
    gpu_ = AddLane("/job:w/device:gpu:0", {.canonical = true, .on_gpu = true});
    gpu1_ = AddLane("/job:w/device:gpu:1", {.canonical = true, .on_gpu = true});
    stream_ = AddLane("/job:w/device:gpu:0/stream:all",
                      {.accelerator_stream = true, .on_gpu = true});
    stream16_ = AddLane("/job:w/device:gpu:0/stream:16", {.on_gpu = true});
    host_ = AddLane("/host:cpu", {.on_cpu = true});
  }

  profile::LaneId AddLane(std::string_view name,
                          const profile::Device& device) {
    profile::GraphTables& graph = builder_.mutable_graph();
    profile::Lane lane;
    lane.device = graph.devices.Intern(name, device);
    return graph.lanes.Add(lane);
  }
  profile::DeviceId DeviceOf(profile::LaneId lane) const {
    return builder_.graph().lanes[lane].device;
  }

  profile::ExecutionRecord Ran(profile::LaneId lane, int64_t start,
                               int64_t duration, int64_t bytes = 0) const {
    return {.node = n_,
            .lane = lane,
            .start = start,
            .duration = duration,
            .requested_bytes = bytes,
            .peak_bytes = bytes,
            .residual_bytes = bytes,
            .output_bytes = bytes};
  }

  profile::ProfileBuilder builder_ = profile::ProfileBuilder(TfprofRules());
  profile::NodeId n_;
  profile::LaneId gpu_, gpu1_, stream_, stream16_, host_;
};

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_RULES_TESTING_H_

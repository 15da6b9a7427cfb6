#include "advisor/checkers/health/health_testing.h"
#include "loaders/tensorflow/device_names.h"

namespace tfprof::advisor {
namespace {

using HealthMemoryTest = HealthTest;

TEST_F(HealthMemoryTest, WithoutStepsNothingIsJudged) {
  Node("a", "Op");
  EXPECT_EQ(Verdict("MemoryChecker"), "");
}

TEST_F(HealthMemoryTest, NoBytesAreAWarning) {
  RanOn(Node("a", "Op"), kCpuA, 10, 5);
  EXPECT_EQ(Verdict("MemoryChecker"),
            "warn: 0 of 1 records of a node in a step have bytes");
}

TEST_F(HealthMemoryTest, SomeBytes) {
  const profile::NodeId a = Node("a", "Op"), b = Node("b", "Op");
  const profile::LaneId cpu =
      tensorflow::DeviceLane(kCpuA, builder_.mutable_graph());
  builder_.AddExecutions(0,
                         {{.node = a,
                           .lane = cpu,
                           .start = 10,
                           .duration = 5,
                           .requested_bytes = 64}},
                         {});
  RanOn(b, kCpuA, 20, 5);
  EXPECT_EQ(Verdict("MemoryChecker"),
            "ok: 1 of 2 records of a node in a step have bytes");
}

}  // namespace
}  // namespace tfprof::advisor

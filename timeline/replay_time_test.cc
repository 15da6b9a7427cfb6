#include "timeline/replay_time.h"

#include <utility>

#include "gtest/gtest.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {
namespace {

TEST(ReplayTime, IsTheUnnamedPartOfAllSteps) {
  TraceModel model;
  const profile::LaneId gpu = model.Stream(0, 7, profile::LaneKind::kKernels);
  const auto kernel = [&](std::string_view op, int64_t start, int64_t length,
                          int64_t step) {
    model.Add({.name = "kernel",
               .node = model.Op(op),
               .lane = gpu,
               .start = start,
               .duration = length,
               .step = step});
  };
  kernel("aten::mm", 0, 100, 0);
  kernel("cudaGraphLaunch", 100, 200, 0);
  kernel("cudaGraphLaunch", 300, 50, 1);
  kernel("aten::add", 350, 50, 1);
  model.builder().AddGraphReplay({.step = 0,
                                  .process = model.process(),
                                  .launches = 1,
                                  .kernels = 1,
                                  .time = 200,
                                  .unnamed_launches = 1,
                                  .unnamed_kernels = 1,
                                  .unnamed_time = 200});
  model.builder().AddGraphReplay({.step = 1,
                                  .process = model.process(),
                                  .launches = 2,
                                  .kernels = 2,
                                  .time = 100,
                                  .unnamed_launches = 1,
                                  .unnamed_kernels = 1,
                                  .unnamed_time = 50});
  const ReplayTime time = UnnamedReplays(std::move(model).Build());
  EXPECT_EQ(time.launches, 2);
  EXPECT_EQ(time.kernels, 2);
  EXPECT_EQ(time.ticks, 250);
  EXPECT_EQ(time.of_all, 400);
  EXPECT_DOUBLE_EQ(time.share(), 0.625);
}

TEST(ReplayTime, WithoutReplaysThereIsNone) {
  EXPECT_EQ(UnnamedReplays(profile::Profile()).share(), 0);
}

}  // namespace
}  // namespace tfprof::timeline

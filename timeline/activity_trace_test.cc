#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "timeline/activity.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns "unit: runs compute/communication/copies/busy span" for each device.
std::vector<std::string> TextOf(const Activities& activities,
                                const StepActivity& activity) {
  std::vector<std::string> texts;
  for (const DeviceActivity& a : activity.devices) {
    std::string text = activities.units()[a.unit].name;
    text += ": " + std::to_string(a.runs.size());
    for (const Intervals* set :
         {&a.compute, &a.communication, &a.copies, &a.busy}) {
      text += " " + std::to_string(Length(*set));
    }
    text += " of " + std::to_string(a.span.length());
    texts.push_back(text);
  }
  return texts;
}

class NestedActivityTest : public testing::Test {
 protected:
  void Kernel(profile::LaneId lane, int64_t start, int64_t duration,
              int64_t step = 0, int launch = -1) {
    model_.Add({.name = "kernel",
                .node = model_.Op("aten::mm"),
                .lane = lane,
                .start = start,
                .duration = duration,
                .step = step,
                .launch = launch});
  }
  std::vector<std::string> Everything() {
    profile_ = std::move(model_).Build();
    Activities activities(profile_);
    return TextOf(activities, *activities.Everything());
  }

  TraceModel model_;
  profile::Profile profile_;
};

TEST_F(NestedActivityTest, BusyIsTheUnionOfStreams) {
  const profile::LaneId a = model_.Stream(0, 7, profile::LaneKind::kKernels);
  const profile::LaneId b = model_.Stream(0, 8, profile::LaneKind::kKernels);
  Kernel(a, 1000, 101);
  Kernel(a, 1050, 100);  // kernels of one stream may overlap
  Kernel(b, 1100, 100);
  Kernel(b, 2000, 7);
  EXPECT_THAT(Everything(), ElementsAre("gpu:0: 4 207 0 0 207 of 1007"));
}

TEST_F(NestedActivityTest, KindsOfWorkAreApart) {
  Kernel(model_.Stream(0, 7, profile::LaneKind::kKernels), 100, 50);
  Kernel(model_.Stream(0, 7, profile::LaneKind::kCopies), 140, 20);
  Kernel(model_.Stream(0, 9, profile::LaneKind::kCommunication), 120, 100);
  EXPECT_THAT(Everything(), ElementsAre("gpu:0: 3 50 100 20 120 of 120"));
}

TEST_F(NestedActivityTest, CollectivesOfXlaCommunicate) {
  const profile::LaneId stream =
      model_.Stream(0, 7, profile::LaneKind::kKernels);
  int64_t start = 0;
  for (const char* op : {"all-reduce", "reduce-scatter-done",
                         "CollectiveReduceV2", "fusion", "all"}) {
    model_.Add({.name = "kernel",
                .node = model_.Op(op),
                .lane = stream,
                .start = start,
                .duration = 50});
    start += 100;
  }
  EXPECT_THAT(Everything(), ElementsAre("gpu:0: 5 100 150 0 250 of 450"));
}

TEST_F(NestedActivityTest, DevicesAreApart) {
  Kernel(model_.Stream(0, 7, profile::LaneKind::kKernels), 100, 50);
  Kernel(model_.Stream(1, 7, profile::LaneKind::kKernels), 100, 30);
  EXPECT_THAT(Everything(), ElementsAre("gpu:0: 1 50 0 0 50 of 50",
                                        "gpu:1: 1 30 0 0 30 of 30"));
}

TEST_F(NestedActivityTest, RunsWithoutALengthAreCounted) {
  const profile::LaneId gpu = model_.Stream(0, 7, profile::LaneKind::kKernels);
  Kernel(gpu, 100, 0);
  Kernel(gpu, 150, 10);
  Kernel(gpu, 300, 0);
  EXPECT_THAT(Everything(), ElementsAre("gpu:0: 3 10 0 0 10 of 200"));
}

TEST_F(NestedActivityTest, NegativeAndHugeTimesDoNotOverflow) {
  const profile::LaneId gpu = model_.Stream(0, 7, profile::LaneKind::kKernels);
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  Kernel(gpu, 100, -50);
  Kernel(gpu, kMax - 5, 100);
  EXPECT_THAT(Everything(),
              ElementsAre("gpu:0: 2 5 0 0 5 of " + std::to_string(kMax - 100)));
}

TEST_F(NestedActivityTest, EverythingHasAllStepsAndWhatIsOutside) {
  const profile::LaneId gpu = model_.Stream(0, 7, profile::LaneKind::kKernels);
  Kernel(gpu, 100, 10, profile::kOutsideSteps);
  Kernel(gpu, 200, 20, 3);
  Kernel(gpu, 300, 30, 4);
  EXPECT_THAT(Everything(), ElementsAre("gpu:0: 3 60 0 0 60 of 230"));
  Activities activities(profile_);
  EXPECT_THAT(TextOf(activities, *activities.Of(*profile_.FindStep(4))),
              ElementsAre("gpu:0: 1 30 0 0 30 of 30"));
  EXPECT_EQ(activities.Of(*profile_.FindStep(3)),
            activities.Of(*profile_.FindStep(3)));
  EXPECT_EQ(activities.Everything(), activities.Everything());
}

TEST_F(NestedActivityTest, ALaunchMayHaveManyRuns) {
  const profile::LaneId gpu = model_.Stream(0, 7, profile::LaneKind::kKernels);
  const int graph = model_.Add({.name = "cudaGraphLaunch",
                                .node = model_.Op("graph"),
                                .lane = model_.Launches(),
                                .start = 10,
                                .duration = 8,
                                .step = 1});
  Kernel(gpu, 300, 10, 2, graph);
  Kernel(gpu, 200, 10, 2, graph);
  Kernel(gpu, 50, 10, 2);
  Everything();
  Activities activities(profile_);
  const auto activity = activities.Everything();
  const DeviceActivity& device = activity->devices[0];
  ASSERT_EQ(device.launches.size(), 1u);
  EXPECT_EQ(device.launches[0].start, 10);
  EXPECT_EQ(device.launches[0].end, 18);
  EXPECT_EQ(device.launches[0].num_runs, 2u);
  EXPECT_EQ(device.runs[device.launches[0].first_run].start, 200);
  EXPECT_EQ(device.runs[0].launch, profile::kNone);
  // In this step only: the launch of the other run is in another step.
  EXPECT_EQ(activities.Of(*profile_.FindStep(2))->devices[0].launches.size(),
            1u);
}

TEST_F(NestedActivityTest, TheHostIsBusyWhileAnyThreadIs) {
  const auto ran = [&](profile::LaneId lane, int64_t start, int64_t duration) {
    model_.Add({.name = "op",
                .node = model_.Op("op"),
                .lane = lane,
                .start = start,
                .duration = duration});
  };
  ran(model_.Thread(1, profile::LaneKind::kCompute), 100, 100);
  ran(model_.Thread(1, profile::LaneKind::kCompute), 120, 10);  // nested
  ran(model_.Thread(2, profile::LaneKind::kCompute), 150, 100);
  ran(model_.Thread(1, profile::LaneKind::kLaunches), 160, 5);
  ran(model_.Thread(1, profile::LaneKind::kAnnotation), 0, 1000);
  profile_ = std::move(model_).Build();
  Activities activities(profile_);
  const auto activity = activities.Everything();
  ASSERT_EQ(activity->devices.size(), 1u);
  EXPECT_EQ(activity->devices[0].executions, 4);
  EXPECT_EQ(Length(activity->devices[0].busy), 150);
  EXPECT_EQ(Length(activity->devices[0].launching), 5);
  EXPECT_EQ(activity->devices[0].span, (Interval{100, 250}));
  EXPECT_FALSE(activities.has_accelerators());
}

// A thread in a function is not idle, though no operation runs.
TEST_F(NestedActivityTest, AHostIsBusyInPythonFunctions) {
  const auto ran = [&](profile::LaneId lane, int64_t start, int64_t duration,
                       int64_t step = 0) {
    model_.Add({.name = "f",
                .node = model_.Op("f"),
                .lane = lane,
                .start = start,
                .duration = duration,
                .step = step});
  };
  const profile::LaneId python = model_.Thread(1, profile::LaneKind::kPython);
  ran(model_.Ops(), 100, 50);
  ran(model_.Ops(), 400, 100);
  ran(python, 0, 300);  // from before the first operation on
  ran(python, 900, 80);
  EXPECT_THAT(Everything(), ElementsAre("cpu:0: 0 150 0 0 300 of 400"));
}

TEST_F(NestedActivityTest, PythonFunctionsBeforeTheFirstOperationCountInSteps) {
  model_.Add({.name = "f",
              .node = model_.Op("f"),
              .lane = model_.Thread(1, profile::LaneKind::kPython),
              .start = 0,
              .duration = 300});
  model_.Add({.name = "op",
              .node = model_.Op("op"),
              .lane = model_.Ops(),
              .start = 400,
              .duration = 100});
  model_.builder().AddStepInterval(
      {.step = 0, .process = model_.process(), .start = 50, .end = 600});
  EXPECT_THAT(Everything(), ElementsAre("cpu:0: 0 100 0 0 350 of 450"));
}

TEST_F(NestedActivityTest, AWholeStepIsNoWorkOfTheHost) {
  const auto ran = [&](int64_t start, int64_t duration) {
    model_.Add({.name = "ProfilerStep#1",
                .node = model_.Op("ProfilerStep*"),
                .lane = model_.Ops(),
                .start = start,
                .duration = duration});
  };
  ran(100, 1000);
  ran(100, 900);
  model_.builder().AddStepInterval(
      {.step = 0, .process = model_.process(), .start = 100, .end = 1100});
  profile_ = std::move(model_).Build();
  Activities activities(profile_);
  EXPECT_EQ(activities.StepTime(0), (Interval{100, 1100}));
  EXPECT_EQ(activities.Everything()->devices[0].executions, 1);
  EXPECT_EQ(Length(activities.Everything()->devices[0].busy), 900);
}

TEST_F(NestedActivityTest, NamesAndOpsOfRuns) {
  const profile::LaneId gpu = model_.Stream(0, 7, profile::LaneKind::kKernels);
  model_.Add({.name = "gemm",
              .node = model_.Op("aten::mm"),
              .lane = gpu,
              .start = 1,
              .duration = 5});
  model_.Add({.name = "alone", .lane = gpu, .start = 10, .duration = 5});
  profile_ = std::move(model_).Build();
  Activities activities(profile_);
  const auto activity = activities.Everything();
  const auto& runs = activity->devices[0].runs;
  EXPECT_EQ(activities.Name(runs[0]), "gemm");
  EXPECT_EQ(activities.Op(runs[0]), "aten::mm");
  EXPECT_EQ(activities.Name(runs[1]), "alone");
  EXPECT_EQ(activities.Op(runs[1]), "alone");
}

// The name of a node is read once only if all its runs have it.
TEST_F(NestedActivityTest, NamesOfAllRuns) {
  const profile::LaneId gpu = model_.Stream(0, 7, profile::LaneKind::kKernels);
  const profile::NodeId one = model_.Op("a", "aten::mm");
  const profile::NodeId several = model_.Op("b", "aten::sdpa");
  int64_t start = 0;
  const auto add = [&](std::string_view name, profile::NodeId node) {
    start += 10;
    model_.Add({.name = std::string(name),
                .node = node,
                .lane = gpu,
                .start = start,
                .duration = 5});
  };
  add("gemm", one);
  add("fill", several);
  add("gemm", one);
  add("product", several);
  add("alone", profile::kNone);
  model_.graph().nodes.same_texts = {1, 0};
  profile_ = std::move(model_).Build();
  Activities activities(profile_);
  const RunNames& names = activities.NamesOfRuns()->front();
  std::vector<std::string> texts;
  for (const uint32_t name : names.of_run) {
    texts.push_back(std::string(names.names[name].op) + ": " +
                    std::string(names.names[name].name));
  }
  EXPECT_THAT(
      texts, ElementsAre("aten::mm: gemm", "aten::sdpa: fill", "aten::mm: gemm",
                         "aten::sdpa: product", "alone: alone"));
}

TEST_F(NestedActivityTest, ManyNestedOpsOfAHost) {
  const profile::LaneId lane = model_.Ops();
  const profile::NodeId op = model_.Op("op");
  // The order is such that no interval is inside the previous one.
  for (int64_t i = 0; i < 200'000; ++i) {
    const int64_t at = (i * 7919) % 200'000;
    model_.Add({.name = "op",
                .node = op,
                .lane = lane,
                .start = at * 3,
                .duration = 2});
  }
  profile_ = std::move(model_).Build();
  Activities activities(profile_);
  EXPECT_EQ(Length(activities.Everything()->devices[0].busy), 400'000);
}

TEST_F(NestedActivityTest, AnEmptyProfileHasNoDevices) {
  Activities activities(profile_);
  EXPECT_THAT(activities.Everything()->devices, IsEmpty());
  EXPECT_FALSE(activities.has_accelerators());
}

// Runs of hosts are counted but not listed, and their time equals that of the
// steps.
TEST_F(NestedActivityTest, EverythingHasNoRunsOfHosts) {
  const profile::LaneId lane = model_.Ops();
  model_.graph().lanes.mutable_lane(lane).calls_nest = false;
  Kernel(lane, 100, 10, 1);
  Kernel(lane, 105, 10, 1);
  Kernel(lane, 200, 10, 2);
  profile_ = std::move(model_).Build();
  Activities activities(profile_);
  const DeviceActivity& all = activities.Everything()->devices.at(0);
  EXPECT_THAT(all.runs, IsEmpty());
  EXPECT_EQ(all.executions, 3);
  EXPECT_THAT(all.compute, ElementsAre(Interval{100, 115}, Interval{200, 210}));
  EXPECT_EQ(all.busy, all.compute);
  const auto step = activities.Of(*profile_.FindStep(1));
  EXPECT_EQ(step->devices.at(0).runs.size(), 2u);
}

// A recorder that records single ops records two separate steps.
TEST_F(NestedActivityTest, TheWindowOfADeviceIsWhatWasRecorded) {
  for (const bool calls : {false, true}) {
    TraceModel model;
    const profile::LaneId gpu = model.Stream(0, 7, profile::LaneKind::kKernels);
    const profile::LaneId ops = model.Ops();
    for (const profile::LaneId lane : {gpu, ops}) {
      model.graph().lanes.mutable_lane(lane).calls_nest = calls;
    }
    const auto ran = [&](profile::LaneId lane, int64_t start, int64_t length,
                         int64_t step) {
      model.Add({.node = model.Op("op"),
                 .lane = lane,
                 .start = start,
                 .duration = length,
                 .step = step});
    };
    ran(gpu, 100, 10, 1);
    ran(ops, 120, 30, 1);
    ran(gpu, 1000, 10, 2);
    const profile::Profile profile = std::move(model).Build();
    Activities activities(profile);
    const auto all = activities.Everything();
    if (calls) {
      EXPECT_THAT(all->devices.at(0).window, ElementsAre(Interval{100, 1010}));
      EXPECT_EQ(all->clocks.at(0).length, 910);
    } else {
      EXPECT_THAT(all->devices.at(0).window,
                  ElementsAre(Interval{100, 150}, Interval{1000, 1010}));
      EXPECT_EQ(all->clocks.at(0).length, 60);
    }
  }
}

TEST_F(NestedActivityTest, ALaneThatRepeatsAnotherCountsNothing) {
  const profile::LaneId a = model_.Stream(0, 7, profile::LaneKind::kKernels);
  const profile::LaneId b = model_.Stream(0, 8, profile::LaneKind::kKernels);
  model_.graph().lanes.mutable_lane(b).repeats = a;
  Kernel(a, 100, 10);
  Kernel(b, 100, 10);
  EXPECT_THAT(Everything(), ElementsAre("gpu:0: 1 10 0 0 10 of 10"));
}

}  // namespace
}  // namespace tfprof::timeline

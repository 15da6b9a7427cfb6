#include "timeline/account/host_pieces.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "timeline/calls_testing.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string_view TextOf(HostCall call) {
  constexpr std::string_view kTexts[] = {"other",  "input",    "compilation",
                                         "first",  "profiler", "allocation",
                                         "launch", "wait"};
  return kTexts[static_cast<size_t>(call)];
}

class HostPiecesTest : public testing::Test {
 protected:
  // Makes the profile, and finds the pieces of its steps.
  void Find(const Intervals& wanted = {{0, 1'000'000'000}}) {
    profile_.emplace(std::move(model_.trace).Build());
    activities_.emplace(*profile_);
    pieces_.emplace(*activities_, HostPieces::Wanted{{0, wanted}});
  }
  std::span<const HostThread> Threads() { return pieces_->OfProcess(0); }
  // "20-30 wait cudaStreamSynchronize in aten::item" for each piece.
  std::vector<std::string> Pieces(size_t thread = 0) {
    std::vector<std::string> texts;
    for (const HostPiece& piece : Threads()[thread].pieces) {
      texts.push_back(fmt::format("{}-{} {} {}", piece.start, piece.end,
                                  TextOf(piece.call),
                                  Names(piece.name, piece.outer)));
    }
    return texts;
  }
  std::vector<std::string> Waits(size_t thread = 0) {
    std::vector<std::string> texts;
    for (const HostWait& wait : Threads()[thread].waits) {
      texts.push_back(fmt::format("{}-{} {}", wait.time.start, wait.time.end,
                                  Names(wait.name, wait.outer)));
    }
    return texts;
  }
  std::string Names(profile::StringId name, profile::StringId outer) {
    std::string text(profile_->strings().Get(name));
    if (outer != profile::kNone) {
      text += fmt::format(" in {}", profile_->strings().Get(outer));
    }
    return text;
  }

  CallsModel model_;
  std::optional<profile::Profile> profile_;
  std::optional<Activities> activities_;
  std::optional<HostPieces> pieces_;
};

TEST_F(HostPiecesTest, CallsThatOverlapALittleAreNeighbours) {
  model_.Python("data.py:3:load_batch", 0, 100);
  model_.Python("train.py:7:step", 99, 500);
  Find();
  EXPECT_THAT(Pieces(), testing::Contains("99-599 other train.py:7:step"));
}

TEST_F(HostPiecesTest, AWaitForTheProgramIsNoWaitForADevice) {
  model_.Python("gpu_stats.py:5:query", 0, 100);
  model_.Python("subprocess.py:9:communicate", 10, 80);
  model_.Python("selectors.py:4:select", 20, 60);
  model_.Python("torch/autograd/graph.py:8:_engine_run_backward", 200, 100);
  model_.Call("cudaStreamSynchronize", 400, 50);
  Find();
  EXPECT_THAT(Waits(), ElementsAre("400-450 cudaStreamSynchronize"));
  EXPECT_THAT(Pieces(),
              testing::Contains(testing::EndsWith("in gpu_stats.py:5:query")));
}

TEST_F(HostPiecesTest, MemoryForInputIsAnAllocation) {
  model_.Python("torch/utils/data/pin_memory.py:3:pin", 0, 100);
  model_.Call("cudaHostAlloc", 10, 80);
  Find();
  EXPECT_THAT(
      Pieces(),
      testing::Contains(testing::StartsWith("10-90 allocation cudaHostAlloc")));
}

TEST_F(HostPiecesTest, TheInnermostExecutionCounts) {
  model_.Op("outer", 0, 100);
  model_.Op("inner", 20, 10);
  model_.Op("innermost", 22, 3);
  model_.Op("next", 150, 10);
  Find();
  EXPECT_THAT(Pieces(),
              ElementsAre("0-20 other outer", "20-22 other inner",
                          "22-25 other innermost", "25-30 other inner",
                          "30-100 other outer", "150-160 other next"));
  EXPECT_EQ(Threads()[0].recorded, 110);
}

TEST_F(HostPiecesTest, CallsOfAllKindsNest) {
  model_.Python("train.py:1:step", 0, 100);
  model_.Op("aten::mm", 20, 50);
  model_.Launch(30, 10);
  Find();
  EXPECT_THAT(
      Pieces(),
      ElementsAre("0-20 other train.py:1:step", "20-30 other aten::mm",
                  "30-40 launch cudaLaunchKernel in aten::mm",
                  "40-70 other aten::mm", "70-100 other train.py:1:step"));
  const std::vector<HostPiece>& pieces = Threads()[0].pieces;
  EXPECT_TRUE(pieces[0].python);
  EXPECT_FALSE(pieces[1].python);
  EXPECT_FALSE(pieces[2].python);
}

TEST_F(HostPiecesTest, InsideInputAllIsInput) {
  model_.Python("train.py:3:load_batch", 0, 100);
  model_.Op("aten::stack", 20, 10);
  model_.Call("cudaStreamSynchronize", 40, 10);
  model_.Python("data.py:5:resize", 60, 10);
  model_.Python("PIL/Image.py:5:resize", 80, 10);
  Find();
  // What it calls has its name, but functions of the program have their own.
  EXPECT_THAT(Pieces(), ElementsAre("0-20 input train.py:3:load_batch",
                                    "20-30 input train.py:3:load_batch",
                                    "30-40 input train.py:3:load_batch",
                                    "40-50 input train.py:3:load_batch",
                                    "50-60 input train.py:3:load_batch",
                                    "60-70 input data.py:5:resize",
                                    "70-80 input train.py:3:load_batch",
                                    "80-90 input train.py:3:load_batch",
                                    "90-100 input train.py:3:load_batch"));
  EXPECT_THAT(Waits(), IsEmpty());
}

// Launches during a capture start nothing, however many they are.
TEST_F(HostPiecesTest, TheCaptureOfAGraphIsCompilation) {
  model_.Python("train.py:3:step", 0, 500);
  model_.Call("cudaStreamBeginCapture", 10, 5);
  for (int64_t launch = 0; launch < 20; ++launch) {
    model_.Launch(20 + launch * 10);
  }
  model_.Python("model.py:9:forward", 230, 50);
  model_.Call("cudaStreamEndCapture", 290, 10);
  model_.Call("cudaGraphInstantiate", 310, 100);
  Find();
  EXPECT_THAT(
      Pieces(),
      ElementsAre("0-10 other train.py:3:step",
                  "10-300 compilation cudaStreamBeginCapture in "
                  "train.py:3:step",
                  "300-310 other train.py:3:step",
                  "310-410 compilation cudaGraphInstantiate in train.py:3:step",
                  "410-500 other train.py:3:step"));
}

TEST_F(HostPiecesTest, CompilationAndFirstUseInsideInputKeepTheirClass) {
  model_.Python("train.py:3:load_batch", 0, 100);
  model_.Call("cuModuleLoadData", 20, 10);
  model_.Op("XlaCompile", 50, 10);
  Find();
  EXPECT_THAT(Pieces(), ElementsAre("0-20 input train.py:3:load_batch",
                                    "20-30 first cuModuleLoadData",
                                    "30-50 input train.py:3:load_batch",
                                    "50-60 compilation XlaCompile",
                                    "60-100 input train.py:3:load_batch"));
}

TEST_F(HostPiecesTest, InsideTheProfilerAllIsTheProfiler) {
  model_.Python("torch/profiler/profiler.py:7:start_trace", 0, 100);
  model_.Call("cuModuleLoadData", 20, 10);
  Find();
  EXPECT_THAT(Pieces(),
              ElementsAre("0-20 profiler torch/profiler/profiler.py:7:"
                          "start_trace",
                          "20-30 profiler torch/profiler/profiler.py:7:"
                          "start_trace",
                          "30-100 profiler torch/profiler/profiler.py:7:"
                          "start_trace"));
}

// Such a call is the training loop, whatever its name is.
TEST_F(HostPiecesTest, AContainerThatLaunchesMuchIsNoInput) {
  model_.Python("train.py:3:load_batch", 0, 1000);
  for (int64_t i = 0; i < 17; ++i) model_.Launch(10 * i);
  model_.Python("train.py:9:read_data", 2000, 1000);
  for (int64_t i = 0; i < 16; ++i) model_.Launch(2000 + 10 * i);
  Find();
  for (const HostPiece& piece : Threads()[0].pieces) {
    if (piece.start < 2000) {
      EXPECT_NE(piece.call, HostCall::kInput) << piece.start;
    } else {
      EXPECT_EQ(piece.call, HostCall::kInput) << piece.start;
    }
  }
}

TEST_F(HostPiecesTest, WaitsHaveWhatIsAroundThem) {
  model_.Python("train.py:9:step", 0, 200);
  model_.Op("aten::item", 10, 50);
  model_.Op("aten::_local_scalar_dense", 15, 40);
  model_.Call("cudaStreamSynchronize", 20, 30);
  model_.Call("cudaDeviceSynchronize", 100, 20);
  Find();
  EXPECT_THAT(Pieces(), ElementsAre("0-10 other train.py:9:step",
                                    "10-60 wait aten::item in train.py:9:step",
                                    "60-100 other train.py:9:step",
                                    "100-120 wait cudaDeviceSynchronize in "
                                    "train.py:9:step",
                                    "120-200 other train.py:9:step"));
  // A wait inside a wait is part of it.
  EXPECT_THAT(Waits(),
              ElementsAre("10-60 aten::item in train.py:9:step",
                          "100-120 cudaDeviceSynchronize in train.py:9:step"));
}

// A thread that shows a progress bar waits all the time. That keeps nobody from
// launching.
TEST_F(HostPiecesTest, WaitsOfAThreadThatOnlyRunsPythonDoNotCount) {
  constexpr std::string_view kWait = "torch/cuda/__init__.py:975:synchronize";
  model_.Launch(0, 50);
  model_.Python("tqdm/_monitor.py:60:run", 0, 40, 2);
  model_.Python(kWait, 10, 20, 2);
  Find();
  ASSERT_THAT(Threads(), SizeIs(2));
  EXPECT_THAT(Pieces(1), ElementsAre("0-10 other tqdm/_monitor.py:60:run",
                                     "30-40 other tqdm/_monitor.py:60:run"));
  EXPECT_THAT(Waits(1), IsEmpty());
  EXPECT_EQ(Threads()[1].recorded, 20);
}

TEST_F(HostPiecesTest, WaitsOfAThreadThatOnlyCallsTheSystemDoNotCount) {
  model_.Launch(0, 50);
  model_.Call("poll", 10, 20, 2);
  model_.Call("ioctl", 30, 10, 2);
  model_.Call("poll", 10, 20, 3);
  model_.Launch(60, 5, 3);
  Find();
  ASSERT_THAT(Threads(), SizeIs(3));
  // Threads with more recorded time come first.
  EXPECT_EQ(Threads()[1].thread, 3);
  EXPECT_EQ(Threads()[1].recorded, 25);
  EXPECT_EQ(Threads()[2].recorded, 10);
}

TEST_F(HostPiecesTest, AWaitOfTheSystemIsForTheDeviceOnlyInsideItsCalls) {
  model_.Launch(0, 5);
  model_.Call("forward", 10, 50);
  model_.Call("sem_wait", 20, 30);
  model_.Call("cudaMalloc", 70, 20);
  model_.Call("poll", 75, 10);
  model_.Call("cudaStreamSynchronize", 100, 50);
  model_.Call("poll", 110, 30);
  Find();
  EXPECT_THAT(Waits(), ElementsAre("100-150 cudaStreamSynchronize"));
  EXPECT_THAT(Pieces(), testing::IsSupersetOf({"20-50 wait sem_wait in forward",
                                               "70-90 allocation cudaMalloc"}));
}

TEST_F(HostPiecesTest, ARangeCalledDataIsInputIfItLaunchesNothing) {
  model_.Call("data", 0, 50);
  model_.Call("sem_clockwait", 10, 30);
  model_.Call("batch", 100, 50);
  model_.Launch(110, 10);
  Find();
  EXPECT_THAT(Pieces(), testing::IsSupersetOf(
                            {"10-40 input data", "100-110 other batch"}));
}

TEST_F(HostPiecesTest, WithoutCallsOfTheDeviceWaitsOfPythonCount) {
  model_.Python("torch/cuda/__init__.py:975:synchronize", 10, 20);
  Find();
  EXPECT_THAT(Waits(), SizeIs(1));
}

TEST_F(HostPiecesTest, AWaitWithNothingAroundIt) {
  model_.Call("cudaStreamSynchronize", 20, 30);
  Find();
  EXPECT_THAT(Pieces(), ElementsAre("20-50 wait cudaStreamSynchronize"));
  EXPECT_THAT(Waits(), ElementsAre("20-50 cudaStreamSynchronize"));
}

TEST_F(HostPiecesTest, AllocationsHaveWhatIsAroundThem) {
  model_.Op("aten::empty", 0, 40);
  model_.Call("cudaMalloc", 10, 20);
  Find();
  EXPECT_THAT(Pieces(), ElementsAre("0-10 other aten::empty",
                                    "10-30 allocation cudaMalloc in "
                                    "aten::empty",
                                    "30-40 other aten::empty"));
}

TEST_F(HostPiecesTest, LibrariesWorkForTheFunctionThatCalledThem) {
  model_.Python("train.py:5:step", 0, 100);
  model_.Python("torch/nn/modules/module.py:7:_call_impl", 10, 80);
  model_.Python("torch/_tensor.py:8:__format__", 20, 60);
  model_.Op("aten::mm", 30, 10);
  Find();
  EXPECT_THAT(
      Pieces(),
      ElementsAre(
          "0-10 other train.py:5:step",
          "10-20 other torch/nn/modules/module.py:7:_call_impl in "
          "train.py:5:step",
          "20-30 other torch/_tensor.py:8:__format__ in train.py:5:step",
          "30-40 other aten::mm",
          "40-80 other torch/_tensor.py:8:__format__ in train.py:5:step",
          "80-90 other torch/nn/modules/module.py:7:_call_impl in "
          "train.py:5:step",
          "90-100 other train.py:5:step"));
  const std::vector<HostPiece>& pieces = Threads()[0].pieces;
  EXPECT_FALSE(pieces[0].library);
  EXPECT_EQ(pieces[0].stretch, (Interval{0, 10}));
  EXPECT_TRUE(pieces[1].library);
  EXPECT_EQ(pieces[1].stretch, (Interval{10, 30}));
  EXPECT_EQ(pieces[2].stretch, (Interval{10, 30}));
  EXPECT_EQ(pieces[4].stretch, (Interval{40, 90}));
}

TEST_F(HostPiecesTest, LibrariesThatNoFunctionCalledHaveTheirName) {
  model_.Python("torch/_tensor.py:8:__format__", 0, 50);
  Find();
  EXPECT_THAT(Pieces(), ElementsAre("0-50 other torch/_tensor.py:8:"
                                    "__format__"));
  EXPECT_TRUE(Threads()[0].pieces[0].library);
}

TEST_F(HostPiecesTest, OfExecutionsThatOverlapPartlyTheLastOneCounts) {
  model_.Op("all", 0, 100);
  model_.Op("a", 20, 40);
  model_.Op("b", 40, 40);
  model_.Op("c", 90, 50);
  Find();
  EXPECT_THAT(Pieces(),
              ElementsAre("0-20 other all", "20-40 other a", "40-80 other b",
                          "80-90 other all", "90-140 other c"));
  EXPECT_EQ(Threads()[0].recorded, 140);
}

TEST_F(HostPiecesTest, AfterTheLastOneTheLongerOneGoesOn) {
  model_.Op("a", 0, 100);
  model_.Op("b", 20, 100);
  model_.Op("c", 30, 10);
  Find();
  EXPECT_THAT(Pieces(), ElementsAre("0-20 other a", "20-30 other b",
                                    "30-40 other c", "40-120 other b"));
}

TEST_F(HostPiecesTest, TheThreadWithTheMostTimeIsFirst) {
  model_.Op("a", 0, 10, 1);
  model_.Op("b", 0, 50, 2);
  model_.Op("c", 5, 20, 3);
  Find();
  ASSERT_THAT(Threads(), SizeIs(3));
  EXPECT_EQ(Threads()[0].thread, 2);
  EXPECT_EQ(Threads()[1].thread, 3);
  EXPECT_EQ(Threads()[2].thread, 1);
  EXPECT_THAT(Pieces(1), ElementsAre("5-25 other c"));
}

TEST_F(HostPiecesTest, OnlyPiecesWithWantedTimeAreKept) {
  model_.Op("outer", 0, 100);
  model_.Op("not_wanted", 21, 5);
  model_.Op("inner", 35, 10);
  model_.Op("elsewhere", 300, 10, 2);
  Find({{10, 20}, {30, 40}, {90, 200}});
  ASSERT_THAT(Threads(), SizeIs(1));
  EXPECT_THAT(Pieces(), ElementsAre("0-35 other outer", "35-45 other inner",
                                    "45-100 other outer"));
  EXPECT_EQ(Threads()[0].recorded, 30);
}

TEST_F(HostPiecesTest, APieceThatSpansManyGapsIsOne) {
  model_.Op("wait_for_work", 0, 1'000'000);
  Intervals gaps;
  for (int64_t i = 0; i < 1000; ++i) gaps.push_back({1000 * i, 1000 * i + 10});
  Find(gaps);
  EXPECT_THAT(Pieces(), ElementsAre("0-1000000 wait wait_for_work"));
  EXPECT_EQ(Threads()[0].recorded, 10'000);
}

TEST_F(HostPiecesTest, NeighboursWithTheSameNameAreOnePiece) {
  model_.Op("a", 0, 10);
  model_.Op("a", 10, 10);
  model_.Op("a", 30, 10);
  Find();
  EXPECT_THAT(Pieces(), ElementsAre("0-20 other a", "30-40 other a"));
}

TEST_F(HostPiecesTest, ExecutionsOutsideOfStepsAreIncluded) {
  model_.step = 1;
  model_.Op("in_step", 0, 10);
  model_.step = 2;
  model_.Op("in_another", 20, 10);
  model_.step = profile::kOutsideSteps;
  model_.Op("outside", 40, 10);
  Find({{0, 100}});
  EXPECT_THAT(Pieces(),
              ElementsAre("0-10 other in_step", "20-30 other in_another",
                          "40-50 other outside"));
}

TEST_F(HostPiecesTest, AnExecutionThatIsAWholeStepIsIgnored) {
  model_.StepInterval(0, 100);
  model_.Op("ProfilerStep#0", 0, 100);
  model_.Op("aten::mm", 10, 10);
  Find();
  EXPECT_THAT(Pieces(), ElementsAre("10-20 other aten::mm"));
}

// A range that does not nest in calls begins on one thread and can end on
// another.
TEST_F(HostPiecesTest, AsynchronousRangesAndDevicesAreNoWorkOfAThread) {
  const profile::LaneId lane =
      model_.trace.Thread(1, profile::LaneKind::kAnnotation);
  model_.trace.graph().lanes.mutable_lane(lane).calls_nest = false;
  model_.Outside("range", profile::LaneKind::kAnnotation, 0, 100, 1);
  model_.Kernel("aten::mm", 0, 100);
  model_.Op("nothing", 50, 0);
  Find();
  EXPECT_THAT(Threads(), IsEmpty());
}

TEST_F(HostPiecesTest, ProcessesWithoutPiecesHaveNoThreads) {
  model_.Op("a", 0, 10);
  Find();
  EXPECT_THAT(pieces_->OfProcess(7), IsEmpty());
  EXPECT_THAT(pieces_->OfProcess(profile::kNone), IsEmpty());
}

}  // namespace
}  // namespace tfprof::timeline

#include "timeline/account/account.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "timeline/calls_testing.h"

namespace tfprof::timeline {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// The tests write times in microseconds, which are the ticks.
class AccountTest : public testing::Test {
 protected:
  using LaneKind = profile::LaneKind;

  // Makes the profile and the account of a step.
  const StepAccount& Account(int64_t step = 0) {
    if (!profile_) {
      profile_.emplace(std::move(model_.trace).Build());
      views_.emplace(*profile_);
    }
    account_ = AccountOf(*views_, *profile_->FindStep(step));
    for (const DeviceAccount& device : account_.devices) {
      int64_t sum = 0;
      for (const PartInfo& info : AllParts()) sum += device[info.part].ticks;
      EXPECT_EQ(sum, device.wall);
    }
    return account_;
  }
  // The parts of a device that took time: "input 300: load 200, read 100".
  static std::vector<std::string> Texts(const DeviceAccount& device) {
    std::vector<std::string> texts;
    for (const PartInfo& info : AllParts()) {
      const PartTime& part = device[info.part];
      if (part.ticks == 0) continue;
      std::string& text = texts.emplace_back();
      for (const PartDetail& detail : part.details) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", detail.name,
                            detail.ticks);
      }
      text = fmt::format("{} {}: {}", info.id, part.ticks, text);
    }
    return texts;
  }
  std::vector<std::string> Parts(int64_t step = 0) {
    const StepAccount& account = Account(step);
    EXPECT_THAT(account.devices, SizeIs(1));
    return account.devices.empty() ? std::vector<std::string>()
                                   : Texts(account.devices[0]);
  }
  // A kernel from 0 to 100, and one from `start` that was launched just before
  // it, so that the device is idle in between.
  void Gap(int64_t start, int64_t thread = 1) {
    model_.Kernel("aten::mm", 0, 100, model_.Launch(0, 5, thread));
    model_.Kernel("aten::mm", start, 100, model_.Launch(start - 5, 5, thread));
  }

  CallsModel model_;
  std::optional<profile::Profile> profile_;
  std::optional<views::Views> views_;
  StepAccount account_;
};

// ---- Work of a device.

TEST_F(AccountTest, ComputationCountsByClass) {
  model_.Kernel("aten::mm", 0, 100);
  model_.Kernel("aten::relu", 100, 50);
  model_.Kernel("aten::mm", 150, 10);
  model_.Kernel("aten::_softmax", 160, 20);
  model_.Kernel("my_op", 180, 5);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 110: aten::mm 110",
                                   "reductions 20: aten::_softmax 20",
                                   "elementwise 50: aten::relu 50",
                                   "other_compute 5: my_op 5"));
  const DeviceAccount& device = account_.devices[0];
  EXPECT_TRUE(device.accelerator);
  EXPECT_EQ(device.wall, 185);
  EXPECT_EQ(device.Of(PartKind::kCompute), 185);
  EXPECT_EQ(device.idle(), 0);
  EXPECT_EQ(device[Part::kMatrixProducts].details[0].count, 2);
}

TEST_F(AccountTest, TheKernelDecidesIfTheOperationDoesNot) {
  model_.trace.Add({.name = "ampere_sgemm_128x64_tn",
                    .node = model_.trace.Op("my_op"),
                    .lane = model_.trace.Stream(0, 7, LaneKind::kKernels),
                    .start = 0,
                    .duration = 70});
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 70: my_op 70"));
}

TEST_F(AccountTest, OfRunsThatOverlapTheFirstOneCounts) {
  model_.Kernel("aten::mm", 0, 100);
  model_.Kernel("aten::relu", 50, 100, -1, 8);
  model_.Kernel("aten::add", 60, 20, -1, 9);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 100: aten::mm 100",
                                   "elementwise 50: aten::relu 50"));
}

// A loop computes only between the operations of its body, and hides no
// communication that is in it.
TEST_F(AccountTest, ALoopHasOnlyItsOwnTime) {
  model_.Kernel("while", 0, 100);
  model_.Kernel("aten::mm", 10, 30);
  model_.Kernel("all-reduce", 50, 20);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 30: aten::mm 30",
                                   "other_compute 50: while 50",
                                   "communication 20: all-reduce 20"));
  EXPECT_EQ(account_.devices[0][Part::kOtherCompute].details[0].count, 1);
}

TEST_F(AccountTest, CommunicationAndCopiesCountWhereNothingComputes) {
  model_.Kernel("aten::mm", 0, 100);
  model_.Run("ncclKernel_AllReduce", LaneKind::kCommunication, 50, 100);
  model_.Run("Memcpy HtoD", LaneKind::kCopies, 20, 180);
  model_.Kernel("aten::mm", 170, 10);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 110: aten::mm 110",
                                   "communication 50: ncclKernel_AllReduce 50",
                                   "copies 40: Memcpy HtoD 40"));
}

TEST_F(AccountTest, WaitsForAsynchronousCopiesAreOffload) {
  model_.Kernel("aten::mm", 0, 100);
  model_.Run("copy-done.3", LaneKind::kCompute, 100, 30);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 100: aten::mm 100",
                                   "offload 30: copy-done.3 30"));
}

// A stream that waits for an event of another one does not compute.
TEST_F(AccountTest, AWaitForAnEventIsLaunchedWorkThatWaits) {
  model_.Kernel("Stage::waitEvents", 0, 500);
  model_.Kernel("pe_exe", 100, 200, -1, 8);
  EXPECT_THAT(Parts(), ElementsAre("other_compute 200: pe_exe 200",
                                   "queue 300: Stage::waitEvents 300"));
}

TEST_F(AccountTest, WorkCountsWhereItRan) {
  model_.StepInterval(0, 1000);
  const int launch = model_.Launch(980);
  model_.Kernel("aten::mm", 990, 110, launch);
  model_.step = 1;
  model_.StepInterval(1000, 2000);
  model_.Kernel("aten::relu", 1500, 100, model_.Launch(1400));
  EXPECT_THAT(Parts(0), testing::Contains("matrix_products 10: aten::mm 10"));
  EXPECT_THAT(Parts(1),
              testing::IsSupersetOf({"matrix_products 100: aten::mm 100",
                                     "elementwise 100: aten::relu 100"}));
}

TEST_F(AccountTest, AnAcceleratorThatIsIdleForTheWholeStep) {
  model_.StepInterval(0, 100);
  model_.Kernel("aten::mm", 0, 100);
  model_.step = 1;
  model_.StepInterval(100, 1100);
  model_.Python("train.py:8:save", 150, 900);
  EXPECT_THAT(Parts(1), ElementsAre("python 900: train.py:8:save 900",
                                    "launches 100:  100"));
}

TEST_F(AccountTest, EachDeviceHasItsAccount) {
  model_.StepInterval(0, 1000);
  model_.Kernel("aten::mm", 0, 1000);
  model_.gpu = 1;
  model_.Kernel("aten::relu", 0, 400);
  const StepAccount& account = Account();
  ASSERT_THAT(account.devices, SizeIs(2));
  EXPECT_THAT(Texts(account.devices[0]),
              ElementsAre("matrix_products 1000: aten::mm 1000"));
  EXPECT_THAT(
      Texts(account.devices[1]),
      ElementsAre("elementwise 400: aten::relu 400", "not_recorded 600:  600"));
  EXPECT_EQ(account.Find(account.devices[1].unit), &account.devices[1]);
  EXPECT_EQ(account.Find(77), nullptr);
}

// A device that was only set up or given data waits for nothing in a step.
TEST_F(AccountTest, ADeviceThatOnlyWorksBesideTheStepsHasNoAccount) {
  model_.StepInterval(0, 1000);
  model_.Kernel("aten::mm", 0, 1000);
  model_.step = profile::kOutsideSteps;
  model_.gpu = 1;
  model_.Kernel("aten::relu", 5000, 400);
  EXPECT_THAT(Parts(0), ElementsAre("matrix_products 1000: aten::mm 1000"));
}

TEST_F(AccountTest, IfNoDeviceWorksInTheStepsEachHasItsAccount) {
  model_.StepInterval(0, 1000);
  model_.Op("aten::mm", 0, 1000);
  model_.step = profile::kOutsideSteps;
  for (model_.gpu = 0; model_.gpu < 2; ++model_.gpu) {
    model_.Kernel("aten::relu", 5000, 400);
  }
  const StepAccount& account = Account(0);
  ASSERT_THAT(account.devices, SizeIs(2));
  EXPECT_EQ(account.devices[0].idle(), 1000);
  EXPECT_EQ(account.devices[1].idle(), 1000);
}

// ---- Launched work that waits.

TEST_F(AccountTest, WorkThatWasLaunchedBeforeTheGapWaits) {
  model_.Kernel("aten::mm", 0, 100, model_.Launch(0));
  model_.Kernel("aten::relu", 200, 100, model_.Launch(50));
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 100: aten::mm 100",
                                   "elementwise 100: aten::relu 100",
                                   "queue 100: aten::relu 100"));
}

TEST_F(AccountTest, AKernelNeedsAMomentToStart) {
  model_.Kernel("aten::mm", 0, 100, model_.Launch(0));
  model_.Kernel("aten::relu", 104, 100, model_.Launch(50));
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 100: aten::mm 100",
                                   "elementwise 100: aten::relu 100",
                                   "kernel_starts 4: aten::relu 4"));
}

// What grows on the late rank is why the others wait longer for it.
TEST(LargestGrowthTest, AWaitIsFollowed) {
  const auto account = [](int64_t wait, int64_t products) {
    StepAccount of;
    of.devices.resize(2);
    of.devices[1].unit = 1;
    of.devices[0][Part::kLateRank].ticks = wait;
    of.devices[1][Part::kMatrixProducts].ticks = products;
    return of;
  };
  const auto grown = [&](int64_t products) {
    return LargestGrowth(account(110, products), account(10, 20))->part;
  };
  EXPECT_EQ(grown(75), Part::kMatrixProducts);
  EXPECT_EQ(grown(25), Part::kLateRank) << "too little to explain the wait";
}

// PyTorch has one operation for all collectives.
TEST_F(AccountTest, CollectivesHaveTheNamesOfTheirKernels) {
  model_.trace.Add(
      {.name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)",
       .node = model_.trace.Op("record_param_comms"),
       .lane = model_.trace.Stream(0, 8, profile::LaneKind::kCommunication),
       .start = 0,
       .duration = 100});
  EXPECT_THAT(Parts(),
              ElementsAre("communication 100: "
                          "ncclDevKernel_AllReduce_Sum_bf16_RING_LL 100"));
}

TEST_F(AccountTest, WorkThatIsLaunchedInTheGapComesLate) {
  model_.Kernel("aten::mm", 0, 100, model_.Launch(0));
  model_.Kernel("aten::relu", 200, 100, model_.Launch(150, 10));
  // Nothing until 150, then the call, then the way to the device.
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 100: aten::mm 100",
                                   "elementwise 100: aten::relu 100",
                                   "launches 100:  50, aten::relu 40, "
                                   "cudaLaunchKernel 10"));
}

TEST_F(AccountTest, WorkThatDoesNotStartForLongWaits) {
  model_.Kernel("aten::mm", 0, 100, model_.Launch(0));
  model_.Kernel("aten::relu", 2000, 100, model_.Launch(100, 10));
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 100: aten::mm 100",
                                   "elementwise 100: aten::relu 100",
                                   "launches 10: cudaLaunchKernel 10",
                                   "queue 1890: aten::relu 1890"));
}

// What the host does after the launch cannot be what the kernel waits for.
TEST_F(AccountTest, ACopyAfterTheLaunchIsNoCause) {
  model_.Kernel("aten::mm", 0, 100, model_.Launch(0));
  const int launch = model_.Launch(50);
  model_.Op("aten::to", 60, 4900);
  model_.Call("cudaMemcpyAsync", 70, 4800);
  model_.Kernel("aten::relu", 5000, 100, launch);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 100: aten::mm 100",
                                   "elementwise 100: aten::relu 100",
                                   "queue 4900: aten::relu 4900"));
}

// ---- Synchronization.

TEST_F(AccountTest, AWaitThatEmptiedTheQueueIsTheCause) {
  Gap(200);
  model_.Call("cudaStreamSynchronize", 20, 90);
  EXPECT_THAT(Parts(),
              ElementsAre("matrix_products 200: aten::mm 200",
                          "synchronization 100: cudaStreamSynchronize 100"));
}

TEST_F(AccountTest, TheWaitHasTheNameOfWhatIsAroundIt) {
  Gap(200);
  model_.Python("train.py:9:step", 10, 110);
  model_.Op("aten::item", 20, 90);
  model_.Call("cudaStreamSynchronize", 25, 80);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "synchronization 100: aten::item in "
                                   "train.py:9:step 100"));
}

// It waits for the work of the device, as a wait of the launching thread does.
TEST_F(AccountTest, AWaitOfAnotherThreadThatEndsWithTheWorkIsTheCause) {
  Gap(200);
  model_.Call("cudaStreamSynchronize", 20, 90, 2);
  EXPECT_THAT(Parts(),
              ElementsAre("matrix_products 200: aten::mm 200",
                          "synchronization 100: cudaStreamSynchronize 100"));
}

// It waits for something else, too.
TEST_F(AccountTest, AWaitOfAnotherThreadThatGoesOnDoesNotEmptyTheQueue) {
  Gap(450);
  model_.Call("cudaStreamSynchronize", 20, 230, 2);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "launches 5: cudaLaunchKernel 5",
                                   "synchronization 150: "
                                   "cudaStreamSynchronize 150",
                                   "not_recorded 195:  195"));
}

TEST_F(AccountTest, AWaitThatEndedBeforeIsNoCause) {
  Gap(200);
  model_.Call("cudaStreamSynchronize", 20, 60);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "launches 100:  95, cudaLaunchKernel 5"));
}

TEST_F(AccountTest, WhatTheHostDidForLongAfterTheWaitIsTheCause) {
  Gap(1000);
  model_.Call("cudaStreamSynchronize", 20, 80);
  model_.Python("train.py:4:log", 100, 890);
  EXPECT_THAT(Parts(),
              ElementsAre("matrix_products 200: aten::mm 200",
                          "python 890: train.py:4:log 890",
                          "synchronization 10: cudaStreamSynchronize 10"));
}

TEST_F(AccountTest, AWaitIsNotTheCauseIfAnotherThreadWorked) {
  Gap(1000);
  model_.Call("cudaStreamSynchronize", 200, 700);
  model_.Python("data.py:3:load_batch", 100, 600, 2);
  EXPECT_THAT(Parts(), testing::IsSupersetOf(
                           {"input 600: data.py:3:load_batch 600",
                            "synchronization 200: cudaStreamSynchronize 200"}));
}

TEST_F(AccountTest, AWaitForTheProgramIsNoWaitForTheDevice) {
  Gap(1000);
  model_.Op("forward", 105, 800);
  model_.Call("sem_clockwait", 110, 780);
  EXPECT_THAT(Parts(),
              testing::Contains("host_work 780: sem_clockwait in forward 780"));
}

TEST_F(AccountTest, WithoutTheKernelsOfLaunchesNothingIsKnown) {
  model_.Run("h2d", LaneKind::kCopies, 0, 100);
  model_.Op("cudaLaunchKernel", 110, 5);
  model_.Call("cudaDeviceSynchronize", 200, 700);
  model_.Run("h2d", LaneKind::kCopies, 900, 100);
  EXPECT_THAT(Parts(), testing::Contains(StartsWith(
                           "not_recorded 800: kernels are not in the file")));
}

// ---- What the host did.

TEST_F(AccountTest, InputAndAllThatIsInIt) {
  Gap(1000);
  model_.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 90,
            900);
  model_.Op("aten::stack", 200, 600);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "input 890: enumerate(DataLoader)#"
                                   "_SingleProcessDataLoaderIter.__next__ 890",
                                   "launches 10:  5, cudaLaunchKernel 5"));
}

TEST_F(AccountTest, CompilationFirstUseAndTheProfiler) {
  Gap(1000);
  model_.Op("XlaCompile", 100, 300);
  model_.Call("cuModuleLoadData", 400, 200);
  model_.Op("PyTorch Profiler (0)", 600, 390);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "launches 10:  5, cudaLaunchKernel 5",
                                   "compilation 300: XlaCompile 300",
                                   "first_use 200: cuModuleLoadData 200",
                                   "profiler 390: PyTorch Profiler (0) 390"));
}

TEST_F(AccountTest, FunctionsOfTheProgram) {
  Gap(1000);
  model_.Python("train.py:4:log", 100, 49);
  model_.Python("train.py:5:save", 149, 50);
  model_.Python("train.py:6:sleep", 199, 796);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "python 846: train.py:6:sleep 796, "
                                   "train.py:5:save 50",
                                   "launches 54: train.py:4:log 49, "
                                   "cudaLaunchKernel 5"));
}

TEST_F(AccountTest, LibrariesBetweenLaunchesMakeThemSlow) {
  Gap(1200);
  model_.Python("torch/nn/modules/module.py:1:_call_impl", 100, 499);
  model_.Python("torch/optim/adam.py:1:step", 599, 500);
  EXPECT_THAT(
      Parts(),
      ElementsAre("matrix_products 200: aten::mm 200",
                  "python 500: torch/optim/adam.py:1:step 500",
                  "launches 600: torch/nn/modules/module.py:1:_call_impl 499, "
                  " 96, cudaLaunchKernel 5"));
}

TEST_F(AccountTest, OperatorsBetweenLaunches) {
  Gap(1200);
  model_.Op("aten::view", 100, 499);
  model_.Op("aten::nonzero", 599, 500);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "host_work 500: aten::nonzero 500",
                                   "launches 600: aten::view 499,  96, "
                                   "cudaLaunchKernel 5"));
}

TEST_F(AccountTest, ALaunchHasTheNameOfItsOperation) {
  model_.Kernel("aten::mm", 0, 100, model_.Launch(0));
  model_.Op("aten::relu", 100, 90);
  model_.Kernel("aten::relu", 200, 100, model_.Launch(120, 60));
  EXPECT_THAT(Parts(), testing::Contains("launches 100: aten::relu 100"));
}

TEST_F(AccountTest, ASlowLaunchLoadsTheKernel) {
  model_.Kernel("aten::mm", 0, 100, model_.Launch(0));
  model_.Kernel("aten::relu", 1200, 100, model_.Launch(100, 1000));
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 100: aten::mm 100",
                                   "elementwise 100: aten::relu 100",
                                   "launches 100: aten::relu 100",
                                   "first_use 1000: cudaLaunchKernel 1000"));
}

// A kernel is used for the first time once: a recorder that reads counters
// makes every launch slow.
TEST_F(AccountTest, LaunchesThatStaySlowAreNoFirstUse) {
  model_.StepInterval(0, 120'000);
  for (int64_t i = 0; i < 20; ++i) {
    model_.Op("aten::mm", 6'000 * i, 6'000);
    model_.Launch(6'000 * i, 5'000);
  }
  EXPECT_THAT(Parts(),
              testing::Not(testing::Contains(StartsWith("first_use"))));
}

TEST_F(AccountTest, ARecorderOfCountersStopsAtEachLaunch) {
  model_.StepInterval(0, 320'500);
  model_.Call("cudaLaunchKernel", 0, 200'000);
  for (int64_t i = 0; i < 20; ++i) {
    model_.Launch(200'500 + 6'000 * i, 5'000);
  }
  model_.trace.Add({.name = "gemm",
                    .lane = model_.trace.Stream(0, 7, LaneKind::kAnnotation),
                    .start = 0,
                    .duration = 5'000});
  EXPECT_THAT(Parts(), ElementsAre("first_use 200000: cudaLaunchKernel 200000",
                                   "profiler 100000: cudaLaunchKernel 100000",
                                   "not_recorded 20500:  20500"));
  EXPECT_THAT(
      std::string(RemedyOf(Part::kProfiler, account_.devices[0], *profile_)),
      HasSubstr("counters"));
}

TEST_F(AccountTest, Allocation) {
  Gap(300'000);
  model_.Op("aten::empty", 100, 300);
  model_.Call("cudaMalloc", 150, 100);
  model_.Call("cudaMalloc", 1000, 200'000);
  const std::vector<std::string> parts = Parts();
  EXPECT_THAT(parts, testing::IsSupersetOf(
                         {"allocation 100: cudaMalloc in aten::empty 100",
                          // So long a call sets the device up.
                          "first_use 200000: cudaMalloc 200000"}));
}

// The first call of a process makes its context, whatever it is named.
TEST_F(AccountTest, ALongCallBeforeAllWorkSetsTheDeviceUp) {
  model_.Call("cudaMalloc", 0, 12'000);
  model_.Call("cudaMalloc", 12'200, 8'800);
  model_.Call("cudaDeviceGetAttribute", 21'000, 11'000);
  model_.Kernel("aten::mm", 32'100, 100, model_.Launch(32'000));
  model_.Call("cudaMalloc", 32'300, 12'000);
  model_.Kernel("aten::mm", 45'000, 100, model_.Launch(44'900));
  EXPECT_THAT(Parts(),
              testing::IsSupersetOf({"allocation 20800: cudaMalloc 20800",
                                     "first_use 23000: cudaMalloc 12000, "
                                     "cudaDeviceGetAttribute 11000"}));
}

TEST_F(AccountTest, SilenceIsPartOfLaunchesIfItIsShort) {
  Gap(204);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "launches 104:  99, cudaLaunchKernel 5"));
}

TEST_F(AccountTest, LongSilenceIsNotRecorded) {
  Gap(205);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "launches 5: cudaLaunchKernel 5",
                                   "not_recorded 100:  100"));
}

TEST_F(AccountTest, TheThreadThatLaunchesComesFirst) {
  Gap(1000, 2);
  model_.Python("train.py:5:forward", 100, 890, 1);
  model_.Python("train.py:6:backward", 100, 500, 2);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "python 890: train.py:6:backward 500, "
                                   "train.py:5:forward 390",
                                   "launches 10:  5, cudaLaunchKernel 5"));
}

TEST_F(AccountTest, WithoutLinksTheBusiestThreadComesFirst) {
  model_.Kernel("aten::mm", 0, 100);
  model_.Kernel("aten::mm", 1000, 100);
  model_.Python("train.py:5:short", 100, 500, 1);
  model_.Python("train.py:6:long", 100, 800, 2);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::mm 200",
                                   "python 800: train.py:6:long 800",
                                   "not_recorded 100:  100"));
}

TEST_F(AccountTest, OtherProcessesExplainNothing) {
  model_.Kernel("aten::mm", 0, 100);
  model_.Kernel("aten::mm", 1000, 100);
  model_.trace.NextRank(1);
  model_.Python("other.py:5:run", 100, 900);
  const StepAccount& account = Account();
  EXPECT_THAT(Texts(account.devices[0]),
              ElementsAre("matrix_products 200: aten::mm 200",
                          "not_recorded 900:  900"));
}

// ---- Hosts without accelerators.

TEST_F(AccountTest, OperationsOfAHostCountByClass) {
  model_.StepInterval(0, 1000);
  model_.Op("aten::linear", 0, 400);
  model_.Op("aten::relu", 100, 200);
  model_.Python("data.py:3:load_batch", 500, 100);
  model_.Python("train.py:3:log", 600, 20);
  model_.Op("my_op", 700, 30);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: aten::linear 200",
                                   "elementwise 200: aten::relu 200",
                                   "other_compute 30: my_op 30",
                                   "input 100: data.py:3:load_batch 100",
                                   "python 20: train.py:3:log 20",
                                   "not_recorded 450:  450"));
  EXPECT_FALSE(account_.devices[0].accelerator);
}

// Gradients are computed on a thread of their own: what it runs is the work,
// not the function that called it.
TEST_F(AccountTest, OperationsCountBeforeTheFunctionAroundThem) {
  model_.StepInterval(0, 500);
  model_.Python("train.py:7:train_step", 0, 450);
  model_.Op("aten::mm", 100, 300, /*thread=*/2);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 300: aten::mm 300",
                                   "python 150: train.py:7:train_step 150",
                                   "not_recorded 50:  50"));
}

TEST_F(AccountTest, AHostCommunicates) {
  model_.StepInterval(0, 300);
  model_.Op("HorovodAllreduce", 0, 200);
  model_.Op("aten::mm", 200, 100);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 100: aten::mm 100",
                                   "communication 200: HorovodAllreduce 200"));
}

TEST_F(AccountTest, AHostWithAcceleratorsHasNoAccount) {
  Gap(200);
  model_.Op("aten::linear", 0, 400);
  EXPECT_THAT(Account().devices, SizeIs(1));
}

TEST_F(AccountTest, AHostWhoseOperationsDoNotNest) {
  model_.StepInterval(0, 500);
  const profile::LaneId lane = model_.trace.Ops();
  model_.trace.graph().lanes.mutable_lane(lane).calls_nest = false;
  model_.Op("MatMul", 0, 200);
  model_.Op("Relu", 100, 200);
  model_.Op("IteratorGetNext", 300, 50);
  EXPECT_THAT(Parts(), ElementsAre("matrix_products 200: MatMul 200",
                                   "elementwise 100: Relu 100",
                                   "input 50: IteratorGetNext 50",
                                   "not_recorded 150:  150"));
}

TEST_F(AccountTest, ThePathOfANameSaysNothing) {
  model_.StepInterval(0, 500);
  const profile::LaneId lane = model_.trace.Ops();
  model_.trace.graph().lanes.mutable_lane(lane).calls_nest = false;
  model_.trace.graph().self_times = false;
  model_.Op("Adam/update_conv1/ApplyAdam", 0, 300);
  model_.Op("dataset_conv/MatMul_2", 300, 200);
  EXPECT_THAT(Parts(),
              ElementsAre("matrix_products 200: dataset_conv/MatMul_2 200",
                          "elementwise 300: Adam/update_conv1/ApplyAdam 300"));
}

// ---- Ranks.

TEST_F(AccountTest, WaitingForALateRankHasItsName) {
  const auto add = [&](int64_t rank, int64_t begin) {
    model_.trace.NextRank(rank);
    model_.Kernel("aten::mm", 0, begin);
    model_.Run("ncclDevKernel_AllReduce", LaneKind::kCommunication, begin,
               1000 - begin, -1, 8);
  };
  add(0, 300);
  add(1, 900);
  const StepAccount& account = Account();
  ASSERT_THAT(account.devices, SizeIs(2));
  EXPECT_THAT(Texts(account.devices[0]),
              ElementsAre("matrix_products 300: aten::mm 300",
                          "communication 100: ncclDevKernel_AllReduce 100",
                          "late_rank 600: rank 1 600"));
  EXPECT_THAT(Texts(account.devices[1]),
              ElementsAre("matrix_products 900: aten::mm 900",
                          "communication 100: ncclDevKernel_AllReduce 100"));
}

// In some files, the parts of the ranks in one step are separate steps with the
// same name.
TEST_F(AccountTest, TheLateRankMayBeInAnotherStep) {
  const auto add = [&](int64_t rank, int64_t begin) {
    model_.trace.NextRank(rank);
    model_.step = rank;
    model_.Kernel("aten::mm", 0, begin);
    model_.Run("ncclDevKernel_AllReduce", LaneKind::kCommunication, begin,
               1000 - begin, -1, 8);
    model_.trace.builder().AddStepInterval(
        {.step = rank,
         .process = model_.trace.process(),
         .start = 0,
         .end = 1000 * profile::kNanosPerMicro,
         .name = model_.trace.graph().strings.Intern("run 7")});
  };
  add(0, 300);
  add(1, 900);
  EXPECT_THAT(Texts(Account(0).devices[0]),
              testing::Contains("late_rank 600: rank 1 600"));
}

TEST_F(AccountTest, ComputationBesideAWaitIsComputation) {
  model_.trace.NextRank(0);
  model_.Run("ncclDevKernel_AllReduce", LaneKind::kCommunication, 0, 1000, -1,
             8);
  model_.Kernel("aten::mm", 200, 300);
  model_.trace.NextRank(1);
  model_.Kernel("aten::mm", 0, 600);
  model_.Run("ncclDevKernel_AllReduce", LaneKind::kCommunication, 600, 400, -1,
             8);
  EXPECT_THAT(Texts(Account().devices[0]),
              ElementsAre("matrix_products 300: aten::mm 300",
                          "communication 400: ncclDevKernel_AllReduce 400",
                          "late_rank 300: rank 1 300"));
}

// A rank without accelerators waits inside of a named range, which is no work:
// what is in flight says what it waits for.
TEST_F(AccountTest, ANamedRangeDoesNotHideCommunicationInFlight) {
  const auto add = [&](int64_t rank, int64_t begin) {
    profile::ProfileBuilder& builder = model_.trace.builder();
    model_.trace.NextRank(rank);
    model_.StepInterval(0, 1010);
    const profile::NodeId range = model_.trace.Op("backward");
    builder.SetScope(range, builder.AddScope(profile::kRootScope, "backward"));
    model_.Op("backward", 0, 1000);
    model_.Op("aten::mm", 0, begin);
    model_.Op("aten::mm", 950, 50);
    const profile::LaneId lane = model_.trace.Thread(9, LaneKind::kAnnotation);
    model_.trace.graph().lanes.mutable_lane(lane).calls_nest = false;
    model_.trace.Add({.name = "gloo:all_reduce",
                      .node = model_.trace.Op("gloo:all_reduce"),
                      .lane = lane,
                      .start = begin,
                      .duration = 900 - begin});
    // The call that starts it returns at once, long before the other rank
    // begins: it says nothing about the clocks.
    model_.Op("c10d::allreduce_", begin, 5);
  };
  add(0, 300);
  add(1, 800);
  const StepAccount& account = Account();
  ASSERT_THAT(account.devices, SizeIs(2));
  EXPECT_THAT(Texts(account.devices[0]),
              ElementsAre("matrix_products 350: aten::mm 350",
                          "other_compute 50: backward 50",
                          "communication 100: gloo:all_reduce 100",
                          "late_rank 500: rank 1 500", "not_recorded 10:  10"));
  EXPECT_THAT(Texts(account.devices[1]),
              ElementsAre("matrix_products 850: aten::mm 850",
                          "other_compute 50: backward 50",
                          "communication 100: gloo:all_reduce 95, "
                          "c10d::allreduce_ 5",
                          "not_recorded 10:  10"));
}

// Without a range, the call itself says what the thread did.
TEST_F(AccountTest, AnOperationIsNotHiddenByCommunicationInFlight) {
  model_.StepInterval(0, 310);
  model_.Op("backward", 0, 300);
  const profile::LaneId lane = model_.trace.Thread(9, LaneKind::kAnnotation);
  model_.trace.graph().lanes.mutable_lane(lane).calls_nest = false;
  model_.trace.Add({.name = "gloo:all_reduce",
                    .node = model_.trace.Op("gloo:all_reduce"),
                    .lane = lane,
                    .start = 0,
                    .duration = 300});
  EXPECT_THAT(Parts(), ElementsAre("other_compute 300: backward 300",
                                   "not_recorded 10:  10"));
}

// ---- The tables.

TEST_F(AccountTest, TheLargestDetailsAreKept) {
  for (int64_t i = 0; i < 8; ++i) {
    model_.Kernel(fmt::format("my_op_{}", i), 100 * i, 10 + i);
  }
  const PartTime& part = Account().devices[0][Part::kOtherCompute];
  ASSERT_THAT(part.details, SizeIs(kMaxDetails));
  EXPECT_EQ(part.details[0].name, "my_op_7");
  EXPECT_EQ(part.details[0].ticks, 17);
  EXPECT_EQ(part.details[4].name, "my_op_3");
  EXPECT_EQ(part.other, 10 + 11 + 12);
  EXPECT_EQ(part.ticks, 8 * 10 + 28);
}

TEST_F(AccountTest, SumsOfAccounts) {
  model_.StepInterval(0, 200);
  model_.Kernel("aten::mm", 0, 100);
  model_.step = 1;
  model_.StepInterval(200, 500);
  model_.Kernel("aten::mm", 200, 150);
  model_.Kernel("aten::relu", 350, 50);
  const DeviceAccount first = Account(0).devices[0];
  const DeviceAccount second = Account(1).devices[0];
  const DeviceAccount* both[] = {&first, &second};
  const DeviceAccount sum = Sum(both);
  EXPECT_EQ(sum.unit, first.unit);
  EXPECT_TRUE(sum.accelerator);
  EXPECT_EQ(sum.wall, 500);
  EXPECT_THAT(Texts(sum), ElementsAre("matrix_products 250: aten::mm 250",
                                      "elementwise 50: aten::relu 50",
                                      "not_recorded 200:  200"));
  EXPECT_EQ(sum[Part::kMatrixProducts].details[0].count, 2);
  EXPECT_THAT(Texts(Sum({})), IsEmpty());
}

TEST(AccountPartsTest, RemediesHaveTheWordsOfTheFramework) {
  const auto remedy = [](Part part, std::string_view op,
                         const DeviceAccount& account = {}) {
    CallsModel calls;
    calls.Op(op, 0, 10);
    return std::string(RemedyOf(part, account, std::move(calls.trace).Build()));
  };
  EXPECT_THAT(remedy(Part::kInput, "aten::mm"), HasSubstr("DataLoader"));
  EXPECT_THAT(remedy(Part::kInput, "MatMul"), Not(HasSubstr("DataLoader")));
  EXPECT_THAT(remedy(Part::kLaunches, "MatMul"), HasSubstr("jit_compile"));
  EXPECT_THAT(remedy(Part::kCompilation, "MatMul"), HasSubstr("retracing"));
}

// What loads kernels late can load them ahead; nothing else can.
TEST(AccountPartsTest, TheRemedyOfFirstUseIsThatOfItsCalls) {
  const profile::Profile profile;
  const auto remedy = [&](const std::string& call) {
    DeviceAccount account;
    account[Part::kFirstUse].details.push_back({.name = call, .ticks = 10});
    return std::string(RemedyOf(Part::kFirstUse, account, profile));
  };
  EXPECT_THAT(remedy("Lazy Function Loading"), HasSubstr("EAGER"));
  EXPECT_THAT(remedy("cudaFree in aten::addmm"), Not(HasSubstr("EAGER")));
  EXPECT_THAT(remedy("_imp.create_dynamic"), HasSubstr("imports modules"));
}

TEST(AccountPartsTest, TheRemedyOfAWaitIsThatOfWhatIsWaitedFor) {
  const profile::Profile profile;
  const auto remedy = [&](Part part, const std::string& detail) {
    DeviceAccount account;
    account[part].details.push_back({.name = detail, .ticks = 10});
    return std::string(RemedyOf(part, account, profile));
  };
  EXPECT_THAT(remedy(Part::kQueue, "gpu:1 of the same process"),
              HasSubstr("micro-batches"));
  EXPECT_THAT(remedy(Part::kQueue, "cudaLaunchHostFunc"),
              HasSubstr("function of the host"));
  EXPECT_THAT(remedy(Part::kQueue, "aten::mm"), HasSubstr("an event"));
  EXPECT_THAT(remedy(Part::kCompilation, "cudaGraphInstantiate in a.py:1:f"),
              HasSubstr("Capture graphs before"));
}

TEST(AccountPartsTest, WhatIsSavedHasARemedyOfItsOwn) {
  const profile::Profile profile;
  const auto remedy = [&](const std::string& detail) {
    DeviceAccount account;
    account[Part::kHostWork].details.push_back({.name = detail, .ticks = 10});
    return std::string(RemedyOf(Part::kHostWork, account, profile));
  };
  EXPECT_THAT(remedy("save/SaveV2"), HasSubstr("save less often"));
  EXPECT_THAT(remedy("Merge/MergeSummary"), HasSubstr("less often"));
  EXPECT_THAT(remedy("tok/PyFunc_1"), HasSubstr("Python inside"));
  EXPECT_THAT(remedy("NonMaxSuppressionV3"), HasSubstr("on the device"));
}

TEST(AccountPartsTest, GarbageCollectionHasARemedyOfItsOwn) {
  DeviceAccount account;
  account[Part::kPython].details.push_back(
      {.name = "gc:0:collect in train.py:3:main", .ticks = 10});
  EXPECT_THAT(RemedyOf(Part::kPython, account, profile::Profile()),
              HasSubstr("gc.freeze()"));
}

TEST(AccountPartsTest, NobodyIsToldToRecordWhatIsRecorded) {
  const auto remedy = [](CallsModel model) {
    return RemedyOf(Part::kNotRecorded, {}, std::move(model.trace).Build());
  };
  CallsModel calls;
  calls.Op("aten::mm", 0, 10);
  calls.Kernel("aten::mm", 0, 10);
  EXPECT_THAT(remedy(calls),
              AllOf(StartsWith("Record more"), HasSubstr("with_stack")));
  CallsModel other;
  other.Op("render", 0, 10);
  other.Kernel("shade", 0, 10);
  const DeviceAccount of_device = {.accelerator = true};
  EXPECT_THAT(
      RemedyOf(Part::kNotRecorded, of_device, std::move(other.trace).Build()),
      AllOf(StartsWith("Record more"), Not(HasSubstr("with_stack"))));
  calls.Python("train.py:3:main", 20, 10);
  EXPECT_THAT(remedy(calls), StartsWith("Python calls are recorded"));
  CallsModel operations;
  operations.Kernel("MatMul", 0, 10);
  EXPECT_THAT(remedy(operations), StartsWith("This recording has operations"));
  CallsModel launches;
  launches.Kernel("gemm", 10, 10, launches.Launch(0));
  EXPECT_THAT(remedy(launches), StartsWith("Record the host, too"));
}

TEST(AccountPartsTest, EachPartHasItsTexts) {
  ASSERT_THAT(AllParts(), SizeIs(kNumParts));
  for (size_t p = 0; p < kNumParts; ++p) {
    const PartInfo& info = AllParts()[p];
    EXPECT_EQ(static_cast<size_t>(info.part), p);
    EXPECT_EQ(&InfoOf(info.part), &info);
    EXPECT_FALSE(info.title.empty());
    EXPECT_EQ(info.remedy.empty(), info.kind == PartKind::kCompute) << info.id;
    for (size_t other = 0; other < p; ++other) {
      EXPECT_NE(info.id, AllParts()[other].id);
    }
  }
}

}  // namespace
}  // namespace tfprof::timeline

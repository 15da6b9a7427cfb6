#include "advisor/checkers/program/device_check.h"

#include "accounting/small_model_testing.h"
#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeviceCheckTest : public CallsCheckTest {};

constexpr std::string_view kCheckers[] = {
    "IdleChecker",       "ShortKernelChecker",   "CopyChecker",
    "ScalarReadChecker", "RecompilationChecker", "OverlapChecker",
    "PeakShareChecker",  "WallChecker",          "SkewChecker"};

// Each op of the GPU is recorded twice: when it is launched and when its kernel
// runs.
TEST_F(DeviceCheckTest, OpsOfAGpuAreJudged) {
  const profile::Profile profile = accounting::SmallModel();
  for (const std::string_view name : kCheckers) CheckProfile(profile, name);
  std::vector<std::string_view> rules;
  for (const Finding& finding : findings_) rules.push_back(finding.rule);
  EXPECT_THAT(rules, ElementsAre("first_use"));
  EXPECT_THAT(notes_, ElementsAre("Missing peaks of the accelerators. Skip "
                                  "PeakShareChecker"));
}

TEST_F(DeviceCheckTest, WithoutAcceleratorsThereAreNoFindings) {
  HostOp("aten::mm", 0, 100);
  StepInterval(0, 0, 1000);
  const profile::Profile profile = std::move(model_).Build();
  for (const std::string_view name : kCheckers) {
    EXPECT_THAT(CheckProfile(profile, name), IsEmpty()) << name;
  }
}

TEST_F(DeviceCheckTest, ABusyAcceleratorHasNoFindings) {
  for (int64_t i = 0; i < 10; ++i) {
    Kernel("aten::mm", 100 + 100 * i, 100, Launch("aten::mm", 80 + i));
  }
  StepInterval(0, 80, 1100);
  const profile::Profile profile = std::move(model_).Build();
  for (const std::string_view name : kCheckers) {
    EXPECT_THAT(CheckProfile(profile, name), IsEmpty()) << name;
  }
}

// Checkers that judge ops ignore calls.
TEST_F(DeviceCheckTest, AllCheckersReadCalls) {
  Kernel("aten::mm", 100, 100, Launch("aten::mm", 50));
  Run("aten::copy_", "Memcpy HtoD", profile::LaneKind::kCopies, 300, 10, -1,
      100);
  HostOp("aten::mm", 20, 100);
  StepInterval(0, 0, 1000);
  const profile::Profile profile = std::move(model_).Build();
  for (const Checker* checker : Checkers()) {
    if (checker->kind == Checker::Kind::kReference) continue;
    CheckProfile(profile, checker->name);
  }
  SUCCEED();
}

TEST_F(DeviceCheckTest, WhatRanksShareIsOneFinding) {
  const auto finding = [](int64_t rank, std::string_view rule, int64_t saving) {
    Finding f;
    f.rule = rule;
    f.severity = Finding::Severity::kWarning;
    f.saving_micros = saving;
    f.text = "rank " + std::to_string(rank);
    return RankFinding{.rank = rank, .finding = std::move(f)};
  };
  CheckResult result;
  AddOncePerJob(
      {finding(0, "idle", 10), finding(1, "idle", 30), finding(1, "gaps", 5),
       finding(-1, "idle", 1), finding(4, "idle", 20)},
      /*num_ranks=*/8, result);
  std::vector<std::string> texts;
  for (const Finding& f : result.findings) texts.push_back(f.text);
  EXPECT_THAT(texts, ElementsAre("rank 1; the same on 3 of 8 ranks, of which "
                                 "this one loses most",
                                 "rank 1", "rank -1"));
  EXPECT_EQ(result.findings[0].saving_micros, 30);
}

TEST_F(DeviceCheckTest, AllRanksCommunicateWithoutComputing) {
  for (int64_t rank = 0; rank < 3; ++rank) {
    model_.NextRank(rank);
    Kernel("aten::mm", 0, 1000);
    Run("allreduce", "ncclDevKernel", profile::LaneKind::kCommunication, 1000,
        2000 + 100 * rank);
  }
  const std::vector<std::string> texts =
      CheckTrace("OverlapChecker:communication_overlap");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_THAT(texts[0], testing::HasSubstr("2.20ms"));
  EXPECT_THAT(texts[0], testing::HasSubstr("the same on 3 of 3 ranks"));
}

// Each kernel is launched after a wait for the one before, so each launch is
// late; without the waits the host would be ahead.
TEST_F(DeviceCheckTest, LaunchesAreLateBecauseTheHostWaited) {
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t begin = 500 * i;
    Kernel("aten::mm", begin + 30, 300, Launch("aten::mm", begin, 25));
    HostOp("cudaDeviceSynchronize", begin + 40, 295);
    Kernel("aten::mul", begin + 390, 20, Launch("aten::mul", begin + 340, 45));
    Kernel("aten::mul", begin + 450, 20, Launch("aten::mul", begin + 400, 45));
  }
  StepInterval(0, 0, 10000);
  EXPECT_THAT(CheckTrace("WallChecker"),
              ElementsAre(testing::HasSubstr("the host waited for it")));
}

TEST_F(DeviceCheckTest, LargeCopiesThatComputationWaitsFor) {
  for (int64_t i = 0; i < 10; ++i) {
    Kernel("aten::mm", 1000 * i, 600);
    Run("aten::copy_", "Memcpy HtoD (Pinned -> Device)",
        profile::LaneKind::kCopies, 1000 * i + 600, 400, -1, 1 << 24);
  }
  StepInterval(0, 0, 10000);
  EXPECT_THAT(CheckTrace("CopyChecker"),
              ElementsAre(testing::HasSubstr("only copies for 40.0%")));
  EXPECT_EQ(findings_[0].rule, "exposed_copies");
}

// The clocks of two ranks are an hour apart.
TEST_F(DeviceCheckTest, EachProcessHasItsOwnSteps) {
  constexpr int64_t kHour = int64_t{3'600'000'000'000};
  for (const int64_t clock : {int64_t{0}, kHour}) {
    if (clock > 0) model_.NextRank(1);
    model_.builder().AddStepInterval({.step = 0,
                                      .process = model_.process(),
                                      .start = clock + 100,
                                      .end = clock + 300});
    model_.Add({.name = "gemm",
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = clock + 50,
                .duration = 100});
  }
  const profile::Profile profile = std::move(model_).Build();
  views::Views views(profile);
  const DeviceCheck check = OpenDevices({views, log_});
  ASSERT_THAT(check.activity->devices, testing::SizeIs(2));
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    EXPECT_EQ(check.InSteps(device, device.busy), 50);
    EXPECT_EQ(check.Wall(device), 200);
    EXPECT_FALSE(check.IsInSteps(device, device.span.start));
  }
}

TEST_F(DeviceCheckTest, SumsAsText) {
  Kernel("aten::mm", 100, 100);
  const profile::Profile profile = std::move(model_).Build();
  views::Views views(profile);
  const DeviceCheck check = OpenDevices({views, log_});
  EXPECT_EQ(check.Time(1'500), "1.50us");
  EXPECT_EQ(check.Ticks(2.5), 2500);
  TimeSums sums;
  for (const auto& [op, amount] :
       {std::pair("b", 2000), std::pair("a", 2000), std::pair("c", 9000),
        std::pair("d", 1000), std::pair("b", 1000)}) {
    sums.Add(op, amount);
  }
  EXPECT_EQ(sums.Times(check), "c 9us, b 3us, a 2us");
  EXPECT_EQ(sums.Counts(), "c 9.00k, b 3.00k, a 2.00k");
  EXPECT_THAT(check.activity->devices, testing::SizeIs(1));
}

}  // namespace
}  // namespace tfprof::advisor

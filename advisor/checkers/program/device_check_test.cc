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
  EXPECT_THAT(rules, ElementsAre("idle_accelerator", "host_bound"));
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

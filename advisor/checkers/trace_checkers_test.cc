// What holds for all checkers of traces.

#include "accounting/small_model.h"
#include "advisor/checkers/trace_check.h"
#include "advisor/checkers/trace_checkers_testing.h"

namespace tfprof {
namespace {

using ::testing::IsEmpty;

class TraceCheckersTest : public TraceCheckTest {};

constexpr std::string_view kCheckers[] = {
    "TraceIdleChecker",     "TraceKernelsChecker",
    "TraceCopiesChecker",   "SynchronizationChecker",
    "RecompilationChecker", "CommunicationOverlapChecker",
    "PeakShareChecker",     "PythonOverheadChecker",
    "RankSkewChecker"};

TEST_F(TraceCheckersTest, ProfilesOfTensorFlow1HaveNoFindingsAndNoNotes) {
  const Profile profile = SmallModel();
  for (const std::string_view name : kCheckers) {
    EXPECT_THAT(CheckProfile(profile, name), IsEmpty()) << name;
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(TraceCheckersTest, TracesOfCpusOnlyHaveNoFindings) {
  HostOp("aten::mm", 0, 100);
  StepInterval(0, 0, 1000);
  const Profile profile = std::move(model_).Build();
  for (const std::string_view name : kCheckers) {
    EXPECT_THAT(CheckProfile(profile, name), IsEmpty()) << name;
  }
}

TEST_F(TraceCheckersTest, ABusyTraceHasNoFindings) {
  for (int64_t i = 0; i < 10; ++i) {
    Kernel("aten::mm", 100 + 100 * i, 100, Launch("aten::mm", 80 + i));
  }
  StepInterval(0, 80, 1100);
  const Profile profile = std::move(model_).Build();
  for (const std::string_view name : kCheckers) {
    EXPECT_THAT(CheckProfile(profile, name), IsEmpty()) << name;
  }
}

// The checkers of TensorFlow 1 know nothing of lanes without device names.
TEST_F(TraceCheckersTest, AllCheckersReadATrace) {
  Kernel("aten::mm", 100, 100, Launch("aten::mm", 50));
  Run("aten::copy_", "Memcpy HtoD", LaneKind::kCopies, 300, 10, -1, 100);
  HostOp("aten::mm", 20, 100);
  StepInterval(0, 0, 1000);
  const Profile profile = std::move(model_).Build();
  for (const Checker* checker : Checkers()) {
    if (checker->kind == Checker::Kind::kReference) continue;
    CheckProfile(profile, checker->name);
  }
  SUCCEED();
}

TEST_F(TraceCheckersTest, SumsAsText) {
  Kernel("aten::mm", 100, 100);
  const Profile profile = std::move(model_).Build();
  Views views(profile);
  const auto check = OpenAcceleratorTrace({views, log_});
  ASSERT_TRUE(check);
  EXPECT_EQ(check->Time(1'500), "1.50us");
  EXPECT_EQ(check->Ticks(2.5), 2500);
  TraceSums sums;
  for (const auto& [op, amount] :
       {std::pair("b", 2000), std::pair("a", 2000), std::pair("c", 9000),
        std::pair("d", 1000), std::pair("b", 1000)}) {
    sums.Add(op, amount);
  }
  EXPECT_EQ(sums.Times(*check), "c 9us, b 3us, a 2us");
  EXPECT_EQ(sums.Counts(), "c 9.00k, b 3.00k, a 2.00k");
  EXPECT_THAT(check->activity->accelerators, testing::SizeIs(1));
}

}  // namespace
}  // namespace tfprof

#include "advisor/checkers/step_time_testing.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using CopiesTest = StepTimeTest;

TEST_F(CopiesTest, CopiesThatNothingHides) {
  const NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 2000, 9000);
  AddRecord("in:MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kMemcpy, 1000, 1500);
  AddRecord("in:MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kStream, 1000, 1500);
  AddRecord("MEMCPYHtoD", "MEMCPYHtoD 4000 bytes", kMemcpy, 4000,
            500);  // hidden
  AddRecord("MEMCPYDtoH", "", kMemcpy, 11000, 1000);
  // The step: 1000 to 12000; alone 1000 + 1000.
  EXPECT_THAT(
      Check("CopyChecker"),
      ElementsAre("/job:w/device:gpu:0: only copies for 18.2% of the step "
                  "(2.00ms of 11.00ms): 2 host to device in 2.00ms for 8.10KB, "
                  "1 device to host in 1.00ms; the longest 1.50ms for 4.10KB "
                  "(in)"));
  EXPECT_EQ(findings_[0].saving_micros, 2000);
}

TEST_F(CopiesTest, HiddenCopiesAreFine) {
  const NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 2000, 9000);
  AddRecord("MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kMemcpy, 1000, 5000);
  EXPECT_THAT(Check("CopyChecker"), IsEmpty());  // 1000 of 10000 alone
}

TEST_F(CopiesTest, HealthyProfilesHaveNoFinding) {
  for (const auto& files : HealthyProfiles()) {
    EXPECT_THAT(CheckFiles(files, "CopyChecker"), IsEmpty()) << files[0];
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(CopiesTest, ProfilesWithFewCopiesAreFine) {
  EXPECT_THAT(CheckFiles(kWorker, "CopyChecker"), IsEmpty());
  EXPECT_THAT(CheckFiles(kSyntheticGpu, "CopyChecker"), IsEmpty());
  EXPECT_THAT(CheckFiles(kNoStreams, "CopyChecker"), IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

}  // namespace
}  // namespace tfprof

#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using PythonOverheadTest = CallsCheckTest;

TEST_F(PythonOverheadTest, NothingRunsForMuchOfTheStep) {
  StepInterval(0, 0, 1000);
  HostOp("aten::mm", 0, 100);
  Kernel("aten::mm", 50, 350, Launch("aten::mm", 20));
  HostOp("aten::mm", 900, 100);
  EXPECT_THAT(CheckTrace("PythonOverheadChecker"),
              ElementsAre("Python, or other code between operations, takes "
                          "50.0% of the steps (500us of 1.00ms): the host runs "
                          "no operation and accelerators are idle; the longest "
                          "such time is 500us"));
}

TEST_F(PythonOverheadTest, AnAcceleratorThatWorksHidesIt) {
  StepInterval(0, 0, 1000);
  HostOp("aten::mm", 0, 100);
  Kernel("aten::mm", 50, 900, Launch("aten::mm", 20));
  EXPECT_THAT(CheckTrace("PythonOverheadChecker"), IsEmpty());
}

TEST_F(PythonOverheadTest, WithoutStepsOfTheFileNothingIsKnown) {
  HostOp("aten::mm", 0, 100);
  Kernel("aten::mm", 900, 10);
  EXPECT_THAT(CheckTrace("PythonOverheadChecker"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor

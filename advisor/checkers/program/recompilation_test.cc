#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RecompilationTest : public CallsCheckTest {
 protected:
  void Program(std::string_view module) {
    const profile::ModuleId id = model_.builder().AddModule(module);
    model_.Add({.name = "fusion",
                .node = model_.builder().AddNode(id, "fusion", "fusion",
                                                 profile::kNoRecord),
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = 100,
                .duration = 10});
  }
};

TEST_F(RecompilationTest, SeveralProgramsOfOneFunction) {
  for (const char* name : {"jit_step(30)", "jit_step(31)", "jit_step(40)",
                           "jit_init(1)", "jit_init(2)"}) {
    Program(name);
  }
  EXPECT_THAT(CheckTrace("RecompilationChecker"),
              ElementsAre("3 programs of jit_step ran: it is compiled again "
                          "for new shapes or types"));
  EXPECT_EQ(findings_[0].value, 3);
}

TEST_F(RecompilationTest, NamesThatAreNoPrograms) {
  for (const char* name :
       {"jit_step", "jit_step()", "jit_step(a)", "(1)", "(2)", "(3)", ")"}) {
    Program(name);
  }
  EXPECT_THAT(CheckTrace("RecompilationChecker"), IsEmpty());
}

TEST_F(RecompilationTest, CompilationInSteps) {
  HostOp("PjRtCpuClient::CompileAndLoad", 100, 300, 1);
  HostOp("XlaCompile", 150, 100, 1);  // inside it
  HostOp("train", 100, 1000, 1);
  EXPECT_THAT(CheckTrace("RecompilationChecker"),
              ElementsAre("steps compile for 30.0% of their time (300us of "
                          "1.00ms), 2 times: PjRtCpuClient::CompileAndLoad "
                          "300us, XlaCompile 100us"));
}

TEST_F(RecompilationTest, CompilationBeforeTheStepsIsFine) {
  HostOp("XlaCompile", 0, 5000, profile::kOutsideSteps);
  HostOp("train", 5000, 1000, 1);
  EXPECT_THAT(CheckTrace("RecompilationChecker"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor

#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
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

TEST_F(RecompilationTest, ProgramsThatWereCompiledBeforeCostNothing) {
  for (const char* name : {"jit_step(30)", "jit_step(31)", "jit_step(40)"}) {
    Program(name);
  }
  EXPECT_THAT(CheckTrace("RecompilationChecker"),
              ElementsAre("3 programs of jit_step ran: it is compiled again "
                          "for new shapes or types, but not in this "
                          "recording"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

TEST_F(RecompilationTest, SeveralProgramsOfOneFunction) {
  HostOp("XlaCompile", 0, 10, profile::kOutsideSteps);
  for (const char* name : {"jit_step(30)", "jit_step(31)", "jit_step(40)",
                           "jit_init(1)", "jit_init(2)"}) {
    Program(name);
  }
  EXPECT_THAT(CheckTrace("RecompilationChecker"),
              ElementsAre("3 programs of jit_step ran: it is compiled again "
                          "for new shapes or types"));
  EXPECT_EQ(findings_[0].value, 3);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
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
                          "1.00ms), 1 time, in step 1: "
                          "PjRtCpuClient::CompileAndLoad 300us, XlaCompile "
                          "100us"));
  EXPECT_EQ(findings_[0].rule, "compiles_in_steps");
}

// A device that has enough to do loses nothing.
TEST_F(RecompilationTest, WorkThatRunsMeanwhileIsNotLost) {
  HostOp("XlaCompile", 100, 300, 1);
  HostOp("train", 100, 1000, 1);
  Kernel("aten::mm", 0, 250);
  Kernel("aten::mm", 420, 680);
  EXPECT_THAT(CheckTrace("RecompilationChecker"),
              ElementsAre(EndsWith("XlaCompile 300us; accelerators have "
                                   "nothing to do for 150us of it")));
  EXPECT_EQ(findings_[0].once_micros, 150);
}

// A program has to be compiled once.
TEST_F(RecompilationTest, CompilationInTheFirstOfManyStepsIsFine) {
  HostOp("XlaCompile", 0, 800, 0);
  for (int step = 0; step < 5; ++step)
    HostOp("train", int64_t{1000} * step, 900, step);
  EXPECT_THAT(CheckTrace("RecompilationChecker"), IsEmpty());
}

TEST_F(RecompilationTest, ALaterStepCompiles) {
  HostOp("XlaCompile", 0, 800, 0);
  for (int step = 0; step < 5; ++step)
    HostOp("train", int64_t{1000} * step, 900, step);
  HostOp("XlaCompile", 3000, 780, 3);
  EXPECT_THAT(CheckTrace("RecompilationChecker"),
              ElementsAre("steps compile for 20.0% of their time (780us of "
                          "3.90ms), 1 time, in step 3: XlaCompile 780us"));
  EXPECT_EQ(findings_[0].once_micros, 780);
}

TEST_F(RecompilationTest, StepsCompileAgainAndAgain) {
  for (int step = 0; step < 6; ++step) {
    HostOp("train", int64_t{1000} * step, 1000, step);
    HostOp("_compile.compile_inner", int64_t{1000} * step, 500, step);
  }
  EXPECT_THAT(CheckTrace("RecompilationChecker"),
              ElementsAre("steps are compiled again and again, for 50.0% of "
                          "their time (2.50ms of 5.00ms): 5 compilations in 5 "
                          "of 5 steps (steps 1, 2, 3 and 2 more), as if shapes "
                          "or types change; _compile.compile_inner 2.50ms"));
  EXPECT_EQ(findings_[0].rule, "recompilation");
  EXPECT_EQ(findings_[0].value, 5);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
  EXPECT_EQ(findings_[0].once_micros, 0);
}

TEST_F(RecompilationTest, AFunctionThatIsTracedAgainHasARemedyOfItsOwn) {
  for (int step = 0; step < 5; ++step) {
    HostOp("f (tracing)", int64_t{1000} * step, 900, step);
    HostOp("MatMul", int64_t{1000} * step + 900, 90, step);
  }
  EXPECT_THAT(CheckTrace("RecompilationChecker"),
              ElementsAre(HasSubstr("again and again")));
  EXPECT_THAT(findings_[0].advice, HasSubstr("reduce_retracing"));
}

TEST_F(RecompilationTest, CompilationBeforeTheStepsIsFine) {
  HostOp("XlaCompile", 0, 5000, profile::kOutsideSteps);
  HostOp("train", 5000, 1000, 1);
  EXPECT_THAT(CheckTrace("RecompilationChecker"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor

#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace memory_churn_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "MemoryChurnChecker";

class MemoryChurnTest : public CallsCheckTest {
 protected:
  // A step of 10 ms, in which the accelerator works from `busy_from` on.
  void Step(int64_t busy_from) {
    StepInterval(0, 0, 10000);
    Kernel("aten::mm", busy_from, 10000 - busy_from);
  }
  void Calls(std::string_view name, int count, int64_t micros) {
    for (int i = 0; i < count; ++i) HostOp(name, int64_t{20} * i, micros);
  }
};

TEST_F(MemoryChurnTest, ManyCallsWhileTheAcceleratorIsIdle) {
  Calls("cudaMalloc", 100, 10);
  Step(2000);
  EXPECT_THAT(
      CheckTrace(kChecker),
      ElementsAre("memory is allocated and freed 100 times per step, and "
                  "accelerators have nothing to do meanwhile for 10.0% of the "
                  "steps (1.00ms of 10.00ms): cudaMalloc 100"));
  EXPECT_EQ(findings_[0].rule, "memory_churn");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 1000);
}

TEST_F(MemoryChurnTest, CallsBesideWorkAreFine) {
  Calls("cudaMalloc", 100, 10);
  Step(0);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(MemoryChurnTest, FewCallsAreFine) {
  Calls("cudaMalloc", 20, 15);
  HostOp("cudaFree", 1000, 900);
  Step(2000);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

// They take the memory that the allocator keeps.
TEST_F(MemoryChurnTest, OperationsAloneAreFine) {
  Calls("aten::empty", 100, 10);
  Step(2000);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

// A series of allocations and releases of one size.
TEST_F(MemoryChurnTest, ACounterShowsTheSize) {
  Calls("aten::empty", 100, 10);
  std::vector<profile::CounterSample> samples;
  for (int64_t i = 0; i < 200; ++i) {
    samples.push_back({10 * i * kTicks, i % 2 == 0 ? 8e6 : 0});
  }
  profile::Counter counter;
  counter.name = model_.graph().strings.Intern("gpu:0 allocated");
  counter.unit = model_.graph().strings.Intern("bytes");
  counter.process = model_.process();
  model_.builder().AddCounter(std::move(counter), std::move(samples));
  Step(2000);
  EXPECT_THAT(
      CheckTrace(kChecker),
      ElementsAre(HasSubstr("aten::empty 100; 98 times per step 8.00MB of "
                            "gpu:0 allocated, which one buffer could "
                            "serve")));
}

}  // namespace memory_churn_test
}  // namespace
}  // namespace tfprof::advisor

#include "advisor/advisor_testing.h"
#include "loaders/tensorflow/device_names.h"

namespace tfprof::advisor {
namespace {
namespace memory_peak_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kChecker[] = "MemoryPeakChecker";
constexpr char kCpu[] = "/device:CPU:0";
constexpr char kGpu[] = "/device:GPU:0";

// Returns the detail whose number equals the offset.
class Memory : public profile::DetailReader {
 public:
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t) const override {
    return {};
  }
  profile::ExecutionDetail Execution(uint64_t offset, bool) const override {
    return details[offset];
  }
  bool record_is_group() const override { return false; }
  profile::RecordText Text(uint64_t) const override { return {}; }

  std::vector<profile::ExecutionDetail> details;
};

class MemoryPeakTest : public AdvisorTest {
 protected:
  MemoryPeakTest()
      : memory_(std::make_shared<Memory>()),
        details_input_(builder_.AddInput(memory_)) {}

  struct Used {
    int64_t in_use = 0;  // when the op ended
    std::vector<profile::Allocation> allocations = {};
    int64_t persistent = 0;
    int64_t residual = 0;
  };
  // An op that ran for 100 us.
  void Op(const std::string& name, int64_t start, const Used& used,
          int64_t step = 0, const std::string& device = kGpu) {
    profile::ExecutionDetail detail;
    detail.memory.push_back({.micros = start + 100, .outputs = {}});
    detail.memory[0].accelerator_persistent_bytes = used.persistent;
    detail.memory[0].allocator_bytes_in_use = used.in_use;
    detail.allocations = used.allocations;
    memory_->details.push_back(detail);
    profile::GraphTables& graph = builder_.mutable_graph();
    profile::NodeId n = graph.nodes.Find(graph.strings.Intern(name));
    if (n == profile::kNone)
      n = builder_.AddNode(name, "Op", profile::kNoRecord);
    builder_.AddExecutions(step,
                           {{.node = n,
                             .lane = tensorflow::DeviceLane(device, graph),
                             .start = start,
                             .duration = 100,
                             .record = profile::MakeRecordRef(
                                 details_input_, memory_->details.size() - 1),
                             .residual_bytes = used.residual}},
                           {});
  }

  std::shared_ptr<Memory> memory_;
  uint32_t details_input_;
};

// At 1200, when b ends, a still holds 300 of its 500 bytes, b holds 400, and v
// 250. Later changes of memory do not count.
TEST_F(MemoryPeakTest, HoldersOfThePeakAreListedByBytes) {
  Op("v", 1000, {.in_use = 250, .persistent = 250});
  Op("a", 1050, {.in_use = 750, .allocations = {{1060, 500}, {1150, -200}}});
  Op("b", 1100, {.in_use = 950, .allocations = {{1110, 400}, {1300, -400}}});
  Op("c", 1200, {.in_use = 700, .allocations = {{1250, 150}}});
  EXPECT_THAT(
      Check(kChecker),
      ElementsAre("/device:gpu:0: peak memory 950B in step 0, 200us after its "
                  "start, when b ended; held by b 400B (42.1%), a 300B "
                  "(31.6%), v 250B (26.3%)"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
  EXPECT_EQ(findings_[0].value, 950);
  EXPECT_EQ(findings_[0].advice, "");
}

// Records of more bytes than are in use are ignored.
TEST_F(MemoryPeakTest, NoHolderHasMoreThanIsInUse) {
  Op("a", 1000, {.in_use = 500, .allocations = {{1000, 5000}}});
  Op("b", 1100, {.in_use = 600, .allocations = {{1110, 400}}});
  Op("c", 1200, {.in_use = 100, .allocations = {{1000, 300}}});
  EXPECT_THAT(
      Check(kChecker),
      ElementsAre("/device:gpu:0: peak memory 600B in step 0, 200us after its "
                  "start, when b ended; held by b 400B (66.7%)"));
}

TEST_F(MemoryPeakTest, OnlyTheLastStep) {
  Op("a", 1000, {.in_use = 900}, 0);
  Op("a", 2000, {.in_use = 500}, 3);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("/device:gpu:0: peak memory 500B in step 3, 100us "
                          "after its start, when a ended"));
}

TEST_F(MemoryPeakTest, ANodeWithHalfOfThePeakIsAWarning) {
  Op("a", 1000, {.in_use = 40'000'000, .allocations = {{1000, 40'000'000}}});
  Op("b", 1100, {.in_use = 80'000'000, .allocations = {{1100, 30'000'000}}});
  EXPECT_THAT(Check(kChecker), SizeIs(2));
  EXPECT_EQ(findings_[1].text,
            "a holds 40.00MB of the 80.00MB at the peak of /device:gpu:0 "
            "(50.0%)");
  EXPECT_EQ(findings_[1].rule, "memory_owner");
  EXPECT_EQ(findings_[1].severity, Finding::Severity::kWarning);
  EXPECT_NEAR(findings_[1].value, 0.5, 1e-9);
}

TEST_F(MemoryPeakTest, LessThanHalfIsNoWarning) {
  Op("a", 1000, {.in_use = 39'000'000, .allocations = {{1000, 39'000'000}}});
  Op("b", 1100, {.in_use = 80'000'000, .allocations = {{1100, 30'000'000}}});
  EXPECT_THAT(Check(kChecker), SizeIs(1));
}

TEST_F(MemoryPeakTest, SmallPeaksNeedNoAdvice) {
  Op("a", 1000, {.in_use = 63'000'000, .allocations = {{1000, 60'000'000}}});
  EXPECT_THAT(Check(kChecker), SizeIs(1));
}

TEST_F(MemoryPeakTest, CpusHaveNoPeak) {
  Op("a", 1000, {.in_use = 80'000'000, .allocations = {{1000, 80'000'000}}}, 0,
     kCpu);
  EXPECT_THAT(Check(kChecker), IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

// Steps that begin with the given MB in use.
class MemoryGrowthTest : public MemoryPeakTest {
 protected:
  std::vector<std::string> Begin(const std::vector<int64_t>& megabytes) {
    int64_t step = 0;
    for (const int64_t mb : megabytes) {
      Op("first", 1000 + 1000 * step, {.in_use = mb * 1'000'000}, step);
      // Later events of the step do not matter.
      Op("then", 1500 + 1000 * step, {.in_use = (100 - mb) * 1'000'000}, step);
      ++step;
    }
    return Check(kChecker);
  }
};

// The growth counts from the second step to the last: 20 to 22.
TEST_F(MemoryGrowthTest, GrowthInEveryStepIsAWarning) {
  EXPECT_THAT(Begin({10, 20, 21, 22}), SizeIs(2));
  EXPECT_EQ(findings_[1].text,
            "/device:gpu:0: the bytes in use when a step begins grow with each "
            "of 4 steps, from 20.00MB to 22.00MB (10.0%)");
  EXPECT_EQ(findings_[1].rule, "growing_memory");
  EXPECT_NEAR(findings_[1].value, 0.1, 1e-9);
}

TEST_F(MemoryGrowthTest, LittleGrowthIsFine) {
  EXPECT_THAT(Begin({10, 21, 22, 23}), SizeIs(1));
}

TEST_F(MemoryGrowthTest, MemoryThatShrinksInBetweenDoesNotGrow) {
  EXPECT_THAT(Begin({10, 20, 25, 24, 30}), SizeIs(1));
}

TEST_F(MemoryGrowthTest, ThreeStepsAreTooFew) {
  EXPECT_THAT(Begin({10, 20, 30}), SizeIs(1));
}

// Bytes that a CPU op leaves allocated; another runs in one step only.
class MemoryResidualTest : public MemoryPeakTest {
 protected:
  std::vector<std::string> Leave(const std::vector<int64_t>& kilobytes) {
    int64_t step = 0;
    for (const int64_t kb : kilobytes) {
      Op("list", 1000, {.residual = kb * 1000}, step++, kCpu);
    }
    Op("once", 2000, {.residual = 1 << 30}, step - 1, kCpu);
    return Check(kChecker);
  }
};

TEST_F(MemoryResidualTest, GrowthInEveryStepIsAWarning) {
  EXPECT_THAT(Leave({1000, 2000, 3000, 4500}),
              ElementsAre("/device:cpu:0: the bytes that ops leave allocated "
                          "grow with each of 4 steps, from 2.00MB to 4.50MB "
                          "(125.0%)"));
  EXPECT_EQ(findings_[0].rule, "growing_residual");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

TEST_F(MemoryResidualTest, MemoryThatStaysInTheEndDoesNotGrow) {
  EXPECT_THAT(Leave({1000, 2000, 4500, 4500}), IsEmpty());
}

TEST_F(MemoryResidualTest, SmallGrowthIsFine) {
  EXPECT_THAT(Leave({1, 2, 3, 1001}), IsEmpty());
}

// The reference's timeline has this peak and its first allocations.
TEST_F(MemoryPeakTest, RealPeak) {
  EXPECT_THAT(
      CheckFiles({"synth_gpu/graph.pb.gz", "synth_gpu/run_meta_0.gz"},
                 kChecker),
      ElementsAre(
          "/job:localhost/replica:0/task:0/device:gpu:0: peak memory 8.13MB in "
          "step 0, 30.67ms after its start, when "
          "gradients/inp_1/Conv2D_grad/tuple/control_dependency_1 ended; held "
          "by gradients/MatMul_grad/MatMul_1 21.12KB (0.3%), "
          "gradients/inp_3/Conv2D_1_grad/Conv2DBackpropFilter 15.94KB (0.2%), "
          "gradients/inp_1/Conv2D_grad/Conv2DBackpropInput 15.50KB (0.2%)"));
}

TEST_F(MemoryPeakTest, RealProfilesWithoutGpu) {
  for (const char* name :
       {"conv_resnet/profile.pb", "ps_worker/profile.pb.gz",
        "transformer/profile.pb.gz", "multi_step/profile.pb.gz"}) {
    EXPECT_THAT(CheckFiles({name}, kChecker), IsEmpty()) << name;
  }
  EXPECT_THAT(notes_, IsEmpty());
}

}  // namespace memory_peak_test
}  // namespace
}  // namespace tfprof::advisor

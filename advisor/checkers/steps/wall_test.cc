#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/advisor_testing.h"
#include "fmt/format.h"
#include "timeline/calls_testing.h"

namespace tfprof::advisor {
namespace {
namespace wall_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using timeline::CallsModel;

constexpr int64_t kWall = 100'000;
constexpr int64_t kGap = 1000;  // where the device gets idle

// A cause of idle time, and its finding.
struct Case {
  std::string_view rule;
  double threshold;
  std::string_view text;  // after the share
  // Adds what happens in the gap of the device.
  std::function<void(CallsModel& model, int64_t micros)> cause;
  // The work after the gap was launched before it.
  bool queued = false;
};

void PrintTo(const Case& of, std::ostream* out) { *out << of.rule; }

std::function<void(CallsModel&, int64_t)> Calls(const std::string& name) {
  return [name](CallsModel& model, int64_t micros) {
    model.Call(name, kGap, micros);
  };
}
std::function<void(CallsModel&, int64_t)> Operation(const std::string& name) {
  return [name](CallsModel& model, int64_t micros) {
    model.Op(name, kGap, micros);
  };
}
std::function<void(CallsModel&, int64_t)> Function(const std::string& name) {
  return [name](CallsModel& model, int64_t micros) {
    model.Python(name, kGap, micros);
  };
}

// Many operations, each of them short.
void ShortOperations(CallsModel& model, int64_t micros) {
  constexpr int64_t kLength = 400;
  const int64_t end = kGap + micros;
  for (int64_t start = kGap; start < end; start += 2 * kLength) {
    model.Op("aten::view", start, std::min(kLength, end - start));
    if (start + kLength < end) {
      model.Op("aten::t", start + kLength,
               std::min(kLength, end - start - kLength));
    }
  }
}

const Case kCases[] = {
    {"input_gaps", 0.1,
     "while the host reads or prepares it: data.py:3:load_batch 10.00ms",
     Function("data.py:3:load_batch")},
    {"python_overhead", 0.1,
     "while Python runs between operations: train.py:3:log 10.00ms",
     Function("train.py:3:log")},
    {"host_work", 0.1,
     "while the host runs operations itself: aten::nonzero 10.00ms",
     Operation("aten::nonzero")},
    {"launch_bound", 0.2,
     "because the host launches work too slowly: aten::view 10.00ms, aten::t "
     "10.00ms",
     ShortOperations},
    {"synchronization", 0.05,
     "because the host waited for it or read a result back: "
     "cudaDeviceSynchronize 5.00ms",
     Calls("cudaDeviceSynchronize")},
    {"allocation", 0.05,
     "while memory is allocated or freed: cudaMalloc 5.00ms",
     Calls("cudaMalloc")},
    {"compilation", 0.05, "while a program is compiled: XlaCompile 5.00ms",
     Operation("XlaCompile")},
    {"first_use", 0.2,
     "while kernels, libraries or the device are used for the first time: "
     "cuModuleLoadData 20.00ms",
     Calls("cuModuleLoadData")},
    {"queued_work", 0.2,
     "while work that was launched waits, and the file does not say for what; "
     "this waits: aten::mm 20.00ms",
     [](CallsModel&, int64_t) {}, /*queued=*/true},
    {"profiler_time", 0.1,
     "while the profiler itself works: PyTorch Profiler (0) 10.00ms",
     Operation("PyTorch Profiler (0)")},
    {"offload", 0.1,
     "for tensors that are copied to or from the host: copy-done.2 10.00ms",
     [](CallsModel& model, int64_t micros) {
       model.Run("copy-done.2", profile::LaneKind::kCompute, kGap, micros);
     }},
    {"idle_gaps", 0.15, "and the file does not say why",
     [](CallsModel&, int64_t) {}},
};

// A device that computes but for one gap.
class WallTest : public AdvisorTest {
 protected:
  void AddStep(const Case& of, int64_t gap, int64_t wall = kWall) {
    const int launch = of.queued ? model_.Launch(kGap - 50) : -1;
    model_.StepInterval(0, wall);
    model_.Kernel("aten::mm", 0, kGap);
    of.cause(model_, gap);
    model_.Kernel("aten::mm", kGap + gap, wall - kGap - gap, launch);
  }
  std::vector<std::string> Texts(
      const std::map<std::string, double>& set = {}) {
    findings_.clear();
    return CheckProfile(std::move(model_.trace).Build(), "WallChecker", set);
  }
  std::vector<std::string> Rules() const {
    std::vector<std::string> rules;
    for (const Finding& f : findings_) rules.emplace_back(f.rule);
    return rules;
  }

  CallsModel model_;
};

class WallCauseTest : public WallTest,
                      public testing::WithParamInterface<Case> {
 protected:
  static int64_t AtThreshold() {
    return static_cast<int64_t>(GetParam().threshold *
                                static_cast<double>(kWall));
  }
};

TEST_P(WallCauseTest, IsFound) {
  const Case& of = GetParam();
  AddStep(of, AtThreshold() + 1);
  const std::vector<std::string> texts = Texts();
  ASSERT_THAT(texts, SizeIs(1));
  const bool waits = of.rule == "offload";
  const bool input = of.rule == "input_gaps";
  EXPECT_EQ(texts[0],
            fmt::format("gpu:0: {} {:.1f}% of its wall time ({:.2f}ms of "
                        "100.00ms) {}",
                        waits   ? "waits for"
                        : input ? "waits for input, idle for"
                                : "idle for",
                        of.threshold * 100, of.threshold * 100, of.text));
  const Finding& f = findings_[0];
  EXPECT_EQ(f.rule, of.rule);
  EXPECT_EQ(f.subject, "gpu:0");
  EXPECT_EQ(f.threshold, of.threshold);
  EXPECT_NEAR(f.value, of.threshold, 1e-4);
  EXPECT_EQ(f.severity, of.rule == "synchronization"
                            ? Finding::Severity::kInfo
                            : Finding::Severity::kWarning);
  EXPECT_EQ(f.saving_micros, AtThreshold() + 1);
  EXPECT_EQ(f.evidence, "explain step 0");
  EXPECT_FALSE(f.advice.empty());
}

TEST_P(WallCauseTest, IsNotFoundAtItsThreshold) {
  AddStep(GetParam(), AtThreshold());
  EXPECT_THAT(Texts(), IsEmpty());
}

TEST_P(WallCauseTest, OfMostOfTheTimeIsCritical) {
  // A program pays for its first use once, and for the profiler only while it
  // is profiled. Later steps lose nothing.
  const bool is_once =
      GetParam().rule == "first_use" || GetParam().rule == "profiler_time";
  AddStep(GetParam(), kWall * 6 / 10);
  EXPECT_THAT(Texts(), SizeIs(1));
  EXPECT_EQ(findings_[0].severity, is_once ? Finding::Severity::kWarning
                                           : Finding::Severity::kCritical);
}

INSTANTIATE_TEST_SUITE_P(All, WallCauseTest, testing::ValuesIn(kCases),
                         [](const auto& info) {
                           return std::string(info.param.rule);
                         });

// What a step loses once is no loss of each step.
TEST_F(WallTest, FirstUseIsLostOnce) {
  AddStep({.rule = "", .threshold = 0, .text = "", .cause = Calls("cuInit")},
          40'000);
  EXPECT_THAT(Texts(), SizeIs(1));
  EXPECT_EQ(findings_[0].rule, "first_use");
  EXPECT_EQ(findings_[0].once_micros, 40'000);
  // No kernel is loaded in it.
  EXPECT_EQ(findings_[0].advice,
            "This happens once: record after some warm-up steps.");
}

TEST_F(WallTest, KernelsMayBeLoadedAhead) {
  AddStep({.rule = "",
           .threshold = 0,
           .text = "",
           .cause = Calls("Lazy Function Loading")},
          40'000);
  EXPECT_THAT(Texts(), SizeIs(1));
  EXPECT_THAT(findings_[0].advice, HasSubstr("CUDA_MODULE_LOADING=EAGER"));
}

TEST_F(WallTest, AnImportOfAModuleIsNoCompilation) {
  AddStep({.rule = "",
           .threshold = 0,
           .text = "",
           .cause = Operation("ExtensionFileLoader.create_module")},
          40'000);
  EXPECT_THAT(Texts(), SizeIs(1));
  EXPECT_EQ(findings_[0].rule, "first_use");
  EXPECT_THAT(findings_[0].advice, StartsWith("Python imports modules"));
}

TEST_F(WallTest, ABusyDeviceHasNoFinding) {
  AddStep(kCases[0], 0);
  EXPECT_THAT(Texts(), IsEmpty());
}

// A device that is busy, but with kernels that a fused one would not need.
TEST_F(WallTest, KernelsThatOnlyMoveDataAreForInformation) {
  model_.StepInterval(0, kWall);
  model_.Kernel("aten::mm", 0, 40'000);
  model_.Kernel("aten::mul", 40'000, 40'000);
  model_.Kernel("aten::sum", 80'000, 20'000);
  EXPECT_THAT(Texts(),
              ElementsAre("gpu:0: kernels that only move data or compute "
                          "element by element take 60.0% of its wall time "
                          "(60.00ms of 100.00ms): elementwise 40.0%, "
                          "reductions 20.0%"));
  EXPECT_EQ(findings_[0].rule, "unfused_work");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
  EXPECT_EQ(findings_[0].saving_micros, 0);
}

TEST_F(WallTest, ProductsThatTakeMoreAreNotUnfused) {
  model_.StepInterval(0, kWall);
  model_.Kernel("aten::mm", 0, 50'001);
  model_.Kernel("aten::mul", 50'001, 49'999);
  EXPECT_THAT(Texts(), IsEmpty());
}

TEST_F(WallTest, ThresholdsAreOptions) {
  AddStep(kCases[0], 20'000);
  EXPECT_THAT(Texts({{"input", 0.21}}), IsEmpty());
}

TEST_F(WallTest, DevicesWithTheSameCauseAreOneFinding) {
  const auto add = [&](int gpu, int64_t gap) {
    model_.gpu = gpu;
    model_.Kernel("aten::mm", 0, kWall - gap);
  };
  model_.StepInterval(0, kWall);
  add(0, 30'000);
  add(1, 60'000);
  EXPECT_THAT(Texts(),
              ElementsAre("gpu:1: idle for 60.0% of its wall time (60.00ms of "
                          "100.00ms) and the file does not say why; so does 1 "
                          "other device"));
  EXPECT_EQ(findings_[0].subject, "gpu:1");
}

TEST_F(WallTest, ManyDevicesWithTheSameCauseAreOneFinding) {
  model_.StepInterval(0, kWall);
  for (model_.gpu = 0; model_.gpu < 4; ++model_.gpu) {
    model_.Kernel("aten::mm", 0, kWall / 2);
  }
  EXPECT_THAT(Texts(), ElementsAre(HasSubstr("; so do 3 other devices")));
}

// A step with a gap for input, from `start`.
void AddInputStep(CallsModel& model, int64_t step, int64_t start, int64_t gap,
                  int64_t wall) {
  model.step = step;
  model.StepInterval(start, start + wall);
  model.Kernel("aten::mm", start, kGap);
  model.Python("data.py:3:load_batch", start + kGap, gap);
  model.Kernel("aten::mm", start + kGap + gap, wall - kGap - gap);
}

TEST_F(WallTest, ALongFirstStepIsLeftOut) {
  AddInputStep(model_, 0, 0, 900'000, 1'000'000);
  AddInputStep(model_, 1, 1'000'000, 1000, kWall);
  AddInputStep(model_, 2, 1'100'000, 1000, kWall);
  EXPECT_THAT(Texts(), IsEmpty());
}

// One of two steps compiles.
TEST_F(WallTest, ACompilationInOneStepIsLostOnce) {
  for (const int64_t step : {0, 1}) {
    model_.step = step;
    const int64_t start = step * kWall;
    model_.StepInterval(start, start + kWall);
    model_.Kernel("aten::mm", start, kGap);
    if (step == 1) model_.Op("XlaCompile", start + kGap, 30'000);
    const int64_t gap = step == 1 ? 30'000 : 0;
    model_.Kernel("aten::mm", start + kGap + gap, kWall - kGap - gap);
  }
  EXPECT_THAT(Texts(), SizeIs(1));
  EXPECT_EQ(findings_[0].rule, "compilation");
  EXPECT_EQ(findings_[0].once_micros, 30'000);
  EXPECT_EQ(findings_[0].saving_micros, 15'000);
}

TEST_F(WallTest, OfTwoStepsBothCount) {
  AddInputStep(model_, 0, 0, 900'000, 1'000'000);
  AddInputStep(model_, 1, 1'000'000, 1000, kWall);
  EXPECT_THAT(Texts(), SizeIs(1));
  // In each step.
  EXPECT_EQ(findings_[0].saving_micros, 901'000 / 2);
  EXPECT_EQ(findings_[0].once_micros, 0);
}

TEST_F(WallTest, AFirstStepAsLongAsTheOthersCounts) {
  AddInputStep(model_, 0, 0, 90'000, kWall);
  AddInputStep(model_, 1, kWall, 1000, kWall);
  AddInputStep(model_, 2, 2 * kWall, 1000, kWall);
  EXPECT_THAT(Texts(), ElementsAre(HasSubstr("30.7%")));
}

TEST_F(WallTest, SeveralSmallCauses) {
  model_.StepInterval(0, kWall);
  model_.Kernel("aten::mm", 0, kGap);
  model_.Python("data.py:3:load_batch", kGap, 9000);
  model_.Python("train.py:3:log", kGap + 9000, 9000);
  model_.Op("aten::nonzero", kGap + 18'000, 9000);
  model_.Call("cudaDeviceSynchronize", kGap + 27'000, 8000);
  model_.Kernel("aten::mm", kGap + 55'000, kWall - kGap - 55'000);
  EXPECT_THAT(Texts(),
              ElementsAre(HasSubstr("cudaDeviceSynchronize 8.00ms"),
                          "gpu:0: idle for 55.0% of its wall time (55.00ms of "
                          "100.00ms): not recorded 20.00ms, waiting for input "
                          "9.00ms, Python functions 9.00ms"));
  EXPECT_THAT(Rules(), ElementsAre("synchronization", "mixed_idle"));
  // It is too small for a warning.
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
  EXPECT_EQ(findings_[1].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[1].saving_micros, 55'000);
}

TEST_F(WallTest, SmallCausesThatAreFewAreFine) {
  model_.StepInterval(0, kWall);
  model_.Kernel("aten::mm", 0, kGap);
  model_.Python("data.py:3:load_batch", kGap, 9000);
  model_.Python("train.py:3:log", kGap + 9000, 9000);
  model_.Kernel("aten::mm", kGap + 30'000, kWall - kGap - 30'000);
  EXPECT_THAT(Texts(), IsEmpty());
}

// The host launches its work and goes on: the device works after the steps.
TEST_F(WallTest, WorkAfterTheStepsIsNotJudged) {
  for (int64_t step = 0; step < 3; ++step) {
    model_.StepInterval(step * kWall, (step + 1) * kWall);
    model_.Python("data.py:3:load_batch", step * kWall, kWall / 2);
  }
  model_.Kernel("aten::mm", 2 * kWall, 4 * kWall);
  EXPECT_THAT(Texts(),
              ElementsAre(HasSubstr("75.0% of its work (300.00ms of 400.00ms) "
                                    "is outside of the recorded steps")));
  EXPECT_EQ(findings_[0].rule, "work_outside_steps");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

// On a host without accelerators, Python is a part of the program: more of it
// is needed to be a problem.
TEST_F(WallTest, PythonOfAHostAlone) {
  model_.StepInterval(0, kWall);
  model_.Op("aten::mm", 0, kWall - 30'000);
  model_.Python("logger.py:48:log", kWall - 30'000, 30'000);
  EXPECT_THAT(Texts(),
              ElementsAre("cpu:0: loses 30.0% of its wall time (30.00ms of "
                          "100.00ms) while Python runs between operations: "
                          "logger.py:48:log 30.00ms"));
}

TEST_F(WallTest, LessPythonOfAHostAloneIsFine) {
  model_.StepInterval(0, kWall);
  model_.Op("aten::mm", 0, kWall - 20'000);
  model_.Python("logger.py:48:log", kWall - 20'000, 20'000);
  EXPECT_THAT(Texts(), IsEmpty());
}

// A rank that computes until `computes`, and reduces from `begin` to 1000.
class WallOfRanksTest : public WallTest {
 protected:
  void Rank(int64_t rank, int64_t computes, int64_t begin) {
    model_.trace.NextRank(rank);
    model_.Kernel("aten::mm", 0, computes);
    model_.Run("ncclDevKernel_AllReduce", profile::LaneKind::kCommunication,
               begin, 1000 - begin, -1, 8);
  }
};

TEST_F(WallOfRanksTest, ComputesLonger) {
  Rank(0, 700, 700);
  Rank(1, 900, 900);
  EXPECT_THAT(Texts(),
              ElementsAre("rank 1 is late in collectives, with 200us more per "
                          "step of matrix products (aten::mm) than gpu:0, "
                          "which waits for it for 20.0% of its wall time "
                          "(200us of 1.00ms)"));
  EXPECT_EQ(findings_[0].rule, "late_rank");
  EXPECT_THAT(findings_[0].advice,
              StartsWith("Give the ranks the same amount"));
}

TEST_F(WallOfRanksTest, AWaitsForInput) {
  Rank(0, 700, 700);
  Rank(1, 700, 900);
  model_.Python("data.py:3:load_batch", 700, 190);
  EXPECT_THAT(Texts(),
              Contains(StartsWith("rank 1 is late in collectives, with 190us "
                                  "more per step of waiting for input "
                                  "(data.py:3:load_batch)")));
  EXPECT_THAT(findings_, Contains(Field(&Finding::advice,
                                        StartsWith("Prepare input ahead"))));
}

TEST_F(WallOfRanksTest, TheFileDoesNotSayWhy) {
  Rank(0, 700, 700);
  Rank(1, 700, 900);
  EXPECT_THAT(Texts(), Contains(HasSubstr(
                           "waits for 20.0% of its wall time (200us of "
                           "1.00ms) in collectives for a rank that begins "
                           "them later: rank 1 200us")));
}

// ---- Hosts without accelerators.

TEST_F(WallTest, AHostThatRecordsNothing) {
  model_.StepInterval(0, kWall);
  model_.Op("aten::mm", 0, kWall / 2);
  EXPECT_THAT(Texts(),
              ElementsAre(StartsWith("cpu:0: idle for 50.0% of its wall time "
                                     "(50.00ms of 100.00ms)")));
  EXPECT_THAT(Rules(), ElementsAre("unaccounted_time"));
}

TEST_F(WallTest, AHostThatIsSilentForAMoment) {
  model_.StepInterval(0, 1500);
  model_.Op("aten::mm", 0, 600);
  EXPECT_THAT(Texts(), IsEmpty());
  CallsModel longer;
  longer.StepInterval(0, 2500);
  longer.Op("aten::mm", 0, 600);
  model_ = std::move(longer);
  EXPECT_THAT(Texts(), SizeIs(1));
}

// PyTorch was told to record the CPU only.
TEST_F(WallTest, ADeviceThatWasNotRecorded) {
  model_.StepInterval(0, kWall);
  model_.Op("aten::mm", 0, kWall / 2);
  model_.Call("cudaStreamSynchronize", kWall / 2, kWall / 2);
  EXPECT_THAT(Texts(), ElementsAre("cpu:0: waits for results for 50.0% of its "
                                   "wall time (50.00ms of 100.00ms), and the "
                                   "file has no work of a device: "
                                   "cudaStreamSynchronize 50.00ms"));
  EXPECT_THAT(findings_[0].advice, HasSubstr("ProfilerActivity.CUDA"));
}

// A server waits for requests.
TEST_F(WallTest, AHostOfAnotherProgram) {
  model_.StepInterval(0, kWall);
  model_.Op("GET /items", 0, kWall / 4);
  EXPECT_THAT(Texts(),
              ElementsAre("cpu:0: idle for 75.0% of its wall time (75.00ms of "
                          "100.00ms) in which nothing was recorded: such a "
                          "program may wait for requests"));
  EXPECT_THAT(Rules(), ElementsAre("unaccounted_time"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

// What the program does between exchanges is not in such a file.
TEST_F(WallTest, AFileWithCommunicationOnly) {
  model_.StepInterval(0, kWall);
  model_.Op("NCCL_ALLREDUCE", 0, kWall / 4);
  EXPECT_THAT(Texts(), IsEmpty());
}

// An optimizer of the host: PyFunc is Python, RecvTensor waits for a task.
TEST_F(WallTest, TheAdviceForWorkOfTheHostDependsOnTheOperation) {
  for (const auto& [op, advice] :
       {std::pair("PyFunc", "Python inside of the graph"),
        {"RecvTensor", "what that task does"},
        {"MPI_Allreduce", "what the last of them does"},
        {"NonMaxSuppression", "Run these operations on the device"}}) {
    model_ = CallsModel();
    model_.StepInterval(0, kWall);
    model_.Op(op, kGap, kWall / 2);
    model_.Kernel("MatMul", 0, kGap, model_.Launch(0));
    model_.Kernel("MatMul", kGap + kWall / 2, kWall / 2 - kGap,
                  model_.Launch(kGap + kWall / 2 - 5));
    findings_.clear();
    Texts();
    ASSERT_THAT(Rules(), Contains("host_work")) << op;
    EXPECT_THAT(findings_[0].advice, HasSubstr(advice));
  }
}

TEST_F(WallTest, AHostThatReadsInput) {
  model_.StepInterval(0, kWall);
  model_.Op("aten::mm", 0, kWall / 2);
  model_.Python("data.py:3:load_batch", kWall / 2, kWall / 2);
  EXPECT_THAT(Texts(),
              ElementsAre("cpu:0: waits for input, loses 50.0% of its wall "
                          "time (50.00ms of 100.00ms) while the host reads or "
                          "prepares it: data.py:3:load_batch 50.00ms"));
}

TEST_F(WallTest, PythonIsTheWorkOfAHost) {
  model_.StepInterval(0, kWall);
  model_.Python("train.py:3:step", 0, kWall);
  EXPECT_THAT(Texts(), IsEmpty());
}

TEST_F(WallTest, HostsThatRecordSingleOperationsAreForOtherCheckers) {
  const profile::LaneId lane = model_.trace.Ops();
  model_.trace.graph().lanes.mutable_lane(lane).calls_nest = false;
  model_.StepInterval(0, kWall);
  model_.Op("MatMul", 0, kWall / 2);
  EXPECT_THAT(Texts(), IsEmpty());
}

}  // namespace wall_test
}  // namespace
}  // namespace tfprof::advisor

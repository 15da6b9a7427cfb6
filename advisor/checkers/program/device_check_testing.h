// The fixture for tests of checkers on recordings with host calls and launches.

#ifndef TFPROF_ADVISOR_CHECKERS_PROGRAM_DEVICE_CHECK_TESTING_H_
#define TFPROF_ADVISOR_CHECKERS_PROGRAM_DEVICE_CHECK_TESTING_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/advisor_testing.h"
#include "profile/profile.h"
#include "timeline/trace_testing.h"

namespace tfprof::advisor {

// The helpers take times in microseconds.
class CallsCheckTest : public AdvisorTest {
 protected:
  static constexpr int64_t kTicks = 1000;

  int Launch(std::string_view op, int64_t start, int64_t micros = 5,
             int64_t step = 0) {
    return model_.Add({.name = "cudaLaunchKernel",
                       .node = model_.Op(op),
                       .lane = model_.Launches(),
                       .start = start * kTicks,
                       .duration = micros * kTicks,
                       .step = step});
  }
  void HostOp(std::string_view op, int64_t start, int64_t micros,
              int64_t step = 0) {
    model_.Add({.name = std::string(op),
                .node = model_.Op(op),
                .lane = model_.Ops(),
                .start = start * kTicks,
                .duration = micros * kTicks,
                .step = step});
  }
  void Kernel(std::string_view op, int64_t start, int64_t micros,
              int launch = -1, int gpu = 0) {
    Run(op, "kernel", profile::LaneKind::kKernels, start, micros, launch, -1,
        gpu);
  }
  void Run(std::string_view op, std::string_view name, profile::LaneKind kind,
           int64_t start, int64_t micros, int launch = -1, int64_t bytes = -1,
           int gpu = 0) {
    model_.Add({.name = std::string(name),
                .node = model_.Op(op),
                .lane = model_.Stream(gpu, 7, kind),
                .start = start * kTicks,
                .duration = micros * kTicks,
                .launch = launch,
                .bytes = bytes});
  }
  // Its bytes are recorded if they are more than 0.
  void Collective(std::string_view op, int gpu, int64_t start, int64_t micros,
                  int64_t bytes) {
    profile::ArgumentList arguments;
    if (bytes > 0) arguments = {{"bytes_accessed", std::to_string(bytes)}};
    model_.Add(
        {.name = std::string(op),
         .node = model_.Op(op),
         .lane = model_.Stream(gpu, 20, profile::LaneKind::kCommunication),
         .start = start * kTicks,
         .duration = micros * kTicks,
         .arguments = arguments});
  }
  void StepInterval(int64_t step, int64_t start, int64_t end) {
    model_.builder().AddStepInterval({.step = step,
                                      .process = model_.process(),
                                      .start = start * 1000,
                                      .end = end * 1000});
  }
  // The texts of the findings of a checker. Consumes the model built so far.
  std::vector<std::string> CheckTrace(
      std::string_view checker, const std::map<std::string, double>& set = {}) {
    return CheckProfile(std::move(model_).Build(), checker, set);
  }

  timeline::TraceModel model_;
};

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CHECKERS_PROGRAM_DEVICE_CHECK_TESTING_H_

// CallsModel: makes traces by hand for tests of what the host does while
// devices are idle. A short form of TraceModel, in microseconds.
//
//   CallsModel model;
//   model.Kernel("aten::mm", 0, 100);
//   model.Python("train.py:3:load_batch", 100, 400);
//   const profile::Profile profile = std::move(model.trace).Build();

#ifndef TFPROF_TIMELINE_CALLS_TESTING_H_
#define TFPROF_TIMELINE_CALLS_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/profile.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {

struct CallsModel {
  using LaneKind = profile::LaneKind;

  // An operation, which is a node.
  void Op(std::string_view op, int64_t start, int64_t micros,
          int64_t thread = 1) {
    trace.Add({.name = std::string(op),
               .node = trace.Op(op),
               .lane = trace.Thread(thread, LaneKind::kCompute),
               .start = start,
               .duration = micros,
               .step = step});
  }
  // A call of the runtime. Returns its number, for Run().
  int Call(std::string_view name, int64_t start, int64_t micros,
           int64_t thread = 1) {
    return Outside(name, LaneKind::kLaunches, start, micros, thread);
  }
  void Python(std::string_view function, int64_t start, int64_t micros,
              int64_t thread = 1) {
    Outside(function, LaneKind::kPython, start, micros, thread);
  }
  int Launch(int64_t start, int64_t micros = 5, int64_t thread = 1) {
    return Call("cudaLaunchKernel", start, micros, thread);
  }
  int Outside(std::string_view name, LaneKind kind, int64_t start,
              int64_t micros, int64_t thread) {
    return trace.Add({.name = std::string(name),
                      .lane = trace.Thread(thread, kind),
                      .start = start,
                      .duration = micros,
                      .step = step});
  }
  void Kernel(std::string_view op, int64_t start, int64_t micros,
              int launch = -1, int64_t stream = 7) {
    Run(op, LaneKind::kKernels, start, micros, launch, stream);
  }
  void Run(std::string_view op, LaneKind kind, int64_t start, int64_t micros,
           int launch = -1, int64_t stream = 7) {
    trace.Add({.name = std::string(op),
               .node = trace.Op(op),
               .lane = trace.Stream(gpu, stream, kind),
               .start = start,
               .duration = micros,
               .step = step,
               .launch = launch});
  }
  // The input says when the step began and ended in this process.
  void StepInterval(int64_t start, int64_t end) {
    trace.builder().AddStepInterval({.step = step,
                                     .process = trace.process(),
                                     .start = start * profile::kNanosPerMicro,
                                     .end = end * profile::kNanosPerMicro});
  }

  TraceModel trace{/*ticks_per_micro=*/1};
  // Where the next calls are added.
  int64_t step = 0;
  int gpu = 0;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_CALLS_TESTING_H_

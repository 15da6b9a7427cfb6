#include "loaders/saved_trace/step_tables.h"

#include <cstdint>

#include "loaders/saved_trace/columns.h"
#include "loaders/saved_trace/fields.h"
#include "loaders/saved_trace/ids.h"
#include "profile/profile.h"

namespace tfprof::saved_trace {
namespace {

constexpr size_t kNumPhases = static_cast<size_t>(profile::Phase::kMixed) + 1;

}  // namespace

bool AddPhases(std::string_view bytes, size_t num_processes,
               profile::ProfileBuilder& builder) {
  Columns c;
  if (!c.Read(bytes)) return false;
  const size_t size = c.Size(trace_phases::kStep);
  if (!c.HaveRows(trace_phases::kStep, trace_phases::kTokens, size)) {
    return false;
  }
  for (size_t i = 0; i < size; ++i) {
    const int64_t process = c.At(trace_phases::kProcess, i);
    const int64_t phase = c.At(trace_phases::kPhase, i);
    if (!IsId(process, num_processes) || !IsId(phase, kNumPhases)) {
      return false;
    }
    builder.AddStepPhase({.step = c.At(trace_phases::kStep, i),
                          .process = static_cast<profile::ProcessId>(process),
                          .phase = static_cast<profile::Phase>(phase),
                          .requests = c.At(trace_phases::kRequests, i),
                          .tokens = c.At(trace_phases::kTokens, i)});
  }
  return true;
}

bool AddReplays(std::string_view bytes, size_t num_processes,
                profile::ProfileBuilder& builder) {
  Columns c;
  if (!c.Read(bytes)) return false;
  const size_t size = c.Size(trace_replays::kStep);
  if (!c.HaveRows(trace_replays::kStep, trace_replays::kUnnamedTime, size)) {
    return false;
  }
  for (size_t i = 0; i < size; ++i) {
    const int64_t process = c.At(trace_replays::kProcess, i);
    if (!IsId(process, num_processes)) return false;
    builder.AddGraphReplay(
        {.step = c.At(trace_replays::kStep, i),
         .process = static_cast<profile::ProcessId>(process),
         .launches = c.At(trace_replays::kLaunches, i),
         .kernels = c.At(trace_replays::kKernels, i),
         .time = c.At(trace_replays::kTime, i),
         .unnamed_launches = c.At(trace_replays::kUnnamedLaunches, i),
         .unnamed_kernels = c.At(trace_replays::kUnnamedKernels, i),
         .unnamed_time = c.At(trace_replays::kUnnamedTime, i)});
  }
  return true;
}

}  // namespace tfprof::saved_trace

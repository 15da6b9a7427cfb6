// StepPhases: what an inference engine did in each step, if the input says so.
//
// An engine computes new tokens for requests. In a prefill it reads the prompt
// of a request: all of its tokens at once. In a decode it makes the next token,
// or a few. A step may do both, for different requests. There is at most one
// row for each step in a process, ascending by step, then process.
//
// Without this table, steps have no phases: training, TensorFlow 1. Immutable;
// shared between profiles.

#ifndef TFPROF_PROFILE_STEPS_STEP_PHASES_H_
#define TFPROF_PROFILE_STEPS_STEP_PHASES_H_

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/steps/step_intervals.h"

namespace tfprof::profile {

enum class Phase : uint8_t {
  kNone,  // the step has no phase: an engine that makes images
  kPrefill,
  kDecode,
  kMixed,  // prefill of some requests and decode of others
};

// "prefill", "decode", "mixed", or "" for kNone.
constexpr std::string_view PhaseName(Phase phase) {
  switch (phase) {
    case Phase::kPrefill:
      return "prefill";
    case Phase::kDecode:
      return "decode";
    case Phase::kMixed:
      return "mixed";
    case Phase::kNone:
      break;
  }
  return "";
}

struct StepPhase {
  static constexpr int64_t kUnknown = -1;

  int64_t step = 0;  // Step::id
  ProcessId process = 0;
  Phase phase = Phase::kNone;
  // How many requests the step served, and the new tokens of them all; or
  // kUnknown.
  int64_t requests = kUnknown;
  int64_t tokens = kUnknown;
  friend auto operator<=>(const StepPhase&, const StepPhase&) = default;
};

using StepPhases = std::vector<StepPhase>;

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_STEPS_STEP_PHASES_H_

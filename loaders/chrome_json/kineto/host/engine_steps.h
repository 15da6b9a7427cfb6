// The names that inference engines give to their steps, and what they say.
//
//   vLLM       execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32…)
//              execute_context_1(700)_generation_2(2)
//   SGLang     step[EXTEND bs=3 toks=3000], step[DECODE bs=3], step[MIXED …]
//   ATOM       prefill[bs=2 tok=900 …], decode[bs=3/4 tok=3 …]
//   diffusion  execute_diffusion_1_256x256
//
// g3doc/formats/kineto.md lists the numbers of each form.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_ENGINE_STEPS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_ENGINE_STEPS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "profile/steps/step_phases.h"

namespace tfprof::kineto {

struct EngineStep {
  profile::Phase phase = profile::Phase::kNone;
  // StepPhase::kUnknown: the name does not say it.
  int64_t requests = profile::StepPhase::kUnknown;
  int64_t tokens = profile::StepPhase::kUnknown;
  // For how many tokens, or requests, a graph of the step must have been
  // captured.
  int64_t batch = 0;
  // The name also has sums over the lengths of requests. An engine may write a
  // step twice: once with such a name, and inside it with a short one.
  bool detailed = false;
};

// Returns nullopt if `name` is not the name of a step.
std::optional<EngineStep> ReadEngineStep(std::string_view name);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_ENGINE_STEPS_H_

// Replaces random step numbers by readable ones.
//
// TensorFlow 2 gives each call of a function a random 64-bit number as its
// step. Such numbers have no order, and JSON cannot hold them exactly. These
// steps get the numbers after the numbers of session runs, or 0, 1, 2 … without
// session runs, in the order in which they begin. Steps of several processes
// with the same number stay one step.

#ifndef TFPROF_LOADERS_CTF_MODEL_STEP_NUMBERS_H_
#define TFPROF_LOADERS_CTF_MODEL_STEP_NUMBERS_H_

#include "loaders/core/import_log.h"
#include "loaders/ctf/events/trace_facts.h"

namespace tfprof::ctf {

// Changes the sessions and the steps of the ops in `facts`, and logs it.
void NumberSteps(TraceFacts& facts, loaders::ImportLog& log);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_STEP_NUMBERS_H_

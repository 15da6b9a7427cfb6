// Numbers of steps that a person can use.
//
// TensorFlow 2 gives each call of a function a random number of 64 bits as its
// step. Such numbers say nothing of the order, and JSON cannot hold them
// exactly. These steps get the numbers that follow those of the runs of
// sessions, or 0, 1, 2 … if there are none, in the order in which they begin.
// Steps of several processes with one number stay one step.

#ifndef TFPROF_LOADERS_CTF_MODEL_STEP_NUMBERS_H_
#define TFPROF_LOADERS_CTF_MODEL_STEP_NUMBERS_H_

#include "loaders/ctf/events/trace_facts.h"
#include "loaders/import_log.h"

namespace tfprof::ctf {

// Changes the sessions of `facts`, and the steps of its ops. The log says so.
void NumberSteps(TraceFacts& facts, ImportLog& log);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_STEP_NUMBERS_H_

// Finds the step id of an op in its OpKernelContext, whose class is unknown
// here. All assumptions are verified in the running process:
//
//   1. A constructor gets the parameters of a context. The context stores them
//      in the only word of the object that equals their address.
//   2. The parameters begin with the step id. This is assumed only after an op
//      was seen whose first word is the id of the run that is open.
//
// Until then, and in versions where this does not hold, ops have no step id and
// belong to the step that is open when they run.

#ifndef TFPROF_RECORD_TENSORFLOW_STEP_IDS_H_
#define TFPROF_RECORD_TENSORFLOW_STEP_IDS_H_

#include <cstdint>

#include "record/tensorflow/library_abi.h"

namespace tfprof::record {

// Called after a constructor of an OpKernelContext has returned.
void LearnContext(const void* context, const void* params);

// Called when a run with this id begins.
void ExpectStep(int64_t step);

// The step id of the op with this context, or kNoStep.
int64_t StepOf(const void* context);

// True if the ids that StepOf() returns have been verified.
bool AreStepIdsKnown();

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_STEP_IDS_H_

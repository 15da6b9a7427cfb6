// The step id of an op: how it is found in an OpKernelContext, whose class is
// not known here. All that is taken for granted is checked in the process:
//
//   1. Where a context keeps its parameters is learnt from its constructor,
//      which gets them: the one word of the object that is their address.
//   2. The parameters begin with the step id. This is believed after an op was
//      seen whose first word is the id of the run that is open.
//
// Until then, and in a version where it is different, ops have no step id, and
// belong to the step that is open when they run.

#ifndef TFPROF_RECORD_TENSORFLOW_STEP_IDS_H_
#define TFPROF_RECORD_TENSORFLOW_STEP_IDS_H_

#include <cstdint>

#include "record/tensorflow/library_abi.h"

namespace tfprof::record {

// A constructor of an OpKernelContext has ended.
void LearnContext(const void* context, const void* params);

// A run with this id begins.
void ExpectStep(int64_t step);

// The step of the op that gets this context, or kNoStep.
int64_t StepOf(const void* context);

// Whether what `StepOf` tells has been confirmed.
bool AreStepIdsKnown();

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_STEP_IDS_H_

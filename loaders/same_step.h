// What to do with a step of a profile when a profile before it has a step of
// the same number, with other executions on the same device.

#ifndef TFPROF_LOADERS_SAME_STEP_H_
#define TFPROF_LOADERS_SAME_STEP_H_

namespace tfprof {

enum class SameStep {
  kRenumber,  // it is another step, with a number that is free
  kMerge,     // it is the same step, which gets all executions
  kError,     // the load fails
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_SAME_STEP_H_

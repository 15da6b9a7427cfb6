// What to do with a step of a profile when a profile before it has a step of
// the same number, with other executions on the same device.

#ifndef TFPROF_LOADERS_SAME_STEP_H_
#define TFPROF_LOADERS_SAME_STEP_H_

namespace tfprof {

enum class SameStep {
  kRenumber,  // it is another step, and gets a free number
  kMerge,     // it is the same step, and all executions are in it
  kError,     // the load fails
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_SAME_STEP_H_

// What to do if a profile has a step with the same number as a step of an
// earlier profile, but with other executions on the same device.

#ifndef TFPROF_LOADERS_NODES_SAME_STEP_H_
#define TFPROF_LOADERS_NODES_SAME_STEP_H_

namespace tfprof::loaders {

enum class SameStep {
  kRenumber,  // it is another step and gets a free number
  kMerge,     // it is the same step, which gets all executions
  kError,     // the load fails
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_NODES_SAME_STEP_H_

// What becomes of a step that a profile file has, and a profile before it too,
// with other executions on the same device.

#ifndef TFPROF_LOADERS_SAME_STEP_H_
#define TFPROF_LOADERS_SAME_STEP_H_

namespace tfprof {

enum class SameStep {
  kRenumber,  // it is another step, and gets a free number
  kMerge,     // it is the same step, and all executions are in it
  kError,     // somebody made a mistake
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_SAME_STEP_H_

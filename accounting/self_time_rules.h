// SelfTimeRules: the accounting of traces whose executions nest (PyTorch,
// XPlane, ONNX Runtime, chrome traces).
//
// The time of an execution is its own: without the executions inside it
// (LaneExecutions::self). So the sum over all nodes counts each nanosecond of a
// lane once. The kind of the lane says what the time is:
//
//   kKernels, kCopies, kCommunication   accelerator time
//   kCompute, kLaunches                 CPU time
//   kAnnotation, kOther                 none: the executions are facts only,
//                                       because they repeat other lanes
//
// Each execution on a lane with time is a run, unless its batch says that other
// records count the runs (LaneExecutions::are_runs). Memory is summed as the
// records have it. Durations are counted as they are, 0 included; a negative
// one counts as 0. An execution without a start has no time and is no run.
//
// The rules have no device of a node: lanes have the devices.

#ifndef TFPROF_ACCOUNTING_SELF_TIME_RULES_H_
#define TFPROF_ACCOUNTING_SELF_TIME_RULES_H_

#include "profile/accounting_rules.h"

namespace tfprof {

const AccountingRules& SelfTimeRules();

}  // namespace tfprof

#endif  // TFPROF_ACCOUNTING_SELF_TIME_RULES_H_

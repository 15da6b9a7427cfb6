// SelfTimeRules: the accounting of traces whose executions nest (PyTorch,
// XPlane, ONNX Runtime, chrome traces).
//
// The time of an execution is its self time, without nested executions
// (LaneExecutions::self). So the sum over all nodes counts each nanosecond of a
// lane once. The kind of the lane determines the kind of time:
//
//   kKernels, kCopies, kCommunication   accelerator time
//   kCompute, kLaunches                 CPU time
//   kAnnotation, kOther                 none: the executions are facts only,
//                                       because they repeat other lanes
//
// Each execution on a lane with a kind of time is a run, unless its batch
// states that other records count the runs (LaneExecutions::are_runs). All
// recorded memory is summed. Durations count unchanged, including 0; a negative
// duration counts as 0. An execution without a start has no time and is no run.
//
// These rules assign no devices to nodes, because lanes have the devices.

#ifndef TFPROF_ACCOUNTING_SELF_TIME_RULES_H_
#define TFPROF_ACCOUNTING_SELF_TIME_RULES_H_

#include "profile/accounting_rules.h"

namespace tfprof::accounting {

const profile::AccountingRules& SelfTimeRules();

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_SELF_TIME_RULES_H_

// The reference's accounting: which executions of a TensorFlow 1 profile count,
// and as what. No other file knows these rules. The sums are the reference's,
// byte for byte (spec 3.2 to 3.6).
//
// - A record that matches no node creates a node of its name, unless the name
//   is RecvTensor, _SOURCE or …MEMCPY…. Those never count.
// - The first canonical device on which a node runs is the node's device.
//   Records of the node on another canonical device do not count and belong to
//   no node; they remain facts of the step.
// - A duration of 0 counts as 1 microsecond.
// - On a device with "stream:all" in its name a record is accelerator time, on
//   another canonical device it is CPU time and one run, elsewhere neither.
// - Memory counts on the node's own device only. For a node without a device,
//   that is the device whose name is empty.
// - A record without a valid start is in no sum, and neither is its memory.
// - The end of a group is at least 0.
//
// For averages over steps, see node_stats.h.

#ifndef TFPROF_ACCOUNTING_TFPROF_RULES_H_
#define TFPROF_ACCOUNTING_TFPROF_RULES_H_

#include "profile/accounting_rules.h"

namespace tfprof::accounting {

const profile::AccountingRules& TfprofRules();

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_TFPROF_RULES_H_

// The class of an operation, for sums over many files: what kind of work its
// type stands for.
//
//   ClassOfOp(rules, "aten::mm")             // kCompute
//   ClassOfOp(rules, "ncclDevKernel_…")      // kCollective
//
// It has no rules of its own: communication.h knows collectives and transfers,
// work_classes.h knows input, waits, copies and markers of steps. A name that
// no rule knows is kCompute. The functions take time linear in the name.

#ifndef TFPROF_TIMELINE_ACCOUNT_OP_CLASS_H_
#define TFPROF_TIMELINE_ACCOUNT_OP_CLASS_H_

#include <cstdint>
#include <string_view>

#include "timeline/ranks/communication.h"

namespace tfprof::timeline {

enum class OpClass : uint8_t {
  kCompute,
  kCollective,  // also other communication, and waiting in it
  kCopy,        // waits for a copy that the device makes
  kInput,       // reads or prepares input
  kWait,        // waits for a device, a thread or another process
  // The marker of a step, which contains other work. Tables of one profile also
  // say this of a named range (op_roles.h).
  kFrame,
};

// In data: "compute", "collective", "copy", "input", "wait", "frame".
std::string_view OpClassName(OpClass of);

OpClass ClassOfOp(const CommunicationRules& rules, std::string_view op);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_OP_CLASS_H_

#include "timeline/account/op_class.h"

#include "timeline/account/work_classes.h"

namespace tfprof::timeline {

std::string_view OpClassName(OpClass of) {
  switch (of) {
    case OpClass::kCollective:
      return "collective";
    case OpClass::kCopy:
      return "copy";
    case OpClass::kInput:
      return "input";
    case OpClass::kWait:
      return "wait";
    case OpClass::kFrame:
      return "frame";
    case OpClass::kCompute:
      break;
  }
  return "compute";
}

OpClass ClassOfOp(const CommunicationRules& rules, std::string_view op) {
  if (rules.IsCommunication(op)) return OpClass::kCollective;
  if (WaitsForCopy(op)) return OpClass::kCopy;
  if (IsWait(op)) return OpClass::kWait;
  if (RoleOf(op) == "frame") return OpClass::kFrame;
  const HostCall call =
      IsPythonFunction(op) ? HostCallOfFunction(op) : HostCallOf(op);
  return call == HostCall::kInput ? OpClass::kInput : OpClass::kCompute;
}

}  // namespace tfprof::timeline

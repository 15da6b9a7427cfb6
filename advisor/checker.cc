#include "advisor/checker.h"

namespace tfprof {

std::span<const Checker> Checkers() {
  static constexpr Checker kCheckers[] = {
      {"AcceleratorUtilizationChecker", CheckAcceleratorUtilization},
      {"OperationChecker", CheckOperations},
      {"ExpensiveOperationChecker", CheckExpensiveOperations},
  };
  return kCheckers;
}

}  // namespace tfprof

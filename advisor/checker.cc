#include "advisor/checker.h"

namespace tfprof {

double CheckerSettings::Get(std::string_view name) const {
  if (const auto set = set_.find(std::string(name)); set != set_.end()) {
    return set->second;
  }
  for (const CheckerOption& option : options_) {
    if (option.name == name) return option.value;
  }
  return 0;
}

std::span<const Checker* const> Checkers() {
  static constexpr const Checker* kCheckers[] = {
      &kAcceleratorUtilizationChecker,
      &kOperationChecker,
      &kExpensiveOperationChecker,
      &kCopyChecker,
      &kDeviceIdleChecker,
      &kHostBoundChecker,
      &kTinyOpsChecker,
      &kWaitChecker,
      &kInputPipelineChecker,
      &kPlacementChecker,
      &kBatchNormChecker,
      &kLayoutChecker,
      &kMemoryPeakChecker,
      &kStepVarianceChecker,
      &kStragglerChecker,
      &kJobChecker,
  };
  return kCheckers;
}

const Checker* FindChecker(std::string_view name) {
  for (const Checker* checker : Checkers()) {
    if (checker->name == name) return checker;
  }
  return nullptr;
}

}  // namespace tfprof

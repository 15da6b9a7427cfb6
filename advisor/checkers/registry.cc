#include "advisor/checkers/registry.h"

namespace tfprof {

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
      &kStepDifferenceChecker,
      &kDominantNodeChecker,
      &kStragglerChecker,
      &kJobChecker,

      &kUnaccountedTimeChecker,
      &kTraceIdleChecker,
      &kTraceKernelsChecker,
      &kTraceCopiesChecker,
      &kSynchronizationChecker,
      &kCommunicationOverlapChecker,
      &kPeakShareChecker,
      &kPythonOverheadChecker,
      &kRecompilationChecker,
      &kRankSkewChecker,
      &kMemoryGrowthChecker,

      &kImportChecker,
      &kGraphChecker,
      &kStepsChecker,
      &kCoverageChecker,
      &kKernelsChecker,
      &kStartTimesChecker,
      &kStepOrderChecker,
      &kDeviceClocksChecker,
      &kTracingOverheadChecker,
      &kMemoryChecker,
      &kShapesChecker,
      &kCodeChecker,
      &kFloatOpsChecker,
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

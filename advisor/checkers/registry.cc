#include "advisor/checkers/registry.h"

namespace tfprof::advisor {

std::span<const Checker* const> Checkers() {
  static constexpr const Checker* kCheckers[] = {
      &kAcceleratorUtilizationChecker,
      &kOperationChecker,
      &kExpensiveOperationChecker,
      &kCopyChecker,
      &kIdleChecker,
      &kShortKernelChecker,
      &kOverlapChecker,
      &kSkewChecker,
      &kUnusedDeviceChecker,
      &kInputPipelineChecker,
      &kPlacementChecker,
      &kBatchNormChecker,
      &kLayoutChecker,
      &kFusedKernelChecker,
      &kDoubleKernelChecker,
      &kMemoryPeakChecker,
      &kStepVarianceChecker,
      &kStepDifferenceChecker,
      &kDominantNodeChecker,
      &kJobChecker,
      &kPipelineChecker,
      &kStageWaitChecker,

      &kRecompilationChecker,
      &kSiblingChecker,
      &kTrendChecker,
      &kMemoryChurnChecker,
      &kCollectiveChecker,
      &kStreamChecker,
      &kWallChecker,
      &kBetweenStepsChecker,
      &kScalarReadChecker,
      &kPeakShareChecker,
      &kMemoryGrowthChecker,
      &kGraphLaunchChecker,
      &kThreadChecker,
      &kNegotiationChecker,

      &kFlightRecorderChecker,
      &kSnapshotChecker,
      &kCompileLogChecker,

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

}  // namespace tfprof::advisor

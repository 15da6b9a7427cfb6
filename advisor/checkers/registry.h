// The registry: all checkers of this program.
//
// The reference's three come first, in its order; the health checkers come
// last, in the order of their rows in `doctor`. A new checker is a file in this
// folder, a declaration here and a line in registry.cc.

#ifndef TFPROF_ADVISOR_CHECKERS_REGISTRY_H_
#define TFPROF_ADVISOR_CHECKERS_REGISTRY_H_

#include <span>
#include <string_view>

#include "advisor/checker.h"

namespace tfprof::advisor {

std::span<const Checker* const> Checkers();
// Returns nullptr if there is no such checker.
const Checker* FindChecker(std::string_view name);

// Each is defined in a file of its own.
extern const Checker kAcceleratorUtilizationChecker;
extern const Checker kOperationChecker;
extern const Checker kExpensiveOperationChecker;
extern const Checker kCopyChecker;
extern const Checker kIdleChecker;
extern const Checker kShortKernelChecker;
extern const Checker kOverlapChecker;
extern const Checker kSkewChecker;
extern const Checker kUnusedDeviceChecker;
extern const Checker kInputPipelineChecker;
extern const Checker kPlacementChecker;
extern const Checker kBatchNormChecker;
extern const Checker kLayoutChecker;
extern const Checker kFusedKernelChecker;
extern const Checker kDoubleKernelChecker;
extern const Checker kMemoryPeakChecker;
extern const Checker kStepVarianceChecker;
extern const Checker kStepDifferenceChecker;
extern const Checker kDominantNodeChecker;
extern const Checker kJobChecker;
extern const Checker kPipelineChecker;
extern const Checker kStageWaitChecker;

// Findings of equal weight are shown in this order, so the checkers of one
// cause are before the checker of all causes.
extern const Checker kRecompilationChecker;
extern const Checker kSiblingChecker;
extern const Checker kTrendChecker;
extern const Checker kMemoryChurnChecker;
extern const Checker kCollectiveChecker;
extern const Checker kStreamChecker;
extern const Checker kWallChecker;
extern const Checker kBetweenStepsChecker;
extern const Checker kScalarReadChecker;
extern const Checker kPeakShareChecker;
extern const Checker kMemoryGrowthChecker;
extern const Checker kGraphLaunchChecker;
extern const Checker kThreadChecker;
extern const Checker kNegotiationChecker;

// Of other records than executions.
extern const Checker kFlightRecorderChecker;
extern const Checker kSnapshotChecker;
extern const Checker kCompileLogChecker;

// The health checkers: health_*.cc.
extern const Checker kImportChecker;
extern const Checker kGraphChecker;
extern const Checker kStepsChecker;
extern const Checker kCoverageChecker;
extern const Checker kKernelsChecker;
extern const Checker kStartTimesChecker;
extern const Checker kStepOrderChecker;
extern const Checker kDeviceClocksChecker;
extern const Checker kTracingOverheadChecker;
extern const Checker kMemoryChecker;
extern const Checker kShapesChecker;
extern const Checker kCodeChecker;
extern const Checker kFloatOpsChecker;

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CHECKERS_REGISTRY_H_

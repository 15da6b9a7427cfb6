// Follows the wait of a rank in collectives to what the rank does for which it
// waits. Times are ticks of the profile.

#ifndef TFPROF_ADVISOR_CHECKERS_STEPS_LATE_RANK_H_
#define TFPROF_ADVISOR_CHECKERS_STEPS_LATE_RANK_H_

#include <cstdint>
#include <optional>
#include <span>

#include "advisor/checkers/program/device_check.h"
#include "timeline/account/account.h"

namespace tfprof::advisor {

struct LateCause {
  timeline::GrownPart more;      // than the device that waits, in all steps
  timeline::DeviceAccount late;  // of the late ranks, over all steps
};

// What the ranks do for which device `unit` waits in the steps of `accounts`;
// nullopt if nothing explains the wait: a wait is no reason to be late.
std::optional<LateCause> FollowLateRank(
    const DeviceCheck& check,
    std::span<const timeline::StepAccount* const> accounts, uint32_t unit);

// Whether ranks are stages of a pipeline, which are not done at the same time:
// StageWaitChecker judges them.
bool HasStages(const DeviceCheck& check);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CHECKERS_STEPS_LATE_RANK_H_

// Decides whether a profile has the records that a checker needs. A checker
// that cannot judge finds nothing, which must not look as if all were well.

#ifndef TFPROF_ADVISOR_CAN_JUDGE_H_
#define TFPROF_ADVISOR_CAN_JUDGE_H_

#include <string>

#include "advisor/checker.h"

namespace tfprof::advisor {

// The reason why `checker` cannot judge this profile, without a full stop: "no
// calls of a host". Empty if it can.
std::string WhyNotJudged(const Checker& checker,
                         const CheckerSettings& settings,
                         const CheckerInput& input);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CAN_JUDGE_H_

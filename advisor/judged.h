// Whether a profile has what a checker needs to judge it. A checker that cannot
// judge finds nothing, which must not look as if all were well.

#ifndef TFPROF_ADVISOR_JUDGED_H_
#define TFPROF_ADVISOR_JUDGED_H_

#include <string>

#include "advisor/checker.h"

namespace tfprof {

// Why `checker` cannot judge this profile, without a full stop: "no calls of a
// host". Empty: it can.
std::string WhyNotJudged(const Checker& checker,
                         const CheckerSettings& settings,
                         const CheckerInput& input);

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_JUDGED_H_

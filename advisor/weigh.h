// Weighs findings: against the wall time of the steps, and those of different
// checkers against each other.

#ifndef TFPROF_ADVISOR_WEIGH_H_
#define TFPROF_ADVISOR_WEIGH_H_

#include "advisor/advice.h"
#include "views/views.h"

namespace tfprof::advisor {

// Savings are averages over the judged steps, so none is above the wall time of
// the longest usual step, or of the average step if that is longer. What saves
// less than a quarter of that is not critical, and what saves less than a
// hundredth is no warning: checkers compare with other times, such as the busy
// time of a device.
void LimitSavings(views::Views& views, Advice& advice);

// Of two rules that report one loss, keeps the one that says more about it.
void DropDoubles(Advice& advice);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_WEIGH_H_

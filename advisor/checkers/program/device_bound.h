// Whether the accelerators bound the run: findings about their work save little
// if they are idle because of something else.

#ifndef TFPROF_ADVISOR_CHECKERS_PROGRAM_DEVICE_BOUND_H_
#define TFPROF_ADVISOR_CHECKERS_PROGRAM_DEVICE_BOUND_H_

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"

namespace tfprof::advisor {

// A device that is idle for most of the time, and for whose work the host
// mostly does not wait, does not bound the run: what makes it faster makes it
// wait longer. Lowers the severity and the saving of a finding about its work
// then, and says why.
void LowerIfIdle(const DeviceCheck& check, Finding& f);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CHECKERS_PROGRAM_DEVICE_BOUND_H_

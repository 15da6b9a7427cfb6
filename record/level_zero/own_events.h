// Events with time stamps for commands that signal no event of the program.
// They are created on demand and reused. The caller must hold a lock.

#ifndef TFPROF_RECORD_LEVEL_ZERO_OWN_EVENTS_H_
#define TFPROF_RECORD_LEVEL_ZERO_OWN_EVENTS_H_

#include "record/level_zero/level_zero_abi.h"

namespace tfprof::record::level_zero {

// Returns null if there are too many events or Level Zero creates none.
Handle TakeEvent(Handle context);
// Resets the event and keeps it for the next command.
void GiveBackEvent(Handle event);
void ResetEvent(Handle event);

}  // namespace tfprof::record::level_zero

#endif  // TFPROF_RECORD_LEVEL_ZERO_OWN_EVENTS_H_

// Events with time stamps for commands that signal none of the program. They
// are made when they are needed, and used again. The caller has a lock.

#ifndef TFPROF_RECORD_LEVEL_ZERO_OWN_EVENTS_H_
#define TFPROF_RECORD_LEVEL_ZERO_OWN_EVENTS_H_

#include "record/level_zero/level_zero_abi.h"

namespace tfprof::record::level_zero {

// Null: there are too many, or Level Zero makes none.
Handle TakeEvent(Handle context);
// It is reset, for the next command.
void GiveBackEvent(Handle event);
void ResetEvent(Handle event);

}  // namespace tfprof::record::level_zero

#endif  // TFPROF_RECORD_LEVEL_ZERO_OWN_EVENTS_H_

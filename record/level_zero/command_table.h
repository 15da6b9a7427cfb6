// The commands in Level Zero command lists, until their devices have reported
// their times.
//
// Each command signals an event with a time stamp: the program's event, or one
// of ours if the program gave none. When the program has waited for something,
// the events of all submitted commands are queried. An event that the program
// resets or destroys is queried before that.

#ifndef TFPROF_RECORD_LEVEL_ZERO_COMMAND_TABLE_H_
#define TFPROF_RECORD_LEVEL_ZERO_COMMAND_TABLE_H_

#include <cstdint>
#include <string_view>

#include "record/level_zero/level_zero_abi.h"
#include "record/sink.h"

namespace tfprof::record::level_zero {

// The program has created this list. An immediate list submits commands as they
// are appended.
void AddList(Handle list, Handle context, Handle device, bool is_immediate);
// The list is reset or destroyed, and its commands are gone.
void ClearList(Handle list, bool is_destroyed);

struct NewCommand {
  std::string_view name;  // kept until the process ends
  const char* operation;
  tfprof_work_kind kind;
  uint64_t bytes = 0;
  uint64_t correlation = 0;
};
// Adds a command that will be appended to the list. Returns the event that it
// must signal: `event`, or one of ours if that is null.
Handle AddCommand(Handle list, const NewCommand& command, Handle event);

// The call with this correlation has submitted the lists to a queue.
void SubmitLists(Handle queue, uint32_t num_lists, const Handle* lists,
                 uint64_t correlation);

// Reports all commands that have ended to the sink.
void AskAll();
// Does the same for commands that signal this event, whose time is about to be
// lost.
void AskBeforeReset(Handle event);

}  // namespace tfprof::record::level_zero

#endif  // TFPROF_RECORD_LEVEL_ZERO_COMMAND_TABLE_H_

// The commands of Level Zero that are in command lists, until their devices
// have told their times.
//
// A command signals an event with a time stamp: that of the program, or one of
// ours where the program gave none. When the program has waited for something,
// the events of all submitted commands are asked. An event that the program
// resets or destroys is asked before.

#ifndef TFPROF_RECORD_LEVEL_ZERO_COMMAND_TABLE_H_
#define TFPROF_RECORD_LEVEL_ZERO_COMMAND_TABLE_H_

#include <cstdint>
#include <string_view>

#include "record/level_zero/level_zero_abi.h"
#include "record/sink.h"

namespace tfprof::record::level_zero {

// A list that was made. An immediate one submits what is appended to it.
void AddList(Handle list, Handle context, Handle device, bool is_immediate);
// It is reset, or destroyed: its commands are gone.
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

// The lists are given to a queue, by the call with this correlation.
void SubmitLists(Handle queue, uint32_t num_lists, const Handle* lists,
                 uint64_t correlation);

// Tells the sink of all commands that have ended.
void AskAll();
// The same for those that signal this event, which is about to lose its time.
void AskBeforeReset(Handle event);

}  // namespace tfprof::record::level_zero

#endif  // TFPROF_RECORD_LEVEL_ZERO_COMMAND_TABLE_H_

// Reads trace events whose JSON is damaged (event_scanner.h).
//
// Some writers do not escape names, so the end of a string is ambiguous. But
// they write the members of an event one after the other, with known keys. So
// in a damaged event, a string ends at the first quote that is followed by
// another known member or by the next event. Offsets are bytes in `text`. All
// functions take linear time on any text.

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_REPAIR_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_REPAIR_H_

#include <cstddef>
#include <string_view>

namespace tfprof::chrome_json {

struct TraceEvent;

// Stores the value of a member in the event. `value` is the text of a scalar
// without quotes, or of an object or array. Unknown keys are ignored.
void SetEventMember(std::string_view key, std::string_view value,
                    TraceEvent& event);

// Returns the '{' of the first event at or after `from` that follows another
// event or the beginning of the array; npos if there is none.
size_t FindNextEvent(std::string_view text, size_t from);

// Reads the event whose '{' is at `begin`. It ends before `next`, the beginning
// of the next event (npos: it is the last one). Returns its end, or npos if it
// could not be read or lacks its phase. Sets `has_args` to false if the event
// has arguments that could not be read.
size_t RepairEvent(std::string_view text, size_t begin, size_t next,
                   TraceEvent& event, bool& has_args);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_REPAIR_H_

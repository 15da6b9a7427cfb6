// Reads trace events whose JSON is damaged (event_scanner.h).
//
// Writers that do not escape names break the rule by which a string ends. But
// they write the members of an event one after the other, with known keys: so
// in a damaged event a string ends at the first quote behind which another
// known member begins, or the next event. All functions look at a stretch of
// text once or a few times, whatever the text is.

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_REPAIR_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_REPAIR_H_

#include <cstddef>
#include <string_view>

namespace tfprof {

struct TraceEvent;

// Puts the value of a member into the event; `value` is the text of a scalar
// without quotes, or of an object or array. Unknown keys are ignored.
void SetEventMember(std::string_view key, std::string_view value,
                    TraceEvent& event);

// The '{' of the first event at or after `from` that follows another event or
// the beginning of the array; npos: there is none.
size_t FindNextEvent(std::string_view text, size_t from);

// Reads the event whose '{' is at `begin`. It ends before `next`, the place of
// the next event (npos: it is the last one). Returns where it ends; npos: it
// could not be read, or lacks its phase.
size_t RepairEvent(std::string_view text, size_t begin, size_t next,
                   TraceEvent& event);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_REPAIR_H_

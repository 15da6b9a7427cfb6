// The events of a trace, read by several threads.
//
// The text is cut into pieces. Each is read ahead from the first place in it
// that looks like the beginning of an event (EventScanner::ReadAhead), and the
// scanner goes over what it finds right. Where it does not, it reads the piece
// itself. So the events are always those that the scanner finds alone, in the
// order of the file, whatever the number of threads.

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_PIECES_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_PIECES_H_

#include <cstddef>
#include <functional>

#include "loaders/chrome_json/event_scanner.h"
#include "util/work.h"

namespace tfprof {

// Calls add(event) for each event of the scanner, on this thread, and
// read(bytes) after each piece; the sum of `bytes` is the size of the text.
// After a cancellation some events are missing. What is known of the events of
// a piece should stay in the cache; tests take smaller pieces.
void VisitEvents(EventScanner& scanner, const Work& work,
                 const std::function<void(const TraceEvent&)>& add,
                 const std::function<void(size_t)>& read,
                 size_t piece_size = 1 << 16);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_PIECES_H_

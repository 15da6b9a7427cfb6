// Reads the events of a trace with several threads.
//
// The text is cut into pieces. Each piece is read ahead from the first place in
// it that looks like the beginning of an event (EventScanner::ReadAhead). If
// the scanner arrives at exactly this place, it takes these events; otherwise
// it reads the piece itself. So the result is always what the scanner finds
// alone, in the order of the file, for any number of threads.

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_PIECES_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_PIECES_H_

#include <cstddef>
#include <functional>

#include "loaders/chrome_json/event_scanner.h"
#include "util/run/task_options.h"

namespace tfprof::chrome_json {

// Calls add(event) for each event of the scanner, on this thread, and
// read(bytes) after each piece; the sum of `bytes` is the size of the text.
// After a cancellation some events are missing. A piece is so small that its
// events stay in the cache; tests use smaller pieces.
void VisitEvents(EventScanner& scanner, const util::TaskOptions& work,
                 const std::function<void(const TraceEvent&)>& add,
                 const std::function<void(size_t)>& read,
                 size_t piece_size = 1 << 16);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_PIECES_H_

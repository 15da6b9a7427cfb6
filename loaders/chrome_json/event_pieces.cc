#include "loaders/chrome_json/event_pieces.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "util/run/threads.h"

namespace tfprof::chrome_json {
void VisitEvents(EventScanner& scanner, const util::TaskOptions& work,
                 const std::function<void(const TraceEvent&)>& add,
                 const std::function<void(size_t)>& read, size_t piece_size) {
  const size_t size = scanner.size();
  const size_t num_pieces = size / piece_size + 1;
  std::vector<EventsAhead> pieces(num_pieces);
  util::ParallelPipeline(
      work, num_pieces,
      [&](size_t i) {
        if (work.cancelled()) return;
        pieces[i] = scanner.ReadAhead(i * piece_size, (i + 1) * piece_size);
      },
      [&](size_t i) {
        if (work.cancelled()) return;
        const EventsAhead piece = std::exchange(pieces[i], {});
        if (scanner.SkipBehind(piece)) {
          for (const TraceEvent& event : piece.events) add(event);
        }
        const bool is_last = i + 1 == num_pieces;
        TraceEvent event;
        while ((is_last || scanner.offset() < (i + 1) * piece_size) &&
               scanner.Next(event)) {
          add(event);
        }
        read(std::min(piece_size, size - i * piece_size));
      });
}

}  // namespace tfprof::chrome_json

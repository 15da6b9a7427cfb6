#include "loaders/xplane/file_line.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tfprof {

std::vector<FileLine> CollectLines(const XSpace& space, int64_t& derived) {
  std::vector<FileLine> lines;
  for (const XPlane& plane : space.planes) {
    const PlaneKind kind = KindOfPlane(plane.name);
    StringPool names;
    absl::flat_hash_map<std::pair<int64_t, StringId>, size_t> known;
    for (const XLine& line : plane.lines) {
      if (line.num_events == 0) continue;
      const LineUse use = UseOfLine(kind, line.name);
      if (use == LineUse::kDerived) {
        ++derived;
        continue;
      }
      const auto [it, is_new] =
          known.try_emplace({line.id, names.Intern(line.name)}, lines.size());
      if (is_new) {
        FileLine& added = lines.emplace_back();
        added.plane = &plane;
        added.plane_kind = kind;
        added.use = use;
      }
      lines[it->second].parts.push_back(&line);
    }
  }
  std::stable_partition(lines.begin(), lines.end(),
                        [](const FileLine& line) { return line.is_host(); });
  return lines;
}

void ReadFileLine(const char* file, int64_t origin_ns,
                  const Cancellation* cancellation, FileLine& line) {
  for (const XLine* part : line.parts) {
    ReadLine(*part, *line.plane, file, origin_ns, cancellation, line.events);
  }
  if (IsCancelled(cancellation)) return;
  if (line.is_host()) {
    line.thread = NestThread(*line.plane, line.events);
    line.self = std::move(line.thread.nesting.self);
  } else if (line.use == LineUse::kXlaOps) {
    // Times of events are scaled onto the clock of the host, so they may seem
    // to nest; those of the device itself are exact.
    std::vector<Span> spans = std::move(line.events.device_spans);
    if (spans.empty()) {
      for (const Event& event : line.events.events) {
        spans.push_back({event.start, event.duration});
      }
    }
    line.self = Nest(spans).self;
  }
  line.events.device_spans = {};
}

}  // namespace tfprof

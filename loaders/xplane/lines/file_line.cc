#include "loaders/xplane/lines/file_line.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"

namespace tfprof::xplane {

std::vector<FileLine> CollectLines(const XSpace& space, int64_t& derived) {
  std::vector<FileLine> lines;
  for (const XPlane& plane : space.planes) {
    const PlaneKind kind = KindOfPlane(plane.name);
    profile::StringPool names;
    absl::flat_hash_map<std::pair<int64_t, profile::StringId>, size_t> known;
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

namespace {

// Returns the self times of events by the clock of the device. Empty if the
// durations are equal on both clocks.
std::vector<int64_t> OwnTimesOnDevice(const LineEvents& line,
                                      const loaders::InsideTimes& inside) {
  std::vector<int64_t> own;
  const std::vector<loaders::Span>& spans = line.device_spans;
  const bool same =
      std::equal(spans.begin(), spans.end(), line.events.begin(),
                 line.events.end(), [](const loaders::Span& a, const Event& b) {
                   return a.duration == b.duration;
                 });
  if (same) return own;
  own.reserve(spans.size());
  for (const loaders::Span& span : spans) own.push_back(span.duration);
  for (const auto& [event, time] : inside) own[event] -= time;
  return own;
}

}  // namespace

void ReadFileLine(const char* file, int64_t origin_ns,
                  const util::Cancellation* cancellation, FileLine& line) {
  line.events =
      ReadLine(line.parts, *line.plane, file, origin_ns, cancellation);
  if (util::IsCancelled(cancellation)) return;
  if (line.is_host()) {
    line.thread = NestThread(*line.plane, line.events);
    line.inside = std::move(line.thread.inside);
  } else if (line.use == LineUse::kXlaOps) {
    // Times of events are scaled to the clock of the host, so events may seem
    // to nest. The times of the device are exact.
    if (line.events.device_spans.empty()) {
      line.inside = loaders::FindInsideTimes(line.events.events);
    } else {
      line.inside = loaders::FindInsideTimes(line.events.device_spans);
      line.self = OwnTimesOnDevice(line.events, line.inside);
    }
  }
  line.events.device_spans = {};
}

void LogLine(const FileLine& line, std::string_view path, bool file_is_cut,
             loaders::ImportLog& log) {
  const LineEvents& events = line.events;
  const auto report = [&](loaders::ImportLog::Severity severity, int64_t count,
                          std::string_view kind, std::string_view text) {
    if (count == 0) return;
    if (!log.WantsText(kind)) return log.Count(severity, kind, count);
    log.Add(severity, kind,
            fmt::format("{}: plane {}, line {}: {} {}", path, line.plane->name,
                        line.parts[0]->name, count, text),
            count);
  };
  report(loaders::ImportLog::kDamage, events.damaged, "event dropped",
         fmt::format("events are damaged and dropped, the first at byte {}",
                     events.damage_offset));
  report(loaders::ImportLog::kDamage, events.damaged_stats,
         "stat of an event dropped",
         fmt::format("stats of events are damaged and dropped, the first in "
                     "the event at byte {}",
                     events.damage_offset));
  report(loaders::ImportLog::kDamage, events.cut && !file_is_cut,
         "line cut short",
         fmt::format("line ends too early, at byte {}; the events before it "
                     "are kept",
                     events.damage_offset));
  report(loaders::ImportLog::kDamage, events.without_metadata,
         "event without metadata dropped",
         "events have an id that is not in the plane's event_metadata; they "
         "have no name and are dropped");
  report(loaders::ImportLog::kDamage, events.negative, "negative duration",
         "events have a negative duration, which counts as 0");
  report(loaders::ImportLog::kNotice, events.aggregated,
         "aggregated event left out",
         "events are sums (num_occurrences) without a start; they are not "
         "counted");
}

}  // namespace tfprof::xplane

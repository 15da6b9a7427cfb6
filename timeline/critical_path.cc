#include "timeline/critical_path.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "timeline/activity.h"
#include "timeline/dataflow.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

using Kind = PathSegment::Kind;

bool IsOfDevice(profile::LaneKind kind) {
  return kind == profile::LaneKind::kKernels ||
         kind == profile::LaneKind::kCopies ||
         kind == profile::LaneKind::kCommunication;
}

// Returns true if a lane runs its work in order. Single ops run on any thread
// of a pool, so they wait only for inputs; so do their transfers.
bool IsInOrder(const profile::Lane& lane) {
  return lane.calls_nest || lane.kind == profile::LaneKind::kKernels ||
         lane.kind == profile::LaneKind::kCopies;
}

Kind KindOf(bool transfers, profile::LaneKind lane) {
  if (transfers || lane == profile::LaneKind::kCopies ||
      lane == profile::LaneKind::kCommunication) {
    return Kind::kTransfer;
  }
  return lane == profile::LaneKind::kLaunches ? Kind::kLaunch : Kind::kCompute;
}

// Annotations and executions without a lane do not count as work.
bool IsWork(const profile::Profile& profile, const EventTrack& track) {
  return track.lane != profile::kNone &&
         profile.lanes()[track.lane].kind != profile::LaneKind::kAnnotation;
}

// Returns the clock with the longest span.
uint32_t MainClock(const profile::Profile& profile, const Tracks& tracks) {
  std::map<uint32_t, std::pair<int64_t, int64_t>> spans;
  for (const EventTrack& track : tracks.all()) {
    if (!IsWork(profile, track)) continue;
    const uint32_t clock = profile.lanes()[track.lane].clock;
    for (const TrackEvent& event : tracks.Events(track)) {
      const auto [it, is_new] =
          spans.try_emplace(clock, event.start, event.end);
      it->second.first = std::min(it->second.first, event.start);
      it->second.second = std::max(it->second.second, event.end);
    }
  }
  uint32_t longest = profile::kNone;
  int64_t length = -1;
  for (const auto& [clock, span] : spans) {
    if (util::WrapSub(span.second, span.first) <= length) continue;
    length = span.second - span.first;
    longest = clock;
  }
  return longest;
}

}  // namespace

std::string_view PathKindName(Kind kind) {
  switch (kind) {
    case Kind::kCompute:
      return "compute";
    case Kind::kTransfer:
      return "transfer";
    case Kind::kLaunch:
      return "launch";
    case Kind::kWait:
      return "wait";
  }
  return "";
}

CriticalPath::CriticalPath(const profile::Profile& profile, size_t step,
                           const util::TaskOptions& work)
    : profile_(profile), work_(work) {
  const Tracks tracks(profile, {step});
  const Activities activities(profile);
  const uint32_t clock = MainClock(profile, tracks);
  const size_t records = profile.steps()[step]->num_records();
  first_.assign(records, profile::kNone);
  last_.assign(records, profile::kNone);
  // The calls and the launches of one thread are two lanes, but one sequence.
  std::map<std::pair<profile::ProcessId, int64_t>, std::vector<TrackEvent>>
      threads;
  for (const EventTrack& track : tracks.all()) {
    if (!IsWork(profile, track)) continue;
    const profile::Lane& lane = profile.lanes()[track.lane];
    if (lane.clock != clock) {
      on_other_clocks_ += static_cast<int64_t>(track.end - track.begin);
      continue;
    }
    std::vector<TrackEvent> events = tracks.Events(track);
    if (!lane.calls_nest || IsOfDevice(lane.kind)) {
      AddTrack(events, track.transfers);
      continue;
    }
    std::erase_if(events, [&](const TrackEvent& event) {
      return activities.IsWholeStep({event.start, event.end});
    });
    if (lane.thread < 0 || track.row > 0) {
      AddTrack(events, /*transfers=*/false);
      continue;
    }
    auto& of_thread = threads[{lane.process, lane.thread}];
    of_thread.insert(of_thread.end(), events.begin(), events.end());
  }
  for (auto& [thread, events] : threads) {
    std::sort(events.begin(), events.end(),
              [](const TrackEvent& a, const TrackEvent& b) {
                return std::tie(a.start, b.end, a.record) <
                       std::tie(b.start, a.end, b.record);
              });
    AddTrack(events, /*transfers=*/false);
  }
  if (segments_.empty()) return;
  WaitForDevices(profile, step);
  if (work.cancelled()) return;
  WaitForThreads();
  if (work.cancelled()) return;
  AddLinks(profile, step);
  if (work.cancelled()) return;
  Order();
  if (work.cancelled()) return;
  FindDelays();
  FindSlack();
  FindChain();
}

// Divides executions, sorted by start, into segments.
void CriticalPath::AddTrack(const std::vector<TrackEvent>& events,
                            bool transfers) {
  struct Open {
    TrackEvent event;
    int64_t at;  // the end of its last segment
  };
  std::vector<Open> open;
  uint32_t before = profile::kNone;
  const auto add = [&](Open& of, int64_t until) {
    const auto segment = static_cast<uint32_t>(segments_.size());
    const profile::LaneId id =
        profile_.steps()[of.event.step]->LaneOf(of.event.record);
    const profile::Lane& lane = profile_.lanes()[id];
    uint32_t& first = first_[of.event.record];
    if (first == profile::kNone) {
      first = segment;
    } else if (until <= of.at && until < of.event.end) {
      return;
    }
    last_[of.event.record] = segment;
    segments_.push_back({.start = of.at,
                         .end = std::max(of.at, until),
                         .kind = KindOf(transfers, lane.kind),
                         .record = of.event.record,
                         .node = of.event.node,
                         .lane = id});
    of.at = std::max(of.at, until);
    if (before != profile::kNone && IsInOrder(lane))
      edges_.push_back({before, segment, false});
    before = segment;
  };
  const auto close = [&](int64_t until) {
    while (!open.empty() && open.back().event.end <= until) {
      Open& inner = open.back();
      add(inner, inner.event.end);
      const int64_t end = inner.event.end;
      open.pop_back();
      if (!open.empty()) open.back().at = std::max(open.back().at, end);
    }
  };
  for (const TrackEvent& event : events) {
    if (work_.cancelled()) return;
    close(event.start);
    if (!open.empty()) add(open.back(), event.start);
    open.push_back({event, event.start});
  }
  close(INT64_MAX);
}

// Removes the part of a waiting call before the device was done.
void CriticalPath::WaitForDevices(const profile::Profile& profile,
                                  size_t place) {
  const profile::Step& step = *profile.steps()[place];
  // The ends of the runs of each process, ascending.
  std::map<profile::ProcessId, std::vector<std::pair<int64_t, uint32_t>>> ends;
  for (uint32_t s = 0; s < segments_.size(); ++s) {
    const profile::Lane& lane = profile.lanes()[segments_[s].lane];
    if (IsOfDevice(lane.kind)) {
      ends[lane.process].emplace_back(segments_[s].end, s);
    }
  }
  if (ends.empty()) return;
  for (auto& [process, of] : ends) std::sort(of.begin(), of.end());
  for (uint32_t s = 0; s < segments_.size(); ++s) {
    if (work_.cancelled()) return;
    PathSegment& segment = segments_[s];
    const profile::Lane& lane = profile.lanes()[segment.lane];
    if (!lane.calls_nest || IsOfDevice(lane.kind) ||
        s != last_[segment.record]) {
      continue;
    }
    const auto record =
        static_cast<profile::RecordRef>(step.exec_record[segment.record]);
    const std::string_view name =
        segment.node == profile::kNone
            ? profile.strings().Get(step.OutsideName(segment.record))
            : profile.Text(record).name;
    if (name.find("ynchronize") == std::string_view::npos) continue;
    const auto found = ends.find(lane.process);
    if (found == ends.end()) continue;
    const auto after =
        std::upper_bound(found->second.begin(), found->second.end(),
                         std::pair(segment.end, profile::kNone));
    if (after == found->second.begin()) continue;
    const auto [end, run] = *(after - 1);
    if (end <= segment.start) continue;
    segment.start = end;
    edges_.push_back({run, s, false});
  }
}

// Adds edges between threads.
void CriticalPath::WaitForThreads() {
  const profile::LaneTable& lanes = profile_.lanes();
  // The ends of the host's segments by process, ascending.
  std::map<profile::ProcessId, std::vector<std::pair<int64_t, uint32_t>>> ends;
  for (uint32_t s = 0; s < segments_.size(); ++s) {
    const profile::Lane& lane = lanes[segments_[s].lane];
    if (lane.calls_nest && !IsOfDevice(lane.kind)) {
      ends[lane.process].emplace_back(segments_[s].end, s);
    }
  }
  for (auto& [process, of] : ends) std::sort(of.begin(), of.end());
  for (uint32_t s = 0; s < segments_.size(); ++s) {
    const profile::Lane& lane = lanes[segments_[s].lane];
    if (!lane.calls_nest || IsOfDevice(lane.kind) ||
        s != first_[segments_[s].record]) {
      continue;
    }
    const auto& of = ends[lane.process];
    const auto after = std::upper_bound(
        of.begin(), of.end(), std::pair(segments_[s].start, profile::kNone));
    if (after == of.begin()) continue;
    const auto [end, last] = *(after - 1);
    const profile::Lane& other = lanes[segments_[last].lane];
    // The calls and the launches of one thread are two lanes.
    const bool same_thread =
        other.thread >= 0 ? other.thread == lane.thread : &other == &lane;
    if (!same_thread) edges_.push_back({last, s, false});
  }
}

void CriticalPath::AddLinks(const profile::Profile& profile, size_t place) {
  const int64_t id = profile.steps()[place]->id;
  const auto add = [&](const profile::Link& link) {
    const bool launch = link.kind == profile::LinkKind::kLaunch;
    const uint32_t from =
        launch ? first_[link.from.index] : last_[link.from.index];
    const uint32_t to = first_[link.to.index];
    if (from == profile::kNone || to == profile::kNone || from == to) return;
    // A gradient does not wait for its forward op, only for tensors.
    if (link.kind == profile::LinkKind::kGradient) return;
    edges_.push_back({from, to, launch});
  };
  const profile::Links& links = profile.links();
  for (size_t i = 0; i < links.size(); ++i) {
    const profile::Link link = links[i];
    if (link.from.step == id && link.to.step == id) add(link);
  }
  for (const profile::Link& link : DataflowOf(profile, place)) add(link);
}

void CriticalPath::IndexEdges() {
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.to, a.from, a.from_start) <
           std::tie(b.to, b.from, b.from_start);
  });
  edge_begin_.assign(segments_.size() + 1, 0);
  for (const Edge& edge : edges_) ++edge_begin_[edge.to + 1];
  for (size_t s = 0; s < segments_.size(); ++s) {
    edge_begin_[s + 1] += edge_begin_[s];
  }
}

// Sorts the segments so that each one comes after those it waits for, and drops
// links that lead back in time.
void CriticalPath::Order() {
  const size_t all = edges_.size();
  std::erase_if(edges_, [&](const Edge& edge) {
    return Since(edge) > segments_[edge.to].start;
  });
  // The segments that wait for s are next[next_begin[s]] … next[next_begin[s +
  // 1] - 1].
  std::vector<size_t> next_begin(segments_.size() + 2, 0);
  std::vector<uint32_t> next(edges_.size());
  std::vector<uint32_t> missing(segments_.size(), 0);
  for (const Edge& edge : edges_) ++next_begin[edge.from + 2];
  for (size_t s = 2; s < next_begin.size(); ++s) {
    next_begin[s] += next_begin[s - 1];
  }
  for (const Edge& edge : edges_) {
    next[next_begin[edge.from + 1]++] = edge.to;
    ++missing[edge.to];
  }
  std::vector<uint32_t> rank(segments_.size(), profile::kNone);
  std::vector<uint32_t> ready;
  const auto take_ready = [&] {
    while (!ready.empty()) {
      const uint32_t s = ready.back();
      ready.pop_back();
      if (rank[s] != profile::kNone) continue;
      rank[s] = static_cast<uint32_t>(order_.size());
      order_.push_back(s);
      for (size_t n = next_begin[s]; n < next_begin[s + 1]; ++n) {
        if (--missing[next[n]] == 0) ready.push_back(next[n]);
      }
    }
  };
  for (uint32_t s = 0; s < segments_.size(); ++s) {
    if (missing[s] == 0) ready.push_back(s);
  }
  take_ready();
  // Links at the same moment may form a cycle; it may begin with any segment.
  for (uint32_t s = 0; s < segments_.size(); ++s) {
    if (rank[s] != profile::kNone) continue;
    ready.push_back(s);
    take_ready();
  }
  std::erase_if(edges_, [&](const Edge& edge) {
    return rank[edge.from] >= rank[edge.to];
  });
  violations_ = static_cast<int64_t>(all - edges_.size());
  IndexEdges();
}

void CriticalPath::FindDelays() {
  origin_ = segments_.front().start;
  for (const PathSegment& s : segments_) origin_ = std::min(origin_, s.start);
  int64_t last = origin_;
  delay_.resize(segments_.size());
  for (size_t s = 0; s < segments_.size(); ++s) {
    int64_t ready = origin_;
    for (size_t e = edge_begin_[s]; e < edge_begin_[s + 1]; ++e) {
      ready = std::max(ready, Since(edges_[e]));
    }
    delay_[s] = segments_[s].start - ready;
    last = std::max(last, segments_[s].end);
  }
  length_ = last - origin_;
}

void CriticalPath::FindSlack() {
  const int64_t end = origin_ + length_;
  std::vector<int64_t> latest_end(segments_.size(), end);
  for (size_t i = order_.size(); i-- > 0;) {
    const uint32_t s = order_[i];
    segments_[s].slack = latest_end[s] - segments_[s].end;
    const int64_t ready = segments_[s].start + segments_[s].slack - delay_[s];
    for (size_t e = edge_begin_[s]; e < edge_begin_[s + 1]; ++e) {
      const Edge& edge = edges_[e];
      if (edge.from_start) {
        latest_end[edge.from] =
            std::min(latest_end[edge.from],
                     util::SaturatingAdd(ready, segments_[edge.from].length()));
      } else {
        latest_end[edge.from] = std::min(latest_end[edge.from], ready);
      }
    }
  }
}

void CriticalPath::FindChain() {
  uint32_t at = order_.front();
  for (const uint32_t s : order_) {
    // If several segments end last, take the last one in order.
    if (segments_[s].end >= segments_[at].end) at = s;
  }
  int64_t until = segments_[at].end;
  for (;;) {
    const PathSegment& segment = segments_[at];
    PathSegment part = segment;
    part.end = std::min(segment.end, until);
    if (part.end > part.start) chain_.push_back(part);
    const Edge* binding = nullptr;
    for (size_t e = edge_begin_[at]; e < edge_begin_[at + 1]; ++e) {
      if (binding == nullptr || Since(edges_[e]) >= Since(*binding)) {
        binding = &edges_[e];
      }
    }
    if (binding == nullptr) break;
    // A launched run may begin before the launching call returns.
    until = std::min(segments_[binding->from].end, segment.start);
    if (segment.start > until) {
      PathSegment wait = segment;
      wait.kind = Kind::kWait;
      wait.start = until;
      wait.end = segment.start;
      wait.slack = 0;
      chain_.push_back(wait);
    }
    at = binding->from;
  }
  std::reverse(chain_.begin(), chain_.end());
}

int64_t CriticalPath::LengthIf(
    const std::function<double(const PathSegment&)>& speed_up) const {
  std::vector<int64_t> starts(segments_.size()), ends(segments_.size());
  int64_t last = origin_;
  for (const uint32_t s : order_) {
    int64_t ready = origin_;
    for (size_t e = edge_begin_[s]; e < edge_begin_[s + 1]; ++e) {
      const Edge& edge = edges_[e];
      ready = std::max(ready,
                       edge.from_start ? starts[edge.from] : ends[edge.from]);
    }
    starts[s] = ready + delay_[s];
    const double factor = speed_up(segments_[s]);
    const int64_t length =
        factor == 1
            ? segments_[s].length()
            : std::llround(static_cast<double>(segments_[s].length()) / factor);
    ends[s] = util::SaturatingAdd(starts[s], length);
    last = std::max(last, ends[s]);
  }
  return last - origin_;
}

}  // namespace tfprof::timeline

#include "timeline/tracks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "timeline/first_fit.h"
#include "timeline/recorded_threads.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

// The maximum number of tracks with nested executions in a lane. A lane with
// more tracks has ops that run at the same time, not calls.
constexpr size_t kNestedTracks = 16;

// The name of records of transfers between processes among a CPU's ops.
constexpr std::string_view kReceive = "RecvTensor";

std::string_view NameOfKind(profile::LaneKind kind) {
  switch (kind) {
    case profile::LaneKind::kCompute:
      return "ops";
    case profile::LaneKind::kAnnotation:
      return "annotations";
    case profile::LaneKind::kOther:
      return "other";
    default:
      return profile::LaneKindName(kind);
  }
}

// Display order: annotations, the host, the device.
int PlaceOfKind(profile::LaneKind kind) {
  switch (kind) {
    case profile::LaneKind::kAnnotation:
    case profile::LaneKind::kPython:
      return 0;
    case profile::LaneKind::kCompute:
      return 1;
    case profile::LaneKind::kLaunches:
      return 2;
    case profile::LaneKind::kKernels:
      return 3;
    case profile::LaneKind::kCommunication:
      return 4;
    case profile::LaneKind::kCopies:
      return 5;
    case profile::LaneKind::kOther:
      return 6;
  }
  return 6;
}

std::string NameOf(const profile::Profile& profile, const profile::Lane& lane) {
  if (lane.name != profile::kNone)
    return std::string(profile.strings().Get(lane.name));
  const std::string_view kind = NameOfKind(lane.kind);
  if (lane.stream < 0) return std::string(kind);
  return lane.kind == profile::LaneKind::kKernels
             ? fmt::format("stream {}", lane.stream)
             : fmt::format("stream {} {}", lane.stream, kind);
}

std::string DeviceOf(const profile::Profile& profile,
                     const profile::Lane& lane) {
  if (lane.physical != profile::kNone)
    return profile.lanes().physical(lane.physical).label;
  if (lane.device != profile::kNone)
    return std::string(profile.devices().name(lane.device));
  return "";
}

bool StartsBefore(const TrackEvent& a, const TrackEvent& b) {
  return std::tie(a.start, b.end, a.step, a.record) <
         std::tie(b.start, a.end, b.step, b.record);
}

// Puts events, sorted by start, on rows in which they are separate or nested.
class NestedRows {
 public:
  NestedRows() : others_(FirstFit::Fit::kTouching, INT64_MIN) {}

  uint32_t Place(const TrackEvent& event) {
    for (size_t row = 0; row < open_.size(); ++row) {
      if (Fits(event, open_[row])) return static_cast<uint32_t>(row);
    }
    if (open_.size() < kNestedTracks) {
      open_.push_back({event.end});
      return static_cast<uint32_t>(open_.size() - 1);
    }
    return static_cast<uint32_t>(kNestedTracks) +
           others_.Place(event.start, event.end);
  }

 private:
  // `open` has the ends of the events that have not ended, from outer to inner.
  static bool Fits(const TrackEvent& event, std::vector<int64_t>& open) {
    while (!open.empty() && open.back() <= event.start) open.pop_back();
    if (!open.empty() && open.back() < event.end) return false;
    open.push_back(event.end);
    return true;
  }

  std::vector<std::vector<int64_t>> open_;
  FirstFit others_;
};

}  // namespace

TrackEvent EventOf(const profile::Profile& profile, size_t place,
                   size_t record) {
  const profile::Step& step = *profile.steps()[place];
  // Each step has the unit of its file, which is at least a tick of the
  // profile.
  const int64_t factor =
      profile.ticks_per_micro() / step.exec_start.ticks_per_micro();
  TrackEvent event = {.step = static_cast<uint32_t>(place),
                      .record = static_cast<uint32_t>(record)};
  event.start = util::SaturatingMul(step.exec_start.Ticks(record), factor);
  const int64_t length = std::max<int64_t>(
      0, util::SaturatingMul(
             step.exec_duration.Ticks(record),
             profile.ticks_per_micro() / step.exec_duration.ticks_per_micro()));
  event.end = util::SaturatingAdd(event.start, length);
  // Groups are in the order of their first executions.
  if (record < step.num_executions()) {
    size_t low = 0, high = step.num_groups();
    while (high - low > 1) {
      const size_t mid = (low + high) / 2;
      (step.exec_begin(mid) <= record ? low : high) = mid;
    }
    event.node = static_cast<profile::NodeId>(step.node[low]);
  }
  return event;
}

std::vector<size_t> PlacesOfSteps(const profile::Profile& profile,
                                  int64_t step) {
  std::vector<size_t> places;
  for (size_t i = 0; i < profile.steps().size(); ++i) {
    if (step < 0 || profile.steps()[i]->id == step) places.push_back(i);
  }
  return places;
}

Tracks::Tracks(const profile::Profile& profile,
               const std::vector<size_t>& steps, TrackOptions options)
    : profile_(profile),
      options_(std::move(options)),
      track_of_(profile.steps().size()) {
  Collect(steps);
  const profile::LaneTable& lanes = profile_.lanes();
  const auto key = [&](const EventTrack& track) {
    const profile::Lane lane =
        track.lane == profile::kNone ? profile::Lane() : lanes[track.lane];
    return std::make_tuple(track.process, lane.physical + 1,
                           PlaceOfKind(lane.kind), track.lane, track.transfers,
                           track.thread, track.row);
  };
  std::stable_sort(tracks_.begin(), tracks_.end(),
                   [&](const EventTrack& a, const EventTrack& b) {
                     return key(a) < key(b);
                   });
  for (const size_t step : steps) {
    track_of_[step].assign(profile.steps()[step]->num_records(),
                           profile::kNone);
  }
  for (size_t t = 0; t < tracks_.size(); ++t) {
    for (size_t i = tracks_[t].begin; i < tracks_[t].end; ++i) {
      track_of_[refs_[i].step][refs_[i].record] = static_cast<uint32_t>(t);
    }
  }
}

void Tracks::Collect(const std::vector<size_t>& steps) {
  const size_t num_lanes = profile_.lanes().size();
  std::vector<std::vector<Ref>> of_lane(num_lanes + 1);  // last: no lane
  for (const size_t place : steps) {
    const profile::Step& step = *profile_.steps()[place];
    for (size_t e = 0; e < step.num_records(); ++e) {
      const profile::LaneId lane = step.LaneOf(e);
      if (!step.HasStart(e)) {
        ++without_start_;
        continue;
      }
      of_lane[lane == profile::kNone ? num_lanes : lane].push_back(
          {static_cast<uint32_t>(place), static_cast<uint32_t>(e)});
    }
  }
  for (profile::LaneId lane = 0; lane <= num_lanes; ++lane) {
    std::vector<Ref> refs = std::move(of_lane[lane]);
    if (refs.empty()) continue;
    if (lane < num_lanes && profile_.lanes()[lane].repeats != profile::kNone) {
      repeated_ += static_cast<int64_t>(refs.size());
      continue;
    }
    AddLane(lane == num_lanes ? profile::kNone : lane, refs);
  }
}

bool Tracks::IsTransfer(const TrackEvent& event) const {
  const profile::Step& step = *profile_.steps()[event.step];
  if (options_.is_communication) return options_.is_communication(step, event);
  return event.node == profile::kNone &&
         event.record >= step.num_executions() &&
         profile_.strings().Get(step.OutsideName(event.record)) == kReceive;
}

void Tracks::AddLane(profile::LaneId lane, const std::vector<Ref>& refs) {
  EventTrack of;
  of.lane = lane;
  profile::LaneKind kind = profile::LaneKind::kOther;
  profile::DeviceId device = profile::kNone;
  bool nests = true;
  if (lane == profile::kNone) {
    of.name = "no lane";
  } else {
    const profile::Lane& recorded = profile_.lanes()[lane];
    of.process = recorded.process;
    of.device = DeviceOf(profile_, recorded);
    of.name = NameOf(profile_, recorded);
    kind = recorded.kind;
    device = recorded.device;
    // Asynchronous ranges may contain each other, too.
    nests = recorded.calls_nest || kind == profile::LaneKind::kAnnotation;
  }
  const bool is_of_host = kind == profile::LaneKind::kCompute ||
                          kind == profile::LaneKind::kLaunches ||
                          kind == profile::LaneKind::kOther;
  std::vector<TrackEvent> ops, transfers;
  std::map<int64_t, std::vector<TrackEvent>> threads;
  for (const Ref& ref : refs) {
    const TrackEvent event = EventAt(ref.step, ref.record);
    const profile::Step& step = *profile_.steps()[ref.step];
    if (!nests &&
        (kind == profile::LaneKind::kCommunication ||
         (kind == profile::LaneKind::kCompute && IsTransfer(event)))) {
      transfers.push_back(event);
      continue;
    }
    const int64_t thread =
        !nests && device != profile::kNone && is_of_host
            ? ThreadOfRecord(profile_, static_cast<profile::RecordRef>(
                                           step.exec_record[ref.record]))
            : 0;
    (thread == 0 ? ops : threads[thread]).push_back(event);
  }
  AddRows(of, nests, ops);
  if (!threads.empty()) {
    const RecordedThreads names(profile_, *profile_.steps()[refs[0].step]);
    for (auto& [thread, events] : threads) {
      EventTrack of_thread = of;
      of_thread.thread = thread;
      of_thread.name = names.NameOf(profile_.devices().name(device), thread);
      AddRows(of_thread, /*nests=*/true, events);
    }
  }
  of.transfers = true;
  of.name = "transfers";
  AddRows(of, nests, transfers);
}

// Adds a track for each row of the events.
void Tracks::AddRows(const EventTrack& of, bool nests,
                     std::vector<TrackEvent>& events) {
  std::sort(events.begin(), events.end(), StartsBefore);
  NestedRows nested;
  FirstFit apart(FirstFit::Fit::kTouching, INT64_MIN);
  std::vector<std::vector<TrackEvent>> rows;
  for (const TrackEvent& event : events) {
    const uint32_t row =
        nests ? nested.Place(event) : apart.Place(event.start, event.end);
    if (row >= rows.size()) rows.resize(row + 1);
    rows[row].push_back(event);
  }
  for (uint32_t row = 0; row < rows.size(); ++row) {
    EventTrack track = of;
    track.row = row;
    if (row > 0) track.name += fmt::format(" ({})", row + 1);
    AddTrack(std::move(track), rows[row]);
  }
}

void Tracks::AddTrack(EventTrack track, const std::vector<TrackEvent>& events) {
  track.begin = refs_.size();
  for (const TrackEvent& event : events) {
    refs_.push_back({event.step, event.record});
  }
  track.end = refs_.size();
  tracks_.push_back(std::move(track));
}

TrackEvent Tracks::EventAt(size_t step, size_t record) const {
  TrackEvent event = EventOf(profile_, step, record);
  const profile::LaneId lane = profile_.steps()[step]->LaneOf(record);
  if (lane < options_.clock_offsets.size()) {
    event.start =
        util::SaturatingAdd(event.start, options_.clock_offsets[lane]);
    event.end = util::SaturatingAdd(event.end, options_.clock_offsets[lane]);
  }
  return event;
}

std::vector<TrackEvent> Tracks::Events(const EventTrack& track) const {
  std::vector<TrackEvent> events;
  events.reserve(track.end - track.begin);
  for (size_t i = track.begin; i < track.end; ++i) {
    events.push_back(EventAt(refs_[i].step, refs_[i].record));
  }
  return events;
}

uint32_t Tracks::TrackOf(size_t step, size_t record) const {
  const std::vector<uint32_t>& of_step = track_of_[step];
  return record < of_step.size() ? of_step[record] : profile::kNone;
}

}  // namespace tfprof::timeline

// Tracks: the executions of a profile as rows of a picture.
//
//   const Tracks tracks(profile, {0, 1});   // places in profile.steps()
//   for (const EventTrack& track : tracks.all())
//     for (const TrackEvent& event : tracks.Events(track)) …
//
// Most lanes of a profile are one track. Executions that overlap without being
// inside each other, as those of a CPU with several threads, are on several
// tracks of the lane: each on the first one that is free. Two events of a track
// are apart or one is inside the other; on lanes of ops that do not call each
// other (Lane::calls_nest), all are apart. What such a lane communicated (its
// transfers, and what TrackOptions says) is on tracks of its own. Ops whose
// thread the file has are on the tracks of their threads.
//
// A lane that repeats another one (Lane::repeats) has no track.
// Executions without a start are on no track; they are counted. An event that
// would end after the largest int64_t ends there; a negative length is 0.
//
// Times are ticks of the profile, moved by the offsets of the clocks. In
// memory: 16 bytes for each execution, and 32 for each of the lane whose events
// are asked for.

#ifndef TFPROF_TIMELINE_TRACKS_H_
#define TFPROF_TIMELINE_TRACKS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace tfprof {

struct TrackEvent {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t step = 0;    // in Profile::steps()
  uint32_t record = 0;  // in that step
  NodeId node = kNone;  // kNone: of no node
};

// The time of an execution that has a start. `step`: a place in
// Profile::steps().
TrackEvent EventOf(const Profile& profile, size_t step, size_t record);

// The places in Profile::steps() of a step; of all if it is below 0.
std::vector<size_t> PlacesOfSteps(const Profile& profile, int64_t step);

struct TrackOptions {
  // What is added to the times of a lane, by LaneId (see clock_offsets.h).
  std::vector<int64_t> clock_offsets = {};
  // Whether an execution of a lane of ops communicated; empty: a RecvTensor.
  std::function<bool(const Step& step, const TrackEvent& event)>
      is_communication = {};
};

struct EventTrack {
  ProcessId process = kNone;
  LaneId lane = kNone;  // kNone: the executions without a lane
  std::string device;   // "gpu:0"; "": of none
  std::string name;     // "stream 7", "transfers", "ops (2)", "worker thread"
  bool transfers = false;
  int64_t thread = 0;  // that the records name; 0: they name none
  uint32_t row = 0;    // of the tracks of the lane and the thread
  // In the places of the lane, see Tracks::Events().
  size_t begin = 0, end = 0;
};

class Tracks {
 public:
  // `steps`: places in Profile::steps(), ascending.
  Tracks(const Profile& profile, const std::vector<size_t>& steps,
         TrackOptions options = {});

  // By process, device, kind and name.
  const std::vector<EventTrack>& all() const { return tracks_; }

  // By start; of equal starts the longest first.
  std::vector<TrackEvent> Events(const EventTrack& track) const;

  // An execution that has a start.
  TrackEvent EventAt(size_t step, size_t record) const;

  // The place in all() of an execution; kNone: it is on none. `step` is a place
  // in Profile::steps().
  uint32_t TrackOf(size_t step, size_t record) const;

  int64_t without_start() const { return without_start_; }
  // Executions of lanes that repeat other lanes.
  int64_t repeated() const { return repeated_; }
  int64_t num_events() const { return static_cast<int64_t>(refs_.size()); }

 private:
  struct Ref {
    uint32_t step;
    uint32_t record;
  };

  void Collect(const std::vector<size_t>& steps);
  void AddLane(LaneId lane, const std::vector<Ref>& refs);
  void AddRows(const EventTrack& of, bool nests,
               std::vector<TrackEvent>& events);
  void AddTrack(EventTrack track, const std::vector<TrackEvent>& events);
  bool IsTransfer(const TrackEvent& event) const;

  const Profile& profile_;
  const TrackOptions options_;
  std::vector<EventTrack> tracks_;
  std::vector<Ref> refs_;  // of the tracks, one after the other
  // By place in Profile::steps() and record; empty: not chosen.
  std::vector<std::vector<uint32_t>> track_of_;
  int64_t without_start_ = 0;
  int64_t repeated_ = 0;
};

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_TRACKS_H_

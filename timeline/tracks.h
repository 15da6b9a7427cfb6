// Tracks: the executions of a profile as rows of a picture.
//
//   const Tracks tracks(profile, {0, 1});   // places in profile.steps()
//   for (const EventTrack& track : tracks.all())
//     for (const TrackEvent& event : tracks.Events(track)) …
//
// Most lanes of a profile are one track. Executions that overlap without being
// inside each other, as those of a CPU with several threads, are on several
// tracks of the lane: each on the first one that is free. Two events of a track
// are apart or one is inside the other; in TensorFlow 1, whose ops do not call
// each other, all are apart. Transfers between processes that a lane of ops has
// recorded (RecvTensor) are on tracks of their own.
//
// A recorder that gives all kernels of a GPU once more under another name
// ("stream:all") has them once here: on their streams, if these have all.
// Executions without a start are on no track; they are counted. An event that
// would end after the largest int64_t ends there; a negative length is 0.
//
// Times are ticks of the profile. In memory: 16 bytes for each execution, and
// 32 for each of the lane whose events are asked for.

#ifndef TFPROF_TIMELINE_TRACKS_H_
#define TFPROF_TIMELINE_TRACKS_H_

#include <cstddef>
#include <cstdint>
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

struct EventTrack {
  ProcessId process = kNone;
  LaneId lane = kNone;  // kNone: the executions without a lane
  std::string device;   // "gpu:0"; "": of none
  std::string name;     // "stream 7", "transfers", "ops (2)"
  bool transfers = false;
  uint32_t row = 0;  // of the tracks of the lane
  // In the places of the lane, see Tracks::Events().
  size_t begin = 0, end = 0;
};

class Tracks {
 public:
  // `steps`: places in Profile::steps(), ascending.
  Tracks(const Profile& profile, const std::vector<size_t>& steps);

  // By process, device, kind and name.
  const std::vector<EventTrack>& all() const { return tracks_; }

  // By start; of equal starts the longest first.
  std::vector<TrackEvent> Events(const EventTrack& track) const;

  // The place in all() of an execution; kNone: it is on none. `step` is a place
  // in Profile::steps().
  uint32_t TrackOf(size_t step, size_t record) const;

  int64_t without_start() const { return without_start_; }
  // Records of device names that repeat those of other names.
  int64_t repeated() const { return repeated_; }
  int64_t num_events() const { return static_cast<int64_t>(refs_.size()); }

 private:
  struct Ref {
    uint32_t step;
    uint32_t record;
  };

  void Collect(const std::vector<size_t>& steps);
  void AddLane(LaneId lane, const std::vector<Ref>& refs);
  void AddTrack(LaneId lane, bool transfers, uint32_t row,
                const std::vector<TrackEvent>& events);
  std::vector<bool> RepeatingLanes(const std::vector<size_t>& sizes) const;

  const Profile& profile_;
  std::vector<EventTrack> tracks_;
  std::vector<Ref> refs_;  // of the tracks, one after the other
  // By place in Profile::steps() and record; empty: not chosen.
  std::vector<std::vector<uint32_t>> track_of_;
  int64_t without_start_ = 0;
  int64_t repeated_ = 0;
};

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_TRACKS_H_

// Tracks: the executions of a profile as rows of a timeline.
//
//   const Tracks tracks(profile, {0, 1});   // indexes in profile.steps()
//   for (const EventTrack& track : tracks.all())
//     for (const TrackEvent& event : tracks.Events(track)) …
//
// Most lanes of a profile have one track. Executions that overlap without being
// nested, such as those of a CPU with several threads, are on several tracks of
// the lane, each on the first free one. Two events of a track are separate or
// nested; on lanes of ops that do not call each other (Lane::calls_nest), all
// are separate. The communication of such a lane (its transfers, and the
// executions selected by TrackOptions) is on separate tracks. If the file
// records the thread of an op, the op is on a track of its thread.
//
// A lane that repeats another one (Lane::repeats) has no track. Executions
// without a start are on no track, but are counted. The end of an event
// saturates at the largest int64_t; a negative length is 0.
//
// Times are ticks of the profile, corrected by the offsets of the clocks.
// Memory: 16 bytes for each execution, and 32 for each event returned by
// Events().

#ifndef TFPROF_TIMELINE_TRACKS_H_
#define TFPROF_TIMELINE_TRACKS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace tfprof::timeline {

struct TrackEvent {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t step = 0;                      // index in Profile::steps()
  uint32_t record = 0;                    // index in that step
  profile::NodeId node = profile::kNone;  // kNone: belongs to no node
};

// Returns the time of an execution that has a start. `step` is an index in
// Profile::steps().
TrackEvent EventOf(const profile::Profile& profile, size_t step, size_t record);

// Returns the index of a step in Profile::steps(), or of all steps if `step` is
// negative.
std::vector<size_t> PlacesOfSteps(const profile::Profile& profile,
                                  int64_t step);

struct TrackOptions {
  // The offsets to add to the times of each lane, by LaneId (see
  // clock_offsets.h).
  std::vector<int64_t> clock_offsets = {};
  // Decides whether an execution on a lane of ops is communication. If empty,
  // only RecvTensor is.
  std::function<bool(const profile::Step& step, const TrackEvent& event)>
      is_communication = {};
};

struct EventTrack {
  profile::ProcessId process = profile::kNone;
  profile::LaneId lane =
      profile::kNone;  // kNone: the executions without a lane
  std::string device;  // "gpu:0"; "" if there is no device
  std::string name;    // "stream 7", "transfers", "ops (2)", "worker thread"
  bool transfers = false;
  int64_t thread = 0;  // recorded thread; 0: none
  uint32_t row = 0;    // among the tracks of the lane and thread
  // The range of its executions in the lane, see Tracks::Events().
  size_t begin = 0, end = 0;
};

class Tracks {
 public:
  // `steps` are indexes in Profile::steps(), ascending.
  Tracks(const profile::Profile& profile, const std::vector<size_t>& steps,
         TrackOptions options = {});

  // All tracks, sorted by process, device, kind and name.
  const std::vector<EventTrack>& all() const { return tracks_; }

  // Returns the events by start; if starts are equal, the longest comes first.
  std::vector<TrackEvent> Events(const EventTrack& track) const;

  // Returns an execution that has a start.
  TrackEvent EventAt(size_t step, size_t record) const;

  // Returns the index of an execution's track in all(), or kNone. `step` is an
  // index in Profile::steps().
  uint32_t TrackOf(size_t step, size_t record) const;

  int64_t without_start() const { return without_start_; }
  // The number of executions on lanes that repeat other lanes.
  int64_t repeated() const { return repeated_; }
  int64_t num_events() const { return static_cast<int64_t>(refs_.size()); }

 private:
  struct Ref {
    uint32_t step;
    uint32_t record;
  };

  void Collect(const std::vector<size_t>& steps);
  void AddLane(profile::LaneId lane, const std::vector<Ref>& refs);
  void AddRows(const EventTrack& of, bool nests,
               std::vector<TrackEvent>& events);
  void AddTrack(EventTrack track, const std::vector<TrackEvent>& events);
  bool IsTransfer(const TrackEvent& event) const;

  const profile::Profile& profile_;
  const TrackOptions options_;
  std::vector<EventTrack> tracks_;
  std::vector<Ref> refs_;  // of all tracks, one after the other
  // Indexed by step (in Profile::steps()) and record; empty: step not selected.
  std::vector<std::vector<uint32_t>> track_of_;
  int64_t without_start_ = 0;
  int64_t repeated_ = 0;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_TRACKS_H_

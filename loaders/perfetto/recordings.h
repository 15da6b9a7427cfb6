// Recordings: which slices of a trace are work and launches, which of them
// belong together, and of which recording they are.
//
// Work without a correlation gets one from the launch at the other end of its
// flow. Tracks whose slices such a flow or a correlation joins, or that are
// below one track, are a group; if neither joins processes with devices, their
// order does. If several groups have work and launches of their own, each of
// them is a recording; the other groups are with the last recording before
// them, by the numbers of the tracks. More than kMaxRecordings groups are no
// recordings, but one.

#ifndef TFPROF_LOADERS_PERFETTO_RECORDINGS_H_
#define TFPROF_LOADERS_PERFETTO_RECORDINGS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/perfetto/places.h"
#include "loaders/perfetto/trace_tables.h"
#include "loaders/perfetto/work_kinds.h"

namespace tfprof::perfetto {

inline constexpr size_t kMaxRecordings = 1024;

std::span<const uint64_t> FlowsOf(const TraceTables& tables,
                                  const Slice& slice);

// Gives each slice the category of Kineto that WorkKinds finds, if one of them
// says that the trace is like a Kineto trace; returns whether it is.
bool SetKinds(WorkKinds& kinds, TraceTables& tables);

// Tracks that belong together, by the outermost track of each.
class TrackGroups {
 public:
  uint32_t Find(uint32_t track);
  void Join(uint32_t a, uint32_t b) { above_[Find(a)] = Find(b); }

 private:
  absl::flat_hash_map<uint32_t, uint32_t> above_;
};

// Finds the launches of work by flows. Returns the correlations that it made,
// by slice; the slices have them, too. Joins the tracks of both ends.
absl::flat_hash_map<uint32_t, int64_t> JoinLaunches(TraceTables& tables,
                                                    Places& places,
                                                    TrackGroups& groups);

// Joins processes with the devices they launch on where launches of several
// processes have the numbers of the work, because each process counts its own:
// if there are as many processes as devices, the first process, by its number,
// has the first device, as torchrun starts them. Does nothing if work would
// then begin before its launch. Returns whether it joined them.
bool JoinByOrder(const TraceTables& tables, Places& places,
                 TrackGroups& groups);

// The recording of each outermost track.
class Recordings {
 public:
  size_t size() const { return size_; }
  size_t Of(uint32_t root) const {
    return root < of_root_.size() ? of_root_[root] : 0;
  }

 private:
  friend Recordings FindRecordings(const TraceTables& tables, Places& places,
                                   TrackGroups& groups);

  size_t size_ = 1;
  std::vector<uint32_t> of_root_;  // empty: all are of one
};

Recordings FindRecordings(const TraceTables& tables, Places& places,
                          TrackGroups& groups);

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_RECORDINGS_H_

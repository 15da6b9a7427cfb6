// The critical path of a step: the chain of executions, transfers, launches and
// waits that made the step as long as it was, and what would change if some
// operations were faster.
//
//   CriticalPath path(profile, place);           // place in profile.steps()
//   for (const PathSegment& segment : path.chain()) …
//   path.LengthIf([](const PathSegment& s) { return s.node == matmul ? 2 : 1;
//   })
//
// An execution is cut into segments where executions inside it begin and end,
// so that each moment of a thread belongs to the innermost one. A segment waits
// for
//   * the end of the one before it, on a thread of a trace or on a stream;
//   * the end of what made its input (links of data and transfers; in
//     TensorFlow 1 the edges of the graph, see dataflow.h);
//   * the start of the call that launched it;
//   * the thread of its process that was the last to end something, if its own
//     thread did nothing after that: work went from one thread to another;
//   * of a host's call that waits for a device (its name has "Synchronize"),
//   the
//     end of the last run that ended in it: before that it did nothing.
// An execution that is a whole step of the file is no work and is left out.
// What of the time before a segment none of these explains is its own delay,
// and stays the same in LengthIf(). A link that leads back in time is left out
// and counted.
//
// The chain is made backwards from the end that is last: before each segment
// comes the one that it waited for longest. So the lengths of the chain,
// waiting included, add up to the time from its start to that end. The slack of
// a segment is by how much it could end later without making the step longer.
//
// The clocks of two processes may differ: only the executions on one clock
// count, those of the clock with the longest span. Ticks of the profile. Time
// n log n in the executions and links of the step, some 100 bytes for each.

#ifndef TFPROF_TIMELINE_CRITICAL_PATH_H_
#define TFPROF_TIMELINE_CRITICAL_PATH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "timeline/tracks.h"

namespace tfprof {

struct PathSegment {
  enum class Kind : uint8_t { kCompute, kTransfer, kLaunch, kWait };

  int64_t start = 0;
  int64_t end = 0;
  Kind kind = Kind::kCompute;
  // The execution; of a wait, the one that waited.
  uint32_t record = 0;
  NodeId node = kNone;
  LaneId lane = kNone;
  int64_t slack = 0;  // of a wait 0

  int64_t length() const { return end - start; }
};

// "compute", "transfer", "launch", "wait".
std::string_view PathKindName(PathSegment::Kind kind);

class CriticalPath {
 public:
  // `step`: a place in Profile::steps().
  CriticalPath(const Profile& profile, size_t step);

  // In the order of time; empty if no execution of the step has a start.
  const std::vector<PathSegment>& chain() const { return chain_; }
  // All segments, without the waits, in no order.
  const std::vector<PathSegment>& segments() const { return segments_; }

  // From the first start to the last end.
  int64_t length() const { return length_; }
  // The same, if each segment took its length divided by `speed_up` of it.
  int64_t LengthIf(
      const std::function<double(const PathSegment&)>& speed_up) const;

  // Links that lead back in time.
  int64_t violations() const { return violations_; }
  // Executions on other clocks.
  int64_t on_other_clocks() const { return on_other_clocks_; }

 private:
  struct Edge {
    uint32_t from;
    uint32_t to;
    // `to` waits for the start of `from`, not for its end.
    bool from_start;
  };

  void AddTrack(const std::vector<TrackEvent>& events, bool transfers);
  void AddLinks(const Profile& profile, size_t step);
  void WaitForDevices(const Profile& profile, size_t step);
  void WaitForThreads();
  void Order();
  void IndexEdges();
  void FindDelays();
  void FindSlack();
  void FindChain();
  // From when on `to` did not wait for `from` any more.
  int64_t Since(const Edge& edge) const {
    const PathSegment& from = segments_[edge.from];
    return edge.from_start ? from.start : from.end;
  }

  const Profile& profile_;
  std::vector<PathSegment> segments_;
  // Of an execution of the step, by record: its first and last segment.
  std::vector<uint32_t> first_, last_;
  std::vector<Edge> edges_;         // by `to`
  std::vector<size_t> edge_begin_;  // by segment
  std::vector<uint32_t> order_;     // each after all that it waits for
  std::vector<int64_t> delay_;      // by segment
  std::vector<PathSegment> chain_;
  int64_t origin_ = 0;
  int64_t length_ = 0;
  int64_t violations_ = 0;
  int64_t on_other_clocks_ = 0;
};

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_CRITICAL_PATH_H_

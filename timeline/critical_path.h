// The critical path of a step: the chain of executions, transfers, launches and
// waits that determined its length, and estimates of the length if some
// operations were faster.
//
//   CriticalPath path(profile, index);           // index in profile.steps()
//   for (const PathSegment& segment : path.chain()) …
//   path.LengthIf([](const PathSegment& s) { return s.node == mm ? 2 : 1; })
//
// An execution is divided into segments where nested executions begin and end,
// so each moment of a thread belongs to the innermost execution. A segment
// waits for
//   * the end of the segment before it, on a thread of a trace or on a stream;
//   * the end of the execution that made its input (links of data and
//     transfers; in TensorFlow 1 the edges of the graph, see dataflow.h);
//   * the start of the call that launched it;
//   * if its own thread was idle, the last thread of its process that ended
//     something: the work continued on another thread;
//   * if it is a host call that waits for a device (its name has
//     "Synchronize"), the end of the last run before its own end; the time
//     before that is not counted for the call.
// An execution that is a whole step of the file is ignored. The time before a
// segment that none of these explains is the segment's own delay; LengthIf()
// keeps it unchanged. A link that leads back in time is ignored and counted.
//
// The chain is built backwards from the last end: before each segment comes the
// one for which it waited longest. So the lengths of the chain, including
// waits, add up to the time from its start to that end. The slack of a segment
// is how much later it could end without making the step longer.
//
// The clocks of two processes may differ, so only executions on the clock with
// the longest span count. Times are ticks of the profile. The algorithm takes
// O(n log n) time in the executions and links of the step, and about 100 bytes
// for each.

#ifndef TFPROF_TIMELINE_CRITICAL_PATH_H_
#define TFPROF_TIMELINE_CRITICAL_PATH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "timeline/tracks.h"
#include "util/run/task_options.h"

namespace tfprof::timeline {

struct PathSegment {
  enum class Kind : uint8_t { kCompute, kTransfer, kLaunch, kWait };

  int64_t start = 0;
  int64_t end = 0;
  Kind kind = Kind::kCompute;
  // The execution; for a wait, the execution that waited.
  uint32_t record = 0;
  profile::NodeId node = profile::kNone;
  profile::LaneId lane = profile::kNone;
  int64_t slack = 0;  // 0 for a wait

  int64_t length() const { return end - start; }
};

// Returns "compute", "transfer", "launch" or "wait".
std::string_view PathKindName(PathSegment::Kind kind);

class CriticalPath {
 public:
  // `step` is an index in Profile::steps(). The path is incomplete after a
  // cancellation of `work`.
  CriticalPath(const profile::Profile& profile, size_t step,
               const util::TaskOptions& work = {});

  // The chain in time order; empty if no execution of the step has a start.
  const std::vector<PathSegment>& chain() const { return chain_; }
  // All segments except waits, in no particular order.
  const std::vector<PathSegment>& segments() const { return segments_; }

  // The time from the first start to the last end.
  int64_t length() const { return length_; }
  // Returns the length if the length of each segment were divided by
  // speed_up(segment).
  int64_t LengthIf(
      const std::function<double(const PathSegment&)>& speed_up) const;

  // The number of links that lead back in time.
  int64_t violations() const { return violations_; }
  // The number of executions on other clocks.
  int64_t on_other_clocks() const { return on_other_clocks_; }

 private:
  struct Edge {
    uint32_t from;
    uint32_t to;
    // `to` waits for the start of `from`, not for its end.
    bool from_start;
  };

  void AddTrack(const std::vector<TrackEvent>& events, bool transfers);
  void AddLinks(const profile::Profile& profile, size_t step);
  void WaitForDevices(const profile::Profile& profile, size_t step);
  void WaitForThreads();
  void Order();
  void IndexEdges();
  void FindDelays();
  void FindSlack();
  void FindChain();
  // Returns the time from which `to` no longer waits for `from`.
  int64_t Since(const Edge& edge) const {
    const PathSegment& from = segments_[edge.from];
    return edge.from_start ? from.start : from.end;
  }

  const profile::Profile& profile_;
  const util::TaskOptions work_;
  std::vector<PathSegment> segments_;
  // The first and last segment of each execution, by record.
  std::vector<uint32_t> first_, last_;
  std::vector<Edge> edges_;         // sorted by `to`
  std::vector<size_t> edge_begin_;  // indexed by segment
  std::vector<uint32_t> order_;     // each segment after those it waits for
  std::vector<int64_t> delay_;      // indexed by segment
  std::vector<PathSegment> chain_;
  int64_t origin_ = 0;
  int64_t length_ = 0;
  int64_t violations_ = 0;
  int64_t on_other_clocks_ = 0;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_CRITICAL_PATH_H_

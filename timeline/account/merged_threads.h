// The threads of a process as one sequence of pieces: at each moment, the piece
// of the thread that explains idle time first (idle_parts.h).
//
//   const MergedThreads merged(pieces.OfProcess(process), wanted, is_wait);
//   for (const MergedThreads::Segment& of : merged.segments()) …
//
// A thread before another one in the order of the threads counts first. The
// time of a named range between its operations counts only while no thread has
// another piece, because the range is only around what others do; a wait counts
// only while no thread has a piece or range. So the time of
// a gap is found without a look at each thread. Many devices of a process share
// an object, which does not change.
//
// Times are ticks of the profile. The work is O(n log n) for n pieces.

#ifndef TFPROF_TIMELINE_ACCOUNT_MERGED_THREADS_H_
#define TFPROF_TIMELINE_ACCOUNT_MERGED_THREADS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "timeline/account/host_pieces.h"
#include "timeline/intervals.h"
#include "util/run/task_options.h"

namespace tfprof::timeline {

class MergedThreads {
 public:
  // A part of a piece, or all of it.
  struct Segment {
    int64_t start = 0;
    int64_t end = 0;
    const HostPiece* piece = nullptr;
    bool waits = false;
  };

  // `wanted` is the time for which the pieces were wanted. `is_wait` says which
  // pieces are waits. `of_host`: the threads are all work of the process, not
  // what an accelerator waits for: communication in flight counts, too, as the
  // last thread, and a function of Python counts only while no thread runs an
  // operation. `threads` and `wanted` must outlive the object. After a
  // cancellation the segments are not complete.
  MergedThreads(std::span<const HostThread> threads, const Intervals& wanted,
                const std::function<bool(const HostPiece&)>& is_wait,
                bool of_host, const util::TaskOptions& work = {});

  std::span<const HostThread> threads() const { return threads_; }
  const Intervals& wanted() const { return wanted_; }
  // By start. Empty if there is only one real thread: its pieces say the same.
  const std::vector<Segment>& segments() const { return segments_; }

  // Returns the thread with this number; nullptr: none.
  const HostThread* Find(int64_t thread) const;

  // Returns the first wait of a thread that ends at `time` or later, if it
  // began before `time`; else nullptr.
  static const HostWait* WaitAt(const HostThread& thread, int64_t time);
  // Returns the WaitAt() of the first thread that has one which ends before
  // `limit`; nullptr: none has.
  const HostWait* WaitThatEnds(int64_t time, int64_t limit) const;

 private:
  struct EndOfWait {
    int64_t end = 0;
    uint32_t thread = 0;
    const HostWait* wait = nullptr;
  };

  void Merge(const std::function<bool(const HostPiece&)>& is_wait, bool of_host,
             const util::TaskOptions& work);

  const std::span<const HostThread> threads_;
  const Intervals& wanted_;
  absl::flat_hash_map<int64_t, uint32_t> thread_of_number_;
  std::vector<Segment> segments_;
  std::vector<EndOfWait> waits_;  // by end
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_MERGED_THREADS_H_

#include "timeline/account/merged_threads.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

#include "util/arithmetic.h"
#include "util/radix_sort.h"

namespace tfprof::timeline {
namespace {

// A piece with its place in the order: the least counts.
struct Ranked {
  int64_t start = 0;  // of the piece
  bool waits = false;
  bool range = false;
  uint32_t thread = 0;
  const HostPiece* piece = nullptr;

  friend bool operator<(const Ranked& a, const Ranked& b) {
    // The top of a queue is its largest element.
    return std::tie(b.waits, b.range, b.thread) <
           std::tie(a.waits, a.range, a.thread);
  }
};

// Sorts pieces by start. Equal ones keep their order, which is that of threads.
// Returns false if it was cancelled.
bool SortByStart(std::vector<Ranked>& pieces,
                 const util::Cancellation* cancellation) {
  constexpr size_t kMany = 1 << 10;  // a sort in linear time pays from here on
  if (pieces.size() < kMany) {
    std::ranges::stable_sort(pieces, {}, &Ranked::start);
    return true;
  }
  const int64_t first =
      std::ranges::min_element(pieces, {}, &Ranked::start)->start;
  return util::RadixSort(
      pieces,
      [first](const Ranked& of) {
        return static_cast<uint64_t>(util::WrapSub(of.start, first));
      },
      cancellation);
}

}  // namespace

MergedThreads::MergedThreads(
    std::span<const HostThread> threads, const Intervals& wanted,
    const std::function<bool(const HostPiece&)>& is_wait, bool of_host,
    const util::TaskOptions& work)
    : threads_(threads), wanted_(wanted) {
  for (uint32_t t = 0; t < threads_.size(); ++t) {
    thread_of_number_[threads_[t].thread] = t;
    for (const HostWait& wait : threads_[t].waits) {
      waits_.push_back({.end = wait.time.end, .thread = t, .wait = &wait});
    }
  }
  std::sort(waits_.begin(), waits_.end(),
            [](const EndOfWait& a, const EndOfWait& b) {
              return std::tie(a.end, a.thread) < std::tie(b.end, b.thread);
            });
  const bool is_one = threads_.size() == 1 && !threads_.front().in_flight;
  if (!threads_.empty() && !is_one) Merge(is_wait, of_host, work);
}

void MergedThreads::Merge(const std::function<bool(const HostPiece&)>& is_wait,
                          bool of_host, const util::TaskOptions& work) {
  size_t size = 0;
  for (const HostThread& thread : threads_) size += thread.pieces.size();
  std::vector<Ranked> pieces;
  pieces.reserve(size);
  for (uint32_t t = 0; t < threads_.size(); ++t) {
    if (threads_[t].in_flight && !of_host) continue;
    for (const HostPiece& piece : threads_[t].pieces) {
      const bool waits = is_wait(piece);
      const bool around = piece.range || (of_host && piece.python &&
                                          piece.call == HostCall::kOther);
      pieces.push_back({.start = piece.start,
                        .waits = waits,
                        .range = !waits && around,
                        .thread = t,
                        .piece = &piece});
    }
  }
  if (!SortByStart(pieces, work.cancellation)) return;
  std::priority_queue<Ranked> open;
  int64_t now = 0;
  for (auto next = pieces.begin(); next != pieces.end() || !open.empty();) {
    if (work.cancelled()) return;
    while (!open.empty() && open.top().piece->end <= now) open.pop();
    if (open.empty()) {
      if (next == pieces.end()) break;
      now = std::max(now, next->start);
    } else {
      const Ranked top = open.top();
      int64_t end = top.piece->end;
      if (next != pieces.end()) end = std::min(end, next->start);
      if (end > now) {
        if (!segments_.empty() && segments_.back().piece == top.piece &&
            segments_.back().end == now) {
          segments_.back().end = end;
        } else {
          segments_.push_back({now, end, top.piece, top.waits});
        }
        now = end;
      }
    }
    for (; next != pieces.end() && next->start <= now; ++next) {
      open.push(*next);
    }
  }
}

const HostThread* MergedThreads::Find(int64_t thread) const {
  const auto found = thread_of_number_.find(thread);
  return found == thread_of_number_.end() ? nullptr : &threads_[found->second];
}

const HostWait* MergedThreads::WaitAt(const HostThread& thread, int64_t time) {
  const auto wait = std::partition_point(
      thread.waits.begin(), thread.waits.end(),
      [&](const HostWait& of) { return of.time.end < time; });
  return wait != thread.waits.end() && wait->time.start < time ? &*wait
                                                               : nullptr;
}

const HostWait* MergedThreads::WaitThatEnds(int64_t time, int64_t limit) const {
  // The waits of a thread do not overlap, so one that began before `time` and
  // ends later is its first that ends at `time` or later.
  const EndOfWait* first = nullptr;
  const auto begin = std::partition_point(
      waits_.begin(), waits_.end(),
      [time](const EndOfWait& of) { return of.end < time; });
  for (auto it = begin; it != waits_.end() && it->end < limit; ++it) {
    if (it->wait->time.start >= time) continue;
    if (first == nullptr || it->thread < first->thread) first = &*it;
  }
  return first == nullptr ? nullptr : first->wait;
}

}  // namespace tfprof::timeline

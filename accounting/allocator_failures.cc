#include "accounting/allocator_failures.h"

#include <algorithm>

#include "util/arithmetic.h"

namespace tfprof::accounting {
namespace {

using profile::AllocatorEvent;
using profile::AllocatorHistory;
using profile::AllocatorSegment;

// Larger requests are not for the pool of small blocks.
constexpr int64_t kSmallRequest = 1 << 20;

// Whether the state at the end is about that of the failure.
bool IsAboutTheEnd(const AllocatorFailure& failure,
                   const AllocatorLevels& levels) {
  constexpr int64_t kPart = 50;  // 2 %
  return failure.reserved == levels.reserved.end &&
         util::WrapSub(failure.allocated, levels.allocated.end) <=
             failure.allocated / kPart;
}

void FindPieces(const AllocatorHistory& history, int64_t stream,
                AllocatorFailure& failure) {
  using Cause = AllocatorFailure::Cause;
  const bool small = failure.requested <= kSmallRequest;
  Cause other = Cause::kFull;
  for (const AllocatorSegment& segment : history.segments) {
    const SegmentSums sums = SumsOf(history, segment);
    failure.rounding = util::SaturatingAdd(failure.rounding, sums.internal);
    if (segment.small != small) continue;
    const bool is_common = segment.pool == profile::AllocatorPool();
    if (segment.stream == stream && is_common) {
      failure.free =
          util::SaturatingAdd(failure.free, sums.external - sums.awaiting);
      failure.largest = std::max(failure.largest, sums.largest_free);
    } else if (sums.largest_free > failure.elsewhere) {
      failure.elsewhere = sums.largest_free;
      other = is_common ? Cause::kOtherStream : Cause::kOtherPool;
    }
  }
  if (failure.free >= failure.requested) {
    failure.cause = Cause::kFragmented;
  } else if (failure.elsewhere >= failure.requested) {
    failure.cause = other;
  } else if (failure.rounding >= failure.requested) {
    failure.cause = Cause::kRounding;
  }
}

}  // namespace

std::vector<AllocatorFailure> FailuresOf(const AllocatorHistory& history,
                                         const AllocatorLevels& levels) {
  std::vector<AllocatorFailure> failures;
  ForEachLevel(
      history, levels, [&](size_t i, int64_t allocated, int64_t reserved) {
        const AllocatorEvent& event = history.events[i];
        if (event.kind != AllocatorEvent::Kind::kOutOfMemory) return;
        failures.push_back({.event = i,
                            .requested = event.bytes,
                            .device_free = static_cast<int64_t>(event.address),
                            .allocated = allocated,
                            .reserved = reserved});
      });
  for (size_t i = 0; i < failures.size(); ++i) {
    AllocatorFailure& failure = failures[i];
    failure.knows_pieces =
        !history.segments.empty() && IsAboutTheEnd(failure, levels);
    if (failure.knows_pieces) {
      const int64_t stream =
          i < history.failure_streams.size() ? history.failure_streams[i] : 0;
      FindPieces(history, stream, failure);
      continue;
    }
    failure.free = util::WrapSub(failure.reserved, failure.allocated);
    if (failure.free >= failure.requested) {
      failure.cause = AllocatorFailure::Cause::kFragmented;
    }
  }
  return failures;
}

}  // namespace tfprof::accounting

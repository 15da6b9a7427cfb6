#include "loaders/ctf/model/device_clock.h"

#include <algorithm>
#include <utility>

namespace tfprof::ctf {
namespace {

// The most pairs of commands and calls that vote.
constexpr size_t kMaxPairs = 4 << 20;

// Returns no limits if there are not as many commands as calls: some are
// missing.
ShiftLimits LimitsByOrder(std::span<const int64_t> queued,
                          std::span<const int64_t> ends,
                          std::span<const HostCall> calls,
                          std::span<const int64_t> callbacks) {
  if (queued.size() != calls.size()) return {};
  ShiftLimits limits = LimitsOfCalls(queued, calls);
  if (callbacks.size() == ends.size() && ends.size() == queued.size()) {
    for (size_t i = 0; i < ends.size(); ++i) {
      limits.highs.push_back({ends[i], ShiftBetween(ends[i], callbacks[i])});
    }
  }
  return limits;
}

ClockBounds ByVotes(const std::vector<int64_t>& queued,
                    const std::vector<HostCall>& calls) {
  if (queued.empty() || calls.empty()) return {};
  // At the same shift, begins of intervals sort before ends.
  std::vector<std::pair<int64_t, int>> points;
  const size_t most = std::max<size_t>(1, kMaxPairs / calls.size());
  const size_t step = (queued.size() + most - 1) / most;
  for (size_t i = 0; i < queued.size(); i += step) {
    for (const HostCall& call : calls) {
      points.emplace_back(ShiftBetween(queued[i], call.entry), 0);
      points.emplace_back(ShiftBetween(queued[i], call.exit), 1);
      if (points.size() >= 2 * kMaxPairs) break;
    }
  }
  std::sort(points.begin(), points.end());
  int64_t votes = 0, most_votes = 0, low = 0, high = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i].second == 1) {
      --votes;
    } else if (++votes > most_votes) {
      most_votes = votes;
      low = points[i].first;
      high = i + 1 < points.size() ? points[i + 1].first : low;
    }
  }
  // A single pair agrees with any shift.
  if (most_votes < 2 && queued.size() != 1) return {};
  ClockBounds best = ConstantClock(ClockBounds::kVoting, low, high);
  best.votes = most_votes;
  return best;
}

}  // namespace

ShiftLimits LimitsOfCalls(std::span<const int64_t> queued,
                          std::span<const HostCall> calls) {
  ShiftLimits limits;
  for (size_t i = 0; i < queued.size(); ++i) {
    limits.lows.push_back({queued[i], ShiftBetween(queued[i], calls[i].entry)});
    limits.highs.push_back({queued[i], ShiftBetween(queued[i], calls[i].exit)});
  }
  return limits;
}

ClockBounds BoundDeviceClock(std::vector<int64_t> queued,
                             std::vector<int64_t> ends,
                             std::vector<HostCall> calls,
                             std::vector<int64_t> callbacks,
                             const ShiftLimits& told) {
  // Entries and exits are sorted separately.
  std::vector<int64_t> entries, exits;
  for (const HostCall& call : calls) {
    entries.push_back(call.entry);
    exits.push_back(call.exit);
  }
  for (std::vector<int64_t>* times :
       {&queued, &ends, &entries, &exits, &callbacks}) {
    std::sort(times->begin(), times->end());
  }
  for (size_t i = 0; i < calls.size(); ++i) calls[i] = {entries[i], exits[i]};
  ShiftLimits by_order = LimitsByOrder(queued, ends, calls, callbacks);
  const ClockBounds certain = FitClock(told, ClockBounds::kCorrelation);
  if (certain.known()) {
    by_order.Add(told);
    const ClockBounds both = FitClock(by_order, ClockBounds::kCorrelation);
    return both.known() && both.drifts == certain.drifts ? both : certain;
  }
  const ClockBounds bounds = FitClock(by_order, ClockBounds::kOrder);
  return bounds.known() ? bounds : ByVotes(queued, calls);
}

ClockBounds BoundHosts(std::span<const RoundTrip> forth,
                       std::span<const RoundTrip> back) {
  ShiftLimits limits;
  // A request leaves at `sent` on A's clock, which is `sent` plus the lead on
  // B's clock. B sees it after that.
  for (const RoundTrip& trip : forth) {
    limits.highs.push_back({trip.seen, ShiftBetween(trip.sent, trip.seen)});
    limits.lows.push_back(
        {trip.answered, ShiftBetween(trip.received, trip.answered)});
  }
  for (const RoundTrip& trip : back) {
    limits.lows.push_back({trip.sent, ShiftBetween(trip.seen, trip.sent)});
    limits.highs.push_back(
        {trip.received, ShiftBetween(trip.answered, trip.received)});
  }
  return FitClock(limits, ClockBounds::kRequests);
}

}  // namespace tfprof::ctf

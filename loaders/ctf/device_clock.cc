#include "loaders/ctf/device_clock.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tfprof::ctf {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
// How many pairs of commands and calls vote.
constexpr size_t kMaxPairs = 4 << 20;

// Hostile times may be far apart.
int64_t Difference(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return a < b ? kMin : kMax;
  return result;
}

ClockBounds ByOrder(const std::vector<int64_t>& queued,
                    const std::vector<int64_t>& ends,
                    const std::vector<int64_t>& entries,
                    const std::vector<int64_t>& exits,
                    const std::vector<int64_t>& callbacks) {
  if (queued.empty() || queued.size() != entries.size()) return {};
  ClockBounds bounds = {ClockBounds::kOrder, kMin, kMax, 0};
  for (size_t i = 0; i < queued.size(); ++i) {
    bounds.low = std::max(bounds.low, Difference(entries[i], queued[i]));
    bounds.high = std::min(bounds.high, Difference(exits[i], queued[i]));
  }
  if (callbacks.size() == ends.size() && ends.size() == queued.size()) {
    for (size_t i = 0; i < ends.size(); ++i) {
      bounds.high = std::min(bounds.high, Difference(callbacks[i], ends[i]));
    }
  }
  return bounds.low <= bounds.high ? bounds : ClockBounds();
}

ClockBounds ByVotes(const std::vector<int64_t>& queued,
                    const std::vector<HostCall>& calls) {
  if (queued.empty() || calls.empty()) return {};
  // Begins of intervals come before ends of the same shift.
  std::vector<std::pair<int64_t, int>> points;
  const size_t most = std::max<size_t>(1, kMaxPairs / calls.size());
  const size_t step = (queued.size() + most - 1) / most;
  for (size_t i = 0; i < queued.size(); i += step) {
    for (const HostCall& call : calls) {
      points.emplace_back(Difference(call.entry, queued[i]), 0);
      points.emplace_back(Difference(call.exit, queued[i]), 1);
      if (points.size() >= 2 * kMaxPairs) break;
    }
  }
  std::sort(points.begin(), points.end());
  ClockBounds best = {ClockBounds::kVoting, 0, 0, 0};
  int64_t votes = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i].second == 1) {
      --votes;
    } else if (++votes > best.votes) {
      best.votes = votes;
      best.low = points[i].first;
      best.high = i + 1 < points.size() ? points[i + 1].first : best.low;
    }
  }
  // One pair agrees with any shift.
  return best.votes >= 2 || queued.size() == 1 ? best : ClockBounds();
}

}  // namespace

std::string_view RuleName(ClockBounds::Rule rule) {
  switch (rule) {
    case ClockBounds::kNone:
      return "unknown";
    case ClockBounds::kCorrelation:
      return "correlation";
    case ClockBounds::kOrder:
      return "order statistics";
    case ClockBounds::kVoting:
      return "voting";
    case ClockBounds::kRequests:
      return "requests in both directions";
  }
  return "";
}

ClockBounds BoundDeviceClock(std::vector<int64_t> queued,
                             std::vector<int64_t> ends,
                             std::vector<HostCall> calls,
                             std::vector<int64_t> callbacks) {
  std::vector<int64_t> entries, exits;
  for (const HostCall& call : calls) {
    entries.push_back(call.entry);
    exits.push_back(call.exit);
  }
  for (std::vector<int64_t>* times :
       {&queued, &ends, &entries, &exits, &callbacks}) {
    std::sort(times->begin(), times->end());
  }
  const ClockBounds bounds = ByOrder(queued, ends, entries, exits, callbacks);
  return bounds.known() ? bounds : ByVotes(queued, calls);
}

ClockBounds BoundByCorrelation(std::span<const int64_t> queued,
                               std::span<const HostCall> calls) {
  if (queued.empty()) return {};
  ClockBounds bounds = {ClockBounds::kCorrelation, kMin, kMax, 0};
  for (size_t i = 0; i < queued.size(); ++i) {
    bounds.low = std::max(bounds.low, Difference(calls[i].entry, queued[i]));
    bounds.high = std::min(bounds.high, Difference(calls[i].exit, queued[i]));
  }
  return bounds.low <= bounds.high ? bounds : ClockBounds();
}

ClockBounds BoundHosts(std::span<const RoundTrip> forth,
                       std::span<const RoundTrip> back) {
  ClockBounds bounds = {ClockBounds::kRequests, kMin, kMax, 0};
  // What was sent at `sent` of A's clock was that plus the lead on B's, and
  // seen later.
  for (const RoundTrip& trip : forth) {
    bounds.high = std::min(bounds.high, Difference(trip.seen, trip.sent));
    bounds.low = std::max(bounds.low, Difference(trip.answered, trip.received));
  }
  for (const RoundTrip& trip : back) {
    bounds.low = std::max(bounds.low, Difference(trip.sent, trip.seen));
    bounds.high =
        std::min(bounds.high, Difference(trip.received, trip.answered));
  }
  if (bounds.low == kMin || bounds.high == kMax || bounds.low > bounds.high) {
    return {};
  }
  return bounds;
}

}  // namespace tfprof::ctf

#include "loaders/gpu_trace/clock_shift.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <span>

#include "absl/status/status.h"
#include "fmt/format.h"

namespace tfprof::gpu_trace {
namespace {

// Votes within this distance agree: clocks of one machine are that exact.
constexpr int64_t kAgree = 20'000;
// Events that follow each other within kAgree give wrong pairs that agree, too;
// the right ones are denser.
constexpr int64_t kDense = 1'000;
// Another shift is a second answer only if it is further away than this.
constexpr int64_t kApart = 10 * kAgree;
constexpr int64_t kFewestVotes = 3;
// Limits the work: names with the fewest pairs are the most telling.
constexpr size_t kMostPairs = 4'000'000;

struct Vote {
  int64_t shift = 0;
  uint32_t event = 0;  // of the first recording
  friend auto operator<=>(const Vote&, const Vote&) = default;
};

// Differences of such times do not overflow.
bool IsInRange(const NamedTime& time) {
  return -(int64_t{1} << 61) < time.start && time.start < int64_t{1} << 61;
}

// The events of one name.
struct Named {
  std::span<const NamedTime> first, second;
  uint32_t number = 0;  // of its first event
  size_t pairs() const { return first.size() * second.size(); }
};

std::vector<Named> SharedNames(const std::vector<NamedTime>& first,
                               const std::vector<NamedTime>& second) {
  std::vector<Named> names;
  auto b = second.begin();
  for (auto a = first.begin(); a != first.end();) {
    const uint64_t key = a->key;
    const auto a_end = std::find_if(
        a, first.end(), [&](const NamedTime& t) { return t.key != key; });
    while (b != second.end() && b->key < key) ++b;
    const auto b_end = std::find_if(
        b, second.end(), [&](const NamedTime& t) { return t.key != key; });
    if (b != b_end) {
      names.push_back(
          {{a, a_end}, {b, b_end}, static_cast<uint32_t>(a - first.begin())});
    }
    a = a_end;
    b = b_end;
  }
  return names;
}

// The sorted votes [begin, end) that agree; each event counts once.
struct Window {
  size_t begin = 0, end = 0;
  int64_t votes = 0;
};

// Returns the window of this width with the most votes, among those further
// than `apart` from `middle`; any if `apart` is negative.
Window BestWindow(std::span<const Vote> votes, uint32_t num_events,
                  int64_t width, int64_t middle = 0, int64_t apart = -1) {
  Window best;
  std::vector<uint32_t> count(num_events, 0);
  int64_t distinct = 0;
  size_t begin = 0;
  for (size_t end = 0; end < votes.size(); ++end) {
    if (count[votes[end].event]++ == 0) ++distinct;
    while (votes[end].shift - votes[begin].shift > width) {
      if (--count[votes[begin].event] == 0) --distinct;
      ++begin;
    }
    const int64_t distance = std::min(std::abs(votes[end].shift - middle),
                                      std::abs(votes[begin].shift - middle));
    if (distance > apart && distinct > best.votes) {
      best = {begin, end + 1, distinct};
    }
  }
  return best;
}

}  // namespace

absl::StatusOr<ClockShift> FindClockShift(std::vector<NamedTime> first,
                                          std::vector<NamedTime> second) {
  std::erase_if(first, std::not_fn(IsInRange));
  std::erase_if(second, std::not_fn(IsInRange));
  std::ranges::sort(first);
  std::ranges::sort(second);
  std::vector<Named> names = SharedNames(first, second);
  std::ranges::stable_sort(names, {}, &Named::pairs);
  std::vector<Vote> votes;
  int64_t possible = 0;
  for (const Named& name : names) {
    if (votes.size() + name.pairs() > kMostPairs && !votes.empty()) break;
    if (name.pairs() > kMostPairs) break;
    for (uint32_t i = 0; i < name.first.size(); ++i) {
      for (const NamedTime& other : name.second) {
        votes.push_back({name.first[i].start - other.start, name.number + i});
      }
    }
    possible +=
        static_cast<int64_t>(std::min(name.first.size(), name.second.size()));
  }
  if (votes.empty()) {
    return absl::FailedPreconditionError(
        "no event has the same name and thread in both");
  }
  std::ranges::sort(votes);
  const auto num_events = static_cast<uint32_t>(first.size());
  const Window best = BestWindow(votes, num_events, kAgree);
  if (best.votes < kFewestVotes || 2 * best.votes < possible) {
    return absl::FailedPreconditionError(fmt::format(
        "only {} of {} events with the same name and thread agree on a shift "
        "of the clocks",
        best.votes, possible));
  }
  const std::span<const Vote> agreeing(votes.data() + best.begin,
                                       best.end - best.begin);
  const Window dense = BestWindow(agreeing, num_events, kDense);
  const int64_t middle = agreeing[(dense.begin + dense.end) / 2].shift;
  const Window next = BestWindow(votes, num_events, kAgree, middle, kApart);
  if (10 * next.votes > 9 * best.votes) {
    return absl::FailedPreconditionError(fmt::format(
        "two shifts of the clocks fit equally well: {} and {} ns ({} and {} of "
        "{} events)",
        middle, votes[(next.begin + next.end) / 2].shift, best.votes,
        next.votes, possible));
  }
  std::vector<int64_t> distances;
  for (const Vote& vote : agreeing) {
    distances.push_back(std::abs(vote.shift - middle));
  }
  const auto half =
      distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::ranges::nth_element(distances, half);
  return ClockShift{.nanos = middle,
                    .votes = std::min(best.votes, possible),
                    .of = possible,
                    .spread = *half};
}

}  // namespace tfprof::gpu_trace

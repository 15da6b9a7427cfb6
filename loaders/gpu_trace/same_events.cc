#include "loaders/gpu_trace/same_events.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "profile/tables/string_pool.h"
#include "util/arithmetic.h"

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
constexpr size_t kMostPairs = 1'000'000;
// Of a name with more, if there are few others.
constexpr size_t kMostOfOneName = 4'000'000;
// So many votes need no part of a name with more pairs than are left.
constexpr size_t kEnoughVotes = 1'000;
// Such a name gives this many events of each of so many parts.
constexpr size_t kPart = 32, kMostParts = 8;
// In such a time, clocks that differ by 80 ppm drift by kAgree.
constexpr int64_t kChunk = 250'000'000;
// So many parts of the recording give a first guess.
constexpr size_t kMostChunks = 4;
// No two clocks of a machine differ by more.
constexpr double kMostDrift = 500e-6;

// An event of a recording. `index` is its place there.
struct Event {
  uint64_t key = 0;
  int64_t start = 0;
  uint32_t index = 0;
  uint32_t name = 0;  // of the first recording: in Matcher::names_
  friend auto operator<=>(const Event&, const Event&) = default;
};

// Leaves out times whose differences overflow.
std::vector<Event> SortedEvents(const std::vector<NamedTime>& times) {
  constexpr int64_t kLimit = int64_t{1} << 61;
  std::vector<Event> events;
  events.reserve(times.size());
  for (uint32_t i = 0; i < times.size(); ++i) {
    if (-kLimit < times[i].start && times[i].start < kLimit) {
      events.push_back({times[i].key, times[i].start, i});
    }
  }
  std::ranges::sort(events);
  return events;
}

// A shift of the clocks at a time.
struct ShiftAt {
  int64_t time = 0;
  int64_t shift = 0;
};

// A guess of the shift at the time of an event of the first recording.
struct Seed {
  uint32_t event = 0;  // in the sorted first recording
  int64_t shift = 0;
};

struct Vote {
  int64_t chunk = 0;
  int64_t shift = 0;
  uint32_t event = 0;  // in the sorted first recording
};
bool ByShift(const Vote& a, const Vote& b) {
  return std::tie(a.shift, a.event) < std::tie(b.shift, b.event);
}

// The sorted votes [begin, end) that agree; each event counts once.
struct Window {
  size_t begin = 0, end = 0;
  int64_t votes = 0;
};

// Follows the shift of the clocks from event to event.
class Follower {
 public:
  explicit Follower(const ShiftAt& seed) : seed_(seed), last_(seed.time) {}

  int64_t At(int64_t time) const {
    const double more = level_ + slope_ * static_cast<double>(time - last_);
    return seed_.shift + std::llround(more);
  }

  void See(int64_t time, int64_t shift) {
    constexpr double kGain = 1.0 / 16;
    const auto y = static_cast<double>(shift - seed_.shift);
    level_ += slope_ * static_cast<double>(time - last_);
    level_ += kGain * (y - level_);
    last_ = time;
    // The slope of the line through all that was seen.
    const auto x = static_cast<double>(time - seed_.time);
    const double dx = x - mean_x_;
    ++count_;
    mean_x_ += dx / count_;
    mean_y_ += (y - mean_y_) / count_;
    xx_ += dx * (x - mean_x_);
    xy_ += dx * (y - mean_y_);
    slope_ = std::clamp(xy_ / xx_, -kMostDrift, kMostDrift);
  }

 private:
  // Times jitter by a microsecond or two, which is no drift before 40 ms.
  static constexpr double kNoise = 40e6 * 40e6;
  const ShiftAt seed_;
  int64_t last_;
  double level_ = 0;  // what the shift at `last_` is above that of the seed
  double slope_ = 0;
  double count_ = 0, mean_x_ = 0, mean_y_ = 0, xx_ = kNoise, xy_ = 0;
};

class Matcher {
 public:
  Matcher(const std::vector<NamedTime>& first,
          const std::vector<NamedTime>& second)
      : size_(first.size()),
        first_(SortedEvents(first)),
        second_(SortedEvents(second)) {}

  absl::StatusOr<SameEvents> Match() {
    FindNames();
    if (names_.empty()) {
      return absl::FailedPreconditionError(
          "no event has the same name and thread in both");
    }
    SameEvents best;
    std::vector<std::pair<int64_t, int64_t>> shifts;  // (events, shift)
    std::vector<std::vector<uint32_t>> known;         // their pairs
    for (const Seed& seed : FindSeeds()) {
      const bool is_known =
          std::ranges::any_of(known, [&](const std::vector<uint32_t>& pairs) {
            return Agrees(seed, pairs[seed.event]);
          });
      if (is_known) continue;
      SameEvents found = Follow(seed);
      known.push_back(std::move(partner_));
      shifts.emplace_back(found.same, seed.shift);
      if (found.same > best.same) best = std::move(found);
    }
    if (best.same < kFewestVotes || 2 * best.same < possible_) {
      return absl::FailedPreconditionError(fmt::format(
          "only {} of {} events with the same name and thread agree on a "
          "shift of the clocks",
          best.same, possible_));
    }
    std::ranges::sort(shifts, std::greater<>());
    // Steps that are all alike fit nearly as well one step later. If all events
    // fit, those at the ends tell the shifts apart.
    const double near = shifts[0].first == possible_ ? 0.97 : 0.9;
    if (shifts.size() > 1 && static_cast<double>(shifts[1].first) >
                                 near * static_cast<double>(shifts[0].first)) {
      return absl::FailedPreconditionError(fmt::format(
          "two shifts of the clocks fit equally well: {} and {} ns ({} and {} "
          "of {} events)",
          shifts[0].second, shifts[1].second, shifts[0].first, shifts[1].first,
          possible_));
    }
    return best;
  }

 private:
  // The events of one name.
  struct Named {
    std::span<const Event> first, second;
    uint32_t number = 0;  // of its first event
    size_t pairs() const { return first.size() * second.size(); }
  };

  // Returns whether the event of a guess has this partner, or one near it.
  bool Agrees(const Seed& seed, uint32_t partner) const {
    if (partner == profile::kNone) return false;
    const int64_t shift = first_[seed.event].start - second_[partner].start;
    return std::abs(shift - seed.shift) <= kApart;
  }

  void FindNames() {
    auto b = second_.begin();
    for (auto a = first_.begin(); a != first_.end();) {
      const uint64_t key = a->key;
      const auto other = [&](const Event& event) { return event.key != key; };
      const auto a_end = std::find_if(a, first_.end(), other);
      while (b != second_.end() && b->key < key) ++b;
      const auto b_end = std::find_if(b, second_.end(), other);
      if (b != b_end) {
        for (auto event = a; event != a_end; ++event) {
          event->name = static_cast<uint32_t>(names_.size());
          by_time_.push_back(static_cast<uint32_t>(event - first_.begin()));
        }
        names_.push_back(
            {{a, a_end},
             {b, b_end},
             static_cast<uint32_t>(std::distance(first_.begin(), a))});
        possible_ += std::min(a_end - a, b_end - b);
      }
      a = a_end;
      b = b_end;
    }
    std::ranges::sort(by_time_, {}, [&](uint32_t event) {
      return std::pair(first_[event].start, event);
    });
  }

  // Adds the votes of the events [from, from + count) of a name.
  void AddVotes(const Named& name, size_t from, size_t count) {
    for (size_t i = from; i < from + count; ++i) {
      const int64_t start = name.first[i].start;
      const int64_t chunk = (start - first_[by_time_.front()].start) / kChunk;
      for (const Event& other : name.second) {
        votes_.push_back({chunk, start - other.start,
                          name.number + static_cast<uint32_t>(i)});
      }
    }
  }

  void MakeVotes() {
    std::vector<const Named*> names;
    for (const Named& name : names_) names.push_back(&name);
    std::ranges::stable_sort(names, {}, &Named::pairs);
    for (const Named* const name : names) {
      const size_t left = kMostPairs - votes_.size();
      if (name->pairs() <= left) {
        AddVotes(*name, 0, name->first.size());
        continue;
      }
      if (votes_.size() >= kEnoughVotes) break;
      // A few parts of the recording; the events of each are close together.
      const size_t others = name->second.size();
      const size_t events = std::min(
          std::max(left / others, std::min(kPart, kMostOfOneName / others)),
          name->first.size());
      const size_t parts = std::clamp<size_t>(events / kPart, 1, kMostParts);
      const size_t apart = name->first.size() / parts;
      const size_t part = std::min(events / parts, apart);
      for (size_t p = 0; p < parts; ++p) {
        AddVotes(*name, p * apart + (apart - part) / 2, part);
      }
      break;
    }
  }

  // Returns the window of this width with the most votes, among those further
  // than `apart` from `middle`; any if `apart` is negative.
  Window BestWindow(std::span<const Vote> votes, int64_t width,
                    int64_t middle = 0, int64_t apart = -1) {
    Window best;
    int64_t distinct = 0;
    size_t begin = 0;
    for (size_t end = 0; end < votes.size(); ++end) {
      if (count_[votes[end].event]++ == 0) ++distinct;
      while (votes[end].shift - votes[begin].shift > width) {
        if (--count_[votes[begin].event] == 0) --distinct;
        ++begin;
      }
      const int64_t distance = std::min(std::abs(votes[end].shift - middle),
                                        std::abs(votes[begin].shift - middle));
      if (distance > apart && distinct > best.votes) {
        best = {begin, end + 1, distinct};
      }
    }
    for (; begin < votes.size(); ++begin) count_[votes[begin].event] = 0;
    return best;
  }

  // Returns the densest place in the window with the most votes.
  Seed SeedIn(std::span<const Vote> votes, const Window& window) {
    const auto agreeing =
        votes.subspan(window.begin, window.end - window.begin);
    const Window dense = BestWindow(agreeing, kDense);
    const Vote& vote = agreeing[(dense.begin + dense.end) / 2];
    return {.event = vote.event, .shift = vote.shift};
  }

  // Adds the two best guesses of some votes, which are sorted by their shift.
  void AddSeeds(std::span<const Vote> votes, std::vector<Seed>& seeds) {
    const Window best = BestWindow(votes, kAgree);
    seeds.push_back(SeedIn(votes, best));
    const Window next = BestWindow(votes, kAgree, seeds.back().shift, kApart);
    if (next.votes > 0) seeds.push_back(SeedIn(votes, next));
  }

  // Clocks that drift agree in a part of the recording only.
  std::vector<Seed> FindSeeds() {
    MakeVotes();
    count_.assign(first_.size(), 0);
    std::ranges::sort(votes_, ByShift);
    std::vector<Seed> seeds;
    AddSeeds(votes_, seeds);
    std::ranges::stable_sort(votes_, {}, &Vote::chunk);
    std::vector<std::pair<int64_t, std::span<const Vote>>> chunks;
    for (auto begin = votes_.cbegin(); begin != votes_.cend();) {
      const auto end = std::find_if(
          begin, votes_.cend(),
          [&](const Vote& vote) { return vote.chunk != begin->chunk; });
      const std::span<const Vote> votes(begin, end);
      chunks.emplace_back(BestWindow(votes, kAgree).votes, votes);
      begin = end;
    }
    if (chunks.size() == 1) return seeds;
    const auto most = chunks.begin() + static_cast<ptrdiff_t>(std::min(
                                           kMostChunks, chunks.size()));
    std::ranges::partial_sort(
        chunks, most, std::greater<>(),
        &std::pair<int64_t, std::span<const Vote>>::first);
    for (auto chunk = chunks.begin(); chunk != most; ++chunk) {
      AddSeeds(chunk->second, seeds);
    }
    return seeds;
  }

  // Finds the events that are the same if the clocks are apart by the shift of
  // the seed at its time.
  SameEvents Follow(const Seed& seed) {
    partner_.assign(first_.size(), profile::kNone);
    taken_.assign(second_.size(), false);
    const ShiftAt begin = {first_[seed.event].start, seed.shift};
    const auto middle = std::ranges::lower_bound(
        by_time_, begin.time, {},
        [&](uint32_t event) { return first_[event].start; });
    Follower forward(begin);
    for (auto it = middle; it != by_time_.end(); ++it) Pair(*it, forward);
    Follower backward(begin);
    for (auto it = middle; it != by_time_.begin();) Pair(*--it, backward);
    SameEvents found;
    found.second.assign(size_, profile::kNone);
    found.of = possible_;
    for (const uint32_t event : by_time_) {
      if (partner_[event] == profile::kNone) continue;
      ++found.same;
      found.second[first_[event].index] = second_[partner_[event]].index;
    }
    FitLine(found);
    return found;
  }

  // Finds the free event of the second recording that is the nearest.
  void Pair(uint32_t event, Follower& follower) {
    const Named& name = names_[first_[event].name];
    const int64_t time = first_[event].start;
    const int64_t shift = follower.At(time);
    const int64_t expected = time - shift;
    const auto after =
        std::ranges::lower_bound(name.second, expected, {}, &Event::start);
    uint32_t nearest = profile::kNone;
    int64_t distance = kAgree;
    const auto see = [&](auto it) {
      const auto other = static_cast<uint32_t>(&*it - second_.data());
      if (taken_[other] || std::abs(it->start - expected) > distance) return;
      distance = std::abs(it->start - expected);
      nearest = other;
    };
    if (after != name.second.end()) see(after);
    if (after != name.second.begin()) see(std::prev(after));
    if (nearest == profile::kNone) return;
    // An event that only the first recording has takes none from the next one.
    const size_t number = event - name.number;
    const auto is_nearer = [&](size_t i) {
      return i < name.first.size() &&
             partner_[name.number + i] == profile::kNone &&
             std::abs(name.first[i].start - shift - second_[nearest].start) <
                 distance;
    };
    if (is_nearer(number + 1) || (number > 0 && is_nearer(number - 1))) return;
    taken_[nearest] = true;
    partner_[event] = nearest;
    follower.See(time, time - second_[nearest].start);
  }

  // Fits a line through the pairs, so that wrong ones do not count: its slope
  // is the median of slopes between pairs that are half of the recording
  // apart.
  void FitLine(SameEvents& found) const {
    std::vector<ShiftAt> pairs;  // times of the second recording
    for (const uint32_t event : by_time_) {
      if (partner_[event] == profile::kNone) continue;
      const int64_t time = second_[partner_[event]].start;
      pairs.push_back({time, first_[event].start - time});
    }
    if (pairs.empty()) return;
    found.clock.origin = pairs[pairs.size() / 2].time;
    SetShift(pairs, found);
    std::vector<double> slopes;
    const size_t half = pairs.size() / 2;
    for (size_t i = 0; i + half < pairs.size(); ++i) {
      const int64_t passed = pairs[i + half].time - pairs[i].time;
      if (passed <= 0) continue;
      slopes.push_back(
          static_cast<double>(pairs[i + half].shift - pairs[i].shift) /
          static_cast<double>(passed));
    }
    if (slopes.empty()) return;
    SameEvents sloped = {.clock = found.clock};
    sloped.clock.drift = Median(slopes);
    SetShift(pairs, sloped);
    // Where times jitter by more than the clocks drift, there is no slope.
    if (2 * sloped.spread >= found.spread ||
        std::abs(sloped.clock.drift) > kMostDrift) {
      return;
    }
    found.clock = sloped.clock;
    found.spread = sloped.spread;
  }

  template <typename T>
  static T Median(std::vector<T>& values) {
    const auto half =
        values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, half);
    return *half;
  }

  // Sets the shift and the spread for a slope.
  static void SetShift(std::span<const ShiftAt> pairs, SameEvents& found) {
    found.clock.shift = 0;
    std::vector<int64_t> values;
    values.reserve(pairs.size());
    for (const auto& [time, shift] : pairs) {
      values.push_back(time + shift - found.clock.Moved(time));
    }
    std::vector<int64_t> sorted = values;
    found.clock.shift = Median(sorted);
    for (int64_t& value : values) value = std::abs(value - found.clock.shift);
    found.spread = Median(values);
  }

  const size_t size_;  // of the first recording
  std::vector<Event> first_, second_;
  std::vector<Named> names_;
  std::vector<uint32_t> by_time_;  // events of the first with a shared name
  int64_t possible_ = 0;
  std::vector<Vote> votes_;
  std::vector<uint32_t> count_;    // of votes of an event, for BestWindow()
  std::vector<uint32_t> partner_;  // of an event of the first recording
  std::vector<bool> taken_;        // events of the second recording
};

}  // namespace

int64_t ClockLine::Moved(int64_t time) const {
  const double passed = static_cast<double>(time) - static_cast<double>(origin);
  return util::WrapAdd(util::WrapAdd(time, shift),
                       static_cast<int64_t>(std::llround(drift * passed)));
}

absl::StatusOr<SameEvents> FindSameEvents(
    const std::vector<NamedTime>& first, const std::vector<NamedTime>& second) {
  return Matcher(first, second).Match();
}

}  // namespace tfprof::gpu_trace

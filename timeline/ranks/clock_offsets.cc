#include "timeline/ranks/clock_offsets.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "profile/tables/links.h"
#include "timeline/bounds.h"
#include "timeline/ranks/matched_events.h"
#include "timeline/tracks.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

constexpr int64_t kMicrosOfDay = int64_t{24} * 3600 * 1000 * 1000;

struct Starts {
  int64_t first = 0;
  int64_t last = 0;
};

// Disjoint sets of lanes, which can be joined (union-find).
class LaneSets {
 public:
  explicit LaneSets(size_t lanes) : parent_(lanes) {
    std::iota(parent_.begin(), parent_.end(), profile::LaneId{0});
  }
  profile::LaneId Find(profile::LaneId lane) {
    while (parent_[lane] != lane) {
      parent_[lane] = parent_[parent_[lane]];
      lane = parent_[lane];
    }
    return lane;
  }
  void Join(profile::LaneId a, profile::LaneId b) {
    parent_[Find(a)] = Find(b);
  }

 private:
  std::vector<profile::LaneId> parent_;
};

constexpr size_t kRecordsBetweenLooks = 1 << 14;

class Estimator {
 public:
  Estimator(const profile::Profile& profile, const std::vector<size_t>& steps,
            const util::TaskOptions& work)
      : profile_(profile),
        steps_(steps),
        work_(work),
        day_(util::SaturatingMul(kMicrosOfDay, profile.ticks_per_micro())) {}

  ClockOffsets Estimate() {
    FindStarts();
    if (work_.cancelled()) return {};
    FindClocks();
    if (clocks_.size() > 1 && clocks_.size() <= kMaxClocks) {
      FindOrigins();
      FindBounds();
      ChooseOffsets();
    }
    return Take();
  }

 private:
  // Finds the first and last start on each lane, by step.
  void FindStarts() {
    const size_t lanes = profile_.lanes().size();
    events_.assign(lanes, 0);
    for (const size_t place : steps_) {
      const profile::Step& step = *profile_.steps()[place];
      std::map<profile::LaneId, Starts> starts;
      for (size_t e = 0; e < step.num_records(); ++e) {
        if (e % kRecordsBetweenLooks == 0 && work_.cancelled()) return;
        const profile::LaneId lane = step.LaneOf(e);
        if (lane == profile::kNone || !step.HasStart(e)) continue;
        ++events_[lane];
        const int64_t at = BoundedTime(EventOf(profile_, place, e).start);
        const auto [it, is_new] = starts.try_emplace(lane, Starts{at, at});
        it->second.first = std::min(it->second.first, at);
        it->second.last = std::max(it->second.last, at);
      }
      starts_.push_back(std::move(starts));
    }
  }

  // Returns the recorded clock of each lane. Ranks may run on different hosts,
  // whose clocks may differ even in absolute time, so each rank has its own
  // clock.
  std::vector<uint32_t> RecordedClocks() const {
    const profile::LaneTable& lanes = profile_.lanes();
    std::map<std::tuple<uint32_t, std::string, profile::ProcessId>, uint32_t>
        numbers;
    std::vector<uint32_t> clocks;
    for (profile::LaneId id = 0; id < lanes.size(); ++id) {
      const profile::Lane& lane = lanes[id];
      const profile::Process process = lane.process == profile::kNone
                                           ? profile::Process()
                                           : lanes.process(lane.process);
      const bool is_rank = process.host.empty() && process.rank >= 0;
      clocks.push_back(
          numbers
              .try_emplace({lane.clock, process.host,
                            is_rank ? lane.process : profile::kNone},
                           static_cast<uint32_t>(numbers.size()))
              .first->second);
    }
    return clocks;
  }

  // Splits clocks whose lanes have different origins.
  void FindClocks() {
    const profile::LaneTable& lanes = profile_.lanes();
    const std::vector<uint32_t> recorded = RecordedClocks();
    LaneSets near(lanes.size());
    std::map<uint32_t, bool> is_mixed;  // indexed by recorded clock
    for (const auto& starts : starts_) {
      std::map<uint32_t, std::vector<profile::LaneId>> of_clock;
      for (const auto& [lane, of] : starts) {
        of_clock[recorded[lane]].push_back(lane);
      }
      for (auto& [clock, members] : of_clock) {
        is_mixed.try_emplace(clock, false);
        std::sort(members.begin(), members.end(),
                  [&](profile::LaneId a, profile::LaneId b) {
                    return starts.at(a).first < starts.at(b).first;
                  });
        int64_t last = starts.at(members[0]).last;
        for (size_t i = 1; i < members.size(); ++i) {
          const Starts& of = starts.at(members[i]);
          if (of.first - last <= day_) {
            near.Join(members[i], members[i - 1]);
          } else {
            is_mixed[clock] = true;
          }
          last = std::max(last, of.last);
        }
      }
    }
    clock_of_.assign(lanes.size(), profile::kNone);
    std::map<std::pair<uint32_t, profile::LaneId>, uint32_t> numbers;
    for (profile::LaneId lane = 0; lane < lanes.size(); ++lane) {
      if (events_[lane] == 0) continue;
      const uint32_t clock = recorded[lane];
      const profile::LaneId set =
          is_mixed[clock] ? near.Find(lane) : profile::kNone;
      const auto [it, is_new] = numbers.try_emplace(
          {clock, set}, static_cast<uint32_t>(clocks_.size()));
      if (is_new) {
        ProfileClock& added = clocks_.emplace_back();
        added.lane = lane;
        added.process = lanes[lane].process;
      }
      clock_of_[lane] = it->second;
      clocks_[it->second].events += events_[lane];
    }
    for (uint32_t c = 1; c < clocks_.size(); ++c) {
      if (clocks_[c].events > clocks_[main_].events) main_ = c;
    }
  }

  // Finds clocks that are far from the main clock, and aligns their first
  // events.
  void FindOrigins() {
    for (const auto& starts : starts_) {
      std::vector<std::optional<Starts>> of_clock(clocks_.size());
      for (const auto& [lane, of] : starts) {
        std::optional<Starts>& all = of_clock[clock_of_[lane]];
        if (!all) all = of;
        all->first = std::min(all->first, of.first);
        all->last = std::max(all->last, of.last);
      }
      const std::optional<Starts>& main = of_clock[main_];
      if (!main) continue;
      for (uint32_t c = 0; c < clocks_.size(); ++c) {
        const std::optional<Starts>& of = of_clock[c];
        if (!of || clocks_[c].other_origin) continue;
        if (of->first - main->last <= day_ && main->first - of->last <= day_) {
          continue;
        }
        clocks_[c].other_origin = true;
        clocks_[c].offset = main->first - of->first;
      }
    }
  }

  void FindBounds() {
    bounds_ = OffsetBounds(clocks_.size());
    const auto before = [&](uint32_t from, int64_t earlier, uint32_t to,
                            int64_t later) {
      bounds_.AddOrder(from, earlier, to, later);
      ++clocks_[from].matches;
      ++clocks_[to].matches;
    };
    AddMatchedEvents(profile_, steps_, clock_of_, before);
    for (const uint32_t c : bounds_.Close()) clocks_[c].contradictory = true;
  }

  void ChooseOffsets() {
    std::vector<uint32_t> fixed = {main_};
    for (uint32_t c = 0; c < clocks_.size(); ++c) {
      ProfileClock& clock = clocks_[c];
      std::tie(clock.low, clock.high) = bounds_.Between(main_, c);
      if (c == main_) continue;
      // The offsets chosen for other clocks restrict this one too.
      std::optional<int64_t> low, high;
      for (const uint32_t f : fixed) {
        const auto [l, h] = bounds_.Between(f, c);
        const int64_t at = clocks_[f].offset;
        if (l)
          low = std::max(low.value_or(INT64_MIN), util::SaturatingAdd(at, *l));
        if (h)
          high =
              std::min(high.value_or(INT64_MAX), util::SaturatingAdd(at, *h));
      }
      const bool fits =
          (!low || *low <= clock.offset) && (!high || clock.offset <= *high);
      if (!fits || (clock.other_origin && low && high)) {
        clock.offset = low && high ? *low + (*high - *low) / 2
                       : low       ? *low
                                   : *high;
      }
      if (low || high) fixed.push_back(c);
    }
  }

  ClockOffsets Take() {
    ClockOffsets result;
    const bool any =
        std::any_of(clocks_.begin(), clocks_.end(),
                    [](const ProfileClock& c) { return c.offset != 0; });
    if (any) {
      const profile::LaneTable& lanes = profile_.lanes();
      result.of_lane.assign(lanes.size(), 0);
      result.of_process.assign(lanes.num_processes(), 0);
      std::vector<int64_t> most(lanes.num_processes(), 0);
      for (profile::LaneId lane = 0; lane < lanes.size(); ++lane) {
        if (clock_of_[lane] == profile::kNone) continue;
        const ProfileClock& clock = clocks_[clock_of_[lane]];
        result.of_lane[lane] = clock.offset;
        const profile::ProcessId process = lanes[lane].process;
        if (process == profile::kNone || clock.events <= most[process])
          continue;
        most[process] = clock.events;
        result.of_process[process] = clock.offset;
      }
    }
    if (!clocks_.empty()) std::swap(clocks_[0], clocks_[main_]);
    result.clocks = std::move(clocks_);
    return result;
  }

  const profile::Profile& profile_;
  const std::vector<size_t>& steps_;
  const util::TaskOptions work_;
  const int64_t day_;
  std::vector<std::map<profile::LaneId, Starts>>
      starts_;                      // indexed like steps_
  std::vector<int64_t> events_;     // indexed by lane
  std::vector<uint32_t> clock_of_;  // by lane; kNone: no events
  std::vector<ProfileClock> clocks_;
  uint32_t main_ = 0;
  OffsetBounds bounds_{0};
};

std::string Micros(const profile::Profile& profile, int64_t ticks) {
  return fmt::format("{}", static_cast<double>(ticks) /
                               static_cast<double>(profile.ticks_per_micro()));
}

}  // namespace

ClockOffsets EstimateClockOffsets(const profile::Profile& profile,
                                  const std::vector<size_t>& steps,
                                  const util::TaskOptions& work) {
  return Estimator(profile, steps, work).Estimate();
}

std::string ClockName(const profile::Profile& profile,
                      const ClockOffsets& clocks, size_t clock) {
  const ProfileClock& of = clocks.clocks[clock];
  std::string name;
  if (of.process != profile::kNone) {
    const profile::Process& process = profile.lanes().process(of.process);
    name = !process.label.empty()  ? process.label
           : !process.name.empty() ? process.name
           : process.rank >= 0     ? fmt::format("rank {}", process.rank)
                                   : fmt::format("process {}", of.process);
  }
  const auto same = std::count_if(
      clocks.clocks.begin(), clocks.clocks.end(),
      [&](const ProfileClock& c) { return c.process == of.process; });
  if (same == 1 && !name.empty()) return name;
  const profile::Lane& lane = profile.lanes()[of.lane];
  std::string device = lane.device != profile::kNone
                           ? std::string(profile.devices().name(lane.device))
                       : lane.physical != profile::kNone
                           ? profile.lanes().physical(lane.physical).label
                           : fmt::format("clock {}", clock);
  if (name.empty()) return device;
  name.append(" ").append(device);
  return name;
}

std::vector<std::string> ClockNotes(const profile::Profile& profile,
                                    const ClockOffsets& clocks) {
  std::vector<std::string> notes;
  for (size_t c = 1; c < clocks.clocks.size(); ++c) {
    const ProfileClock& clock = clocks.clocks[c];
    const std::string name = ClockName(profile, clocks, c);
    if (clock.contradictory) {
      notes.push_back(fmt::format(
          "{}: its transfers and collectives contradict each other, so its "
          "clock is not corrected.",
          name));
      continue;
    }
    if (clock.offset == 0) continue;
    const auto bound = [&](const std::optional<int64_t>& of,
                           std::string_view none) {
      return of ? Micros(profile, *of) : std::string(none);
    };
    std::string why;
    if (clock.other_origin) why = "it has another origin; ";
    if (clock.low || clock.high) {
      why.append(fmt::format(
          "the offset is between {} and {}, from {} matched events",
          bound(clock.low, "any"), bound(clock.high, "any"), clock.matches));
    } else {
      why.append("no event shows the offset, so the first starts are aligned");
    }
    notes.push_back(
        fmt::format("The times of {} are moved by {} us relative to {} ({}). "
                    "-clock_offsets recorded keeps the recorded times.",
                    name, Micros(profile, clock.offset),
                    ClockName(profile, clocks, 0), why));
  }
  return notes;
}

}  // namespace tfprof::timeline

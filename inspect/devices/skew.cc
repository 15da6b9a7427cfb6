#include "inspect/devices/skew.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "inspect/time_cells.h"
#include "profile/steps/time_column.h"
#include "tables/table_builder.h"
#include "timeline/intervals.h"
#include "timeline/ranks/clock_offsets.h"
#include "timeline/ranks/late_ranks.h"
#include "timeline/ranks/same_steps.h"
#include "timeline/tracks.h"
#include "util/arithmetic.h"
#include "util/run/task_options.h"

namespace tfprof::inspect {
namespace {

// The part of a rank in a step, on the clock shared by all ranks.
struct Part {
  bool known = false;
  timeline::Interval span;
  timeline::Intervals waiting;
  int64_t collectives = 0;  // matched ones

  void Add(const timeline::Interval& interval) {
    span.start = known ? std::min(span.start, interval.start) : interval.start;
    span.end = known ? std::max(span.end, interval.end) : interval.end;
    known = true;
  }
  int64_t length() const { return util::WrapSub(span.end, span.start); }
};

struct SkewedStep {
  std::string label;
  std::map<profile::ProcessId, Part> parts;
  profile::ProcessId slowest = profile::kNone;
  int64_t first_start = 0;
  bool has_collectives = false;
};

int64_t NanosToTicks(int64_t nanos, int64_t ticks_per_micro) {
  return ticks_per_micro >= profile::kNanosPerMicro
             ? util::SaturatingMul(nanos,
                                   ticks_per_micro / profile::kNanosPerMicro)
             : profile::FloorDiv(nanos,
                                 profile::kNanosPerMicro / ticks_per_micro);
}

class Skew {
 public:
  Skew(const profile::Profile& profile, int64_t step,
       const util::TaskOptions& work)
      : profile_(profile), work_(work) {
    for (const size_t place : timeline::PlacesOfSteps(profile, -1)) {
      if (profile.steps()[place]->listed) places_.push_back(place);
    }
    rank_of_lane_ = timeline::RanksOfLanes(profile);
    std::set<profile::ProcessId> ranks(rank_of_lane_.begin(),
                                       rank_of_lane_.end());
    ranks.erase(profile::kNone);
    if (ranks.size() < 2) return;  // reading all executions takes long
    clocks_ = timeline::EstimateClockOffsets(profile, places_, work);
    if (work.cancelled()) return;
    for (const std::vector<size_t>& group :
         timeline::GroupSameSteps(profile, places_)) {
      const bool is_asked =
          step < 0 || std::any_of(group.begin(), group.end(), [&](size_t at) {
            return profile_.steps()[at]->id == step;
          });
      if (is_asked) AddStep(group);
    }
  }

  tables::DataDocument Document() const {
    tables::DataDocument document;
    document.kind = "skew";
    tables::DataTable ranks = RanksTable();
    document.facts.push_back({{"ranks", "Ranks", util::Unit::kCount},
                              static_cast<int64_t>(ranks.num_rows)});
    document.parts.push_back({"Ranks, over all steps", std::move(ranks)});
    document.parts.push_back({"Steps, over all ranks", StepsTable()});
    document.parts.push_back({"Each rank in each step", PartsTable()});
    document.parts.push_back({"Clocks", ClocksTable()});
    return document;
  }

 private:
  void AddStep(const std::vector<size_t>& group) {
    SkewedStep step;
    for (const size_t place : group) AddParts(place, step);
    std::erase_if(step.parts, [](const auto& of) { return !of.second.known; });
    if (step.parts.size() < 2) return;
    const profile::Step& first = *profile_.steps()[group.front()];
    step.label = timeline::StepName(profile_, first);
    if (step.label.empty() || group.size() == 1) {
      step.label = fmt::format("{}", first.id);
    }
    AddWaiting(group, step);
    step.first_start = step.parts.begin()->second.span.start;
    for (const auto& [rank, part] : step.parts) {
      step.first_start = std::min(step.first_start, part.span.start);
      step.has_collectives |= part.collectives > 0;
    }
    step.slowest = SlowestOf(step);
    steps_.push_back(std::move(step));
  }

  void AddParts(size_t place, SkewedStep& step) {
    const profile::Step& of = *profile_.steps()[place];
    for (size_t e = 0; e < of.num_records(); ++e) {
      if (work_.cancelled()) return;
      const profile::LaneId lane = of.LaneOf(e);
      if (lane == profile::kNone || !of.HasStart(e)) continue;
      const profile::ProcessId rank = rank_of_lane_[lane];
      if (rank == profile::kNone) continue;
      const timeline::TrackEvent event = timeline::EventOf(profile_, place, e);
      const int64_t offset = clocks_.OfLane(lane);
      step.parts[rank].Add(
          {util::WrapAdd(event.start, offset),
           util::WrapAdd(std::max(event.start, event.end), offset)});
    }
    // A recorded interval of the step is better than the span of its
    // executions.
    const profile::StepIntervals& intervals = profile_.step_intervals();
    const auto [begin, end] = intervals.RowsOf(of.id);
    for (size_t row = begin; row < end; ++row) {
      const profile::StepInterval interval = intervals[row];
      const profile::ProcessId rank =
          timeline::RankOf(profile_, interval.process);
      if (rank == profile::kNone) continue;
      const int64_t ticks = profile_.ticks_per_micro();
      const int64_t offset = clocks_.OfProcess(rank);
      Part& part = step.parts[rank];
      part.span = {util::WrapAdd(NanosToTicks(interval.start, ticks), offset),
                   util::WrapAdd(NanosToTicks(interval.end, ticks), offset)};
      part.known = true;
    }
  }

  void AddWaiting(const std::vector<size_t>& group, SkewedStep& step) {
    for (const timeline::RankWait& wait :
         timeline::FindRankWaits(profile_, group, rank_of_lane_, clocks_)) {
      const auto it = step.parts.find(wait.process);
      if (it == step.parts.end()) continue;
      ++it->second.collectives;
      if (wait.time.length() <= 0) continue;
      const int64_t offset = clocks_.OfLane(wait.lane);
      it->second.waiting.push_back({util::WrapAdd(wait.time.start, offset),
                                    util::WrapAdd(wait.time.end, offset)});
    }
    // Collectives may overlap.
    for (auto& [rank, part] : step.parts) {
      timeline::UnionOfMany all;
      for (const timeline::Interval& of : part.waiting) all.Add({of});
      part.waiting = std::move(all).Take();
    }
  }

  // The slowest rank; kNone if all took equally long.
  static profile::ProcessId SlowestOf(const SkewedStep& step) {
    const bool by_waiting = step.has_collectives;
    const auto key = [&](const Part& part) {
      return by_waiting ? -timeline::Length(part.waiting) : part.length();
    };
    const auto [fastest, slowest] =
        std::minmax_element(step.parts.begin(), step.parts.end(),
                            [&](const auto& a, const auto& b) {
                              return key(a.second) < key(b.second);
                            });
    return key(fastest->second) == key(slowest->second) ? profile::kNone
                                                        : slowest->first;
  }

  std::string NameOf(profile::ProcessId rank) const {
    const profile::Process& process = profile_.lanes().process(rank);
    if (!process.label.empty()) return process.label;
    if (process.rank >= 0) return fmt::format("rank {}", process.rank);
    return process.name.empty() ? fmt::format("process {}", rank)
                                : process.name;
  }

  tables::DataCell Time(int64_t ticks) const {
    return TicksCell(ticks, profile_.ticks_per_micro());
  }
  // No value if the step has no collectives.
  tables::DataCell Waiting(const SkewedStep& step, int64_t ticks) const {
    return step.has_collectives ? Time(ticks) : tables::DataCell();
  }

  // Sums of a rank over its steps.
  struct RankSums {
    int64_t count = 0, slowest = 0, length = 0, late = 0, waiting = 0;
    bool any_collective = false;
  };

  std::map<profile::ProcessId, RankSums> SumsOfRanks() const {
    std::map<profile::ProcessId, RankSums> ranks;
    for (const SkewedStep& step : steps_) {
      for (const auto& [rank, part] : step.parts) {
        RankSums& sums = ranks[rank];
        ++sums.count;
        sums.slowest += step.slowest == rank;
        sums.length = util::WrapAdd(sums.length, part.length());
        sums.late = util::WrapAdd(
            sums.late, util::WrapSub(part.span.start, step.first_start));
        sums.waiting =
            util::WrapAdd(sums.waiting, timeline::Length(part.waiting));
        sums.any_collective |= step.has_collectives;
      }
    }
    return ranks;
  }

  tables::DataTable RanksTable() const {
    tables::TableBuilder table(
        "ranks", {{"rank", "rank", util::Unit::kText},
                  {"steps", "steps", util::Unit::kCount},
                  {"slowest_steps", "slowest in", util::Unit::kCount},
                  {"mean_micros", "mean", util::Unit::kMicros, /*heat=*/true},
                  {"mean_late_micros", "mean late", util::Unit::kMicros},
                  {"waiting_micros", "waiting", util::Unit::kMicros},
                  {"waiting_share", "share", util::Unit::kShare}});
    for (const auto& [rank, sums] : SumsOfRanks()) {
      table.AddRow(
          {tables::TextCell(NameOf(rank)), sums.count, sums.slowest,
           Time(sums.length / sums.count), Time(sums.late / sums.count),
           sums.any_collective ? Time(sums.waiting) : tables::DataCell(),
           sums.any_collective ? tables::ShareCell(sums.waiting, sums.length)
                               : tables::DataCell()});
    }
    return std::move(table).Build();
  }

  tables::DataTable StepsTable() const {
    tables::TableBuilder table(
        "steps",
        {{"step", "step", util::Unit::kText},
         {"ranks", "ranks", util::Unit::kCount},
         {"start_skew_micros", "start skew", util::Unit::kMicros},
         {"end_skew_micros", "end skew", util::Unit::kMicros},
         {"shortest_micros", "shortest", util::Unit::kMicros},
         {"longest_micros", "longest", util::Unit::kMicros, /*heat=*/true},
         {"collectives", "collectives", util::Unit::kCount},
         {"waiting_share", "waiting", util::Unit::kShare},
         {"slowest_rank", "slowest", util::Unit::kText}});
    for (const SkewedStep& step : steps_) {
      int64_t last_start = INT64_MIN, first_end = INT64_MAX;
      int64_t last_end = INT64_MIN, shortest = INT64_MAX, longest = INT64_MIN;
      int64_t waiting = 0, length = 0, collectives = 0;
      for (const auto& [rank, part] : step.parts) {
        last_start = std::max(last_start, part.span.start);
        first_end = std::min(first_end, part.span.end);
        last_end = std::max(last_end, part.span.end);
        shortest = std::min(shortest, part.length());
        longest = std::max(longest, part.length());
        waiting = util::WrapAdd(waiting, timeline::Length(part.waiting));
        length = util::WrapAdd(length, part.length());
        collectives = std::max(collectives, part.collectives);
      }
      table.AddRow({tables::TextCell(step.label),
                    static_cast<int64_t>(step.parts.size()),
                    Time(util::WrapSub(last_start, step.first_start)),
                    Time(util::WrapSub(last_end, first_end)), Time(shortest),
                    Time(longest), collectives,
                    collectives > 0 ? tables::ShareCell(waiting, length)
                                    : tables::DataCell(),
                    tables::TextCell(step.slowest == profile::kNone
                                         ? ""
                                         : NameOf(step.slowest))});
    }
    return std::move(table).Build();
  }

  tables::DataTable PartsTable() const {
    tables::TableBuilder table(
        "parts",
        {{"step", "step", util::Unit::kText},
         {"rank", "rank", util::Unit::kText},
         {"start_micros", "start", util::Unit::kMicros},
         {"end_micros", "end", util::Unit::kMicros},
         {"duration_micros", "duration", util::Unit::kMicros, /*heat=*/true},
         {"waiting_micros", "waiting", util::Unit::kMicros},
         {"waiting_share", "share", util::Unit::kShare},
         {"slowest", "slowest", util::Unit::kText}});
    for (const SkewedStep& step : steps_) {
      const int64_t first = step.first_start;
      for (const auto& [rank, part] : step.parts) {
        const int64_t waiting = timeline::Length(part.waiting);
        table.AddRow(
            {tables::TextCell(step.label), tables::TextCell(NameOf(rank)),
             Time(util::WrapSub(part.span.start, first)),
             Time(util::WrapSub(part.span.end, first)), Time(part.length()),
             Waiting(step, waiting),
             step.has_collectives ? tables::ShareCell(waiting, part.length())
                                  : tables::DataCell(),
             tables::TextCell(rank == step.slowest ? "slowest" : "")});
      }
    }
    return std::move(table).Build();
  }

  tables::DataTable ClocksTable() const {
    tables::TableBuilder table(
        "clocks", {{"clock", "clock", util::Unit::kText},
                   {"moved_micros", "moved by", util::Unit::kMicros},
                   {"least_micros", "at least", util::Unit::kMicros},
                   {"most_micros", "at most", util::Unit::kMicros},
                   {"width_micros", "width", util::Unit::kMicros},
                   {"events", "matched", util::Unit::kCount},
                   {"state", "state", util::Unit::kText}});
    if (steps_.empty()) return std::move(table).Build();
    for (size_t c = 0; c < clocks_.clocks.size(); ++c) {
      const timeline::ProfileClock& clock = clocks_.clocks[c];
      const bool bounded = c > 0 && clock.low && clock.high;
      table.AddRow(
          {tables::TextCell(timeline::ClockName(profile_, clocks_, c)),
           Time(clock.offset),
           c > 0 && clock.low ? Time(*clock.low) : tables::DataCell(),
           c > 0 && clock.high ? Time(*clock.high) : tables::DataCell(),
           bounded ? Time(util::WrapSub(*clock.high, *clock.low))
                   : tables::DataCell(),
           clock.matches,
           tables::TextCell(c == 0                ? "the main one"
                            : clock.contradictory ? "contradictory: as recorded"
                            : bounded             ? "bounded on both sides"
                            : clock.low || clock.high ? "bounded on one side"
                            : clock.other_origin
                                ? "another origin: starts aligned"
                                : "no event: as recorded")});
    }
    return std::move(table).Build();
  }

  const profile::Profile& profile_;
  const util::TaskOptions work_;
  std::vector<size_t> places_;
  timeline::ClockOffsets clocks_;
  std::vector<uint32_t> rank_of_lane_;  // kNone: not of a rank
  std::vector<SkewedStep> steps_;
};

}  // namespace

tables::DataDocument SkewDocument(views::Views& views, int64_t step) {
  return Skew(views.profile(), step, views.work()).Document();
}

}  // namespace tfprof::inspect

#include "compare/samples.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>

#include "accounting/counter_levels.h"
#include "profile/steps/time_column.h"
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"

namespace tfprof::compare {
namespace {

using timeline::Interval;

// The value in microseconds, bytes or counts.
double NumberOf(const profile::Profile& profile, accounting::Stat stat,
                const accounting::Stats& stats) {
  const auto value = static_cast<double>(stats[stat]);
  return accounting::StatisticOf(stat).unit == util::Unit::kMicros
             ? value / static_cast<double>(profile.ticks_per_micro())
             : value;
}

std::vector<int64_t> ListedSteps(const profile::Profile& profile) {
  std::vector<int64_t> steps;
  for (const auto& step : profile.steps()) {
    if (step->listed) steps.push_back(step->id);
  }
  return steps;
}

// Returns the stats of a step, which are then asked for by row.
using StatsOfRow = std::function<accounting::Stats(uint32_t row)>;
using StatsOfStep = std::function<StatsOfRow(int64_t step)>;

std::vector<std::vector<double>> Sample(const profile::Profile& profile,
                                        const StatsOfStep& of_step,
                                        std::span<const SampleQuery> queries) {
  std::vector<std::vector<double>> samples(queries.size());
  for (const int64_t step : ListedSteps(profile)) {
    const StatsOfRow stats_of = of_step(step);
    for (size_t i = 0; i < queries.size(); ++i) {
      if (queries[i].row == profile::kNone) continue;
      const accounting::Stats stats = stats_of(queries[i].row);
      if (stats[accounting::kRunCount] == 0 && stats[accounting::kMicros] == 0)
        continue;
      samples[i].push_back(NumberOf(profile, queries[i].stat, stats));
    }
  }
  StatsOfRow average;
  for (size_t i = 0; i < queries.size(); ++i) {
    if (queries[i].row == profile::kNone || !samples[i].empty()) continue;
    if (!average) average = of_step(accounting::kAverageOfSteps);
    samples[i].push_back(
        NumberOf(profile, queries[i].stat, average(queries[i].row)));
  }
  return samples;
}

}  // namespace

std::vector<std::vector<double>> SampleView(
    views::View view, views::Views& views, std::span<const SampleQuery> queries,
    bool fold_libraries) {
  const auto of_step = [&](int64_t step) -> StatsOfRow {
    // Only the accounting of the report is needed, no rows.
    views::ViewOptions options;
    options.fold_libraries = fold_libraries;
    options.step = step;
    options.max_depth = 0;
    const auto report =
        std::make_shared<views::Report>(views.Show(view, options));
    return [report](uint32_t row) {
      if (report->view != views::View::kOp) return report->tree->total[row];
      const views::Snapshot& snapshot = (*report->snapshots)[row];
      accounting::Stats stats = snapshot.sums;
      stats[accounting::kRunCount] = snapshot.run_count;
      return stats;
    };
  };
  return Sample(views.profile(), of_step, queries);
}

std::vector<std::vector<double>> SampleNodes(
    views::Views& views, std::span<const SampleQuery> queries) {
  const auto of_step = [&](int64_t step) -> StatsOfRow {
    return [stats = views.context().NodeStats(step)](uint32_t node) {
      return (*stats)[node];
    };
  };
  return Sample(views.profile(), of_step, queries);
}

std::vector<double> SampleTotal(views::Views& views, accounting::Stat stat) {
  const auto of_step = [&](int64_t step) -> StatsOfRow {
    accounting::Stats sum = {};
    for (const accounting::Stats& stats : *views.context().NodeStats(step)) {
      accounting::AddStats(sum, stats);
    }
    return [sum](uint32_t) { return sum; };
  };
  const SampleQuery query = {.row = 0, .stat = stat};
  return Sample(views.profile(), of_step, {&query, 1}).front();
}

std::vector<double> SampleWalls(views::Views& views) {
  const auto ticks = static_cast<double>(views.profile().ticks_per_micro());
  std::vector<double> walls;
  for (const timeline::StepWall& wall : timeline::StepWalls(views)) {
    if (wall.known) walls.push_back(static_cast<double>(wall.ticks) / ticks);
  }
  return walls;
}

std::vector<double> SamplePeriods(views::Views& views) {
  const profile::Profile& profile = views.profile();
  auto& activities = views.Kept<timeline::Activities>();
  const profile::StepIntervals& intervals = profile.step_intervals();
  // By process, the starts of the steps. A process may enter a step twice.
  std::map<int64_t, std::map<int64_t, int64_t>> starts;
  for (size_t row = 0; row < intervals.size(); ++row) {
    const int64_t start = activities.StepTime(row).start;
    const auto [it, is_new] =
        starts[intervals.process[row]].try_emplace(intervals.step[row], start);
    it->second = std::min(it->second, start);
  }
  const std::map<int64_t, int64_t>* most = nullptr;
  for (const auto& [process, of_process] : starts) {
    if (most == nullptr || of_process.size() > most->size()) most = &of_process;
  }
  std::vector<double> periods;
  if (most == nullptr) return periods;
  for (auto it = most->begin(); std::next(it) != most->end(); ++it) {
    const auto next = std::next(it);
    if (next->first != it->first + 1 || next->second <= it->second) continue;
    periods.push_back(static_cast<double>(next->second - it->second) /
                      static_cast<double>(profile.ticks_per_micro()));
  }
  return periods;
}

std::vector<double> SampleMemory(views::Views& views) {
  const profile::Profile& profile = views.profile();
  auto& activities = views.Kept<timeline::Activities>();
  std::vector<Interval> times;  // in ns
  for (const auto& step : profile.steps()) {
    if (!step->listed) continue;
    const auto span = timeline::StepSpan(activities, *step);
    if (!span) continue;
    const int64_t ticks = profile.ticks_per_micro();
    times.push_back({profile::TicksToNanos(span->start, ticks),
                     profile::TicksToNanos(span->end, ticks)});
  }
  std::vector<double> highest;
  for (const profile::Counter& counter : profile.counters()) {
    if (accounting::IsReserved(profile.strings().Get(counter.name)) ||
        !accounting::PeakOf(profile, counter)) {
      continue;
    }
    const std::vector<double> levels = accounting::LevelsOf(counter);
    highest.resize(times.size());
    for (size_t i = 0; i < times.size(); ++i) {
      highest[i] = std::max(
          highest[i],
          accounting::HighestIn(counter, levels, times[i].start, times[i].end));
    }
  }
  return highest;
}

}  // namespace tfprof::compare

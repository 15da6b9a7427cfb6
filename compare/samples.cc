#include "compare/samples.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>

namespace tfprof::compare {
namespace {

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

std::vector<double> SampleSpans(const profile::Profile& profile) {
  std::vector<double> spans;
  for (const auto& step : profile.steps()) {
    if (!step->listed) continue;
    const profile::TimeColumn& starts = step->sums.start;
    int64_t start = std::numeric_limits<int64_t>::max();
    int64_t end = std::numeric_limits<int64_t>::min();
    for (size_t group = 0; group < step->num_groups(); ++group) {
      if (!step->HasSpan(group)) continue;
      start = std::min(start, starts.Ticks(group));
      end = std::max(end, step->sums.end.Ticks(group));
    }
    if (start < end) {
      spans.push_back((static_cast<double>(end) - static_cast<double>(start)) /
                      static_cast<double>(starts.ticks_per_micro()));
    }
  }
  return spans;
}

}  // namespace tfprof::compare

#include "inspect/steps/average.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/samples.h"
#include "fmt/format.h"
#include "tables/table_builder.h"
#include "timeline/ranks/same_steps.h"

namespace tfprof::inspect {
namespace {

struct Figures {
  double sum = 0;
  double mean = 0;
  double deviation = 0;
  double least = 0;
  double most = 0;
};

Figures FiguresOf(const std::vector<double>& samples) {
  Figures figures;
  if (samples.empty()) return figures;
  const auto count = static_cast<double>(samples.size());
  for (const double value : samples) figures.sum += value;
  figures.mean = figures.sum / count;
  double squares = 0;
  for (const double value : samples) {
    squares += (value - figures.mean) * (value - figures.mean);
  }
  if (samples.size() > 1) figures.deviation = std::sqrt(squares / (count - 1));
  const auto [least, most] =
      std::minmax_element(samples.begin(), samples.end());
  figures.least = *least;
  figures.most = *most;
  return figures;
}

// Whether a step belongs to a run: "run 3" matches "run 3, count 57", but not
// "run 31".
bool IsOfRun(std::string_view name, std::string_view run) {
  return name.starts_with(run) &&
         (name.size() == run.size() || name[run.size()] == ',');
}

// The part of a name that the steps of a run share.
std::string RunOf(const std::string& name) {
  return name.substr(0, name.rfind(','));
}

using Steps = std::vector<std::shared_ptr<const profile::Step>>;

absl::StatusOr<Steps> StepsOfRun(const profile::Profile& profile,
                                 std::string_view run) {
  Steps steps;
  std::set<std::string> runs;
  for (const auto& step : profile.steps()) {
    if (!step->listed) continue;
    const std::string name = timeline::StepName(profile, *step);
    if (!name.empty()) runs.insert(RunOf(name));
    if (run.empty() || IsOfRun(name, run)) steps.push_back(step);
  }
  if (!steps.empty() || run.empty()) return steps;
  return absl::NotFoundError(fmt::format(
      "no step belongs to '{}'; {}", run,
      runs.empty() ? std::string("no step has the name of a run")
                   : fmt::format("the runs are: {}", fmt::join(runs, "; "))));
}

}  // namespace

absl::StatusOr<tables::DataTable> AverageTable(views::Views& views,
                                               std::string_view run,
                                               size_t max_rows) {
  absl::StatusOr<Steps> steps = StepsOfRun(views.profile(), run);
  if (!steps.ok()) return steps.status();
  const size_t num_steps = steps->size();
  const profile::Profile chosen = views.profile().WithSteps(*std::move(steps));
  views::Views of_run(chosen, views.work());
  views::ViewOptions options;
  // In this view, a depth is a number of rows.
  options.max_depth = std::numeric_limits<int32_t>::max();
  const views::Report report = of_run.Show(views::View::kOp, options);
  // Time on accelerators and on CPUs are two rows.
  struct Kind {
    accounting::Stat stat;
    std::string_view on;
    double whole = 0;  // the time of all its rows
  };
  std::vector<Kind> kinds = {{accounting::kMicros, ""}};
  const bool both = accounting::HasBothTimes(report.root_total);
  if (both) {
    kinds = {{accounting::kAcceleratorMicros, "accelerator"},
             {accounting::kCpuMicros, "cpu"}};
  }
  const auto sample = [&](accounting::Stat stat) {
    std::vector<compare::SampleQuery> queries;
    for (const views::Report::Row& row : report.rows) {
      queries.push_back({.row = row.view_row, .stat = stat});
    }
    return compare::SampleView(views::View::kOp, of_run, queries);
  };
  const auto counts = sample(accounting::kRunCount);

  struct Row {
    std::string_view name;
    const Kind* kind;
    size_t steps;
    double runs;
    Figures time;
  };
  std::vector<Row> rows;
  for (Kind& kind : kinds) {
    const auto micros = sample(kind.stat);
    for (size_t i = 0; i < report.rows.size(); ++i) {
      const Figures time = FiguresOf(micros[i]);
      if (time.sum <= 0 || num_steps == 0) continue;
      kind.whole += time.sum;
      rows.push_back({report.rows[i].name, &kind, micros[i].size(),
                      FiguresOf(counts[i]).mean, time});
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.time.sum > b.time.sum;
  });

  std::vector<tables::DataColumn> columns = {
      {"mean_micros", "mean", util::Unit::kMicros, /*heat=*/true},
      {"deviation_micros", "deviation", util::Unit::kMicros},
      {"variation", "variation", util::Unit::kShare},
      {"min_micros", "min", util::Unit::kMicros},
      {"max_micros", "max", util::Unit::kMicros},
      {"share", "share", util::Unit::kShare},
      {"runs_per_step", "runs", util::Unit::kNumber},
      {"steps", "steps", util::Unit::kCount}};
  if (both) columns.push_back({"on", "on", util::Unit::kText});
  columns.push_back({"name", "op", util::Unit::kText});
  tables::TableBuilder table("average", std::move(columns));
  table.AddFact({"steps", "Steps", util::Unit::kCount},
                static_cast<int64_t>(num_steps));
  if (!run.empty()) table.AddFact({"run", "Run"}, tables::TextCell(run));
  const size_t shown =
      max_rows == 0 ? rows.size() : std::min(max_rows, rows.size());
  for (size_t i = 0; i < shown; ++i) {
    const Row& row = rows[i];
    const bool varies = row.steps > 1;
    std::vector<tables::DataCell> cells = {
        row.time.mean,
        varies ? tables::DataCell(row.time.deviation) : tables::DataCell(),
        varies ? tables::DataCell(row.time.deviation / row.time.mean)
               : tables::DataCell(),
        row.time.least,
        row.time.most,
        row.time.sum / row.kind->whole,
        row.runs,
        static_cast<int64_t>(row.steps)};
    if (both) cells.push_back(tables::TextCell(row.kind->on));
    cells.push_back(tables::TextCell(row.name));
    table.AddRow(std::move(cells));
  }
  if (shown < rows.size()) table.SetTotalRows(rows.size());
  return std::move(table).Build();
}

}  // namespace tfprof::inspect

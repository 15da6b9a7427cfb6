#include "compare/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "compare/aggregate.h"
#include "compare/check_text.h"
#include "compare/diff_table.h"
#include "compare/noise.h"
#include "compare/samples.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "tables/table_builder.h"
#include "timeline/account/account.h"
#include "timeline/account/step_wall.h"
#include "util/median.h"
#include "util/text/kernel_names.h"

namespace tfprof::compare {
namespace {

// The parts that a sentence names, and details of a part.
constexpr size_t kShownParts = 3;
constexpr size_t kShownDetails = 2;
// A part that is named has at least this share of the change.
constexpr double kLeastShare = 0.1;
// Profiles that share less of their op time may be of two programs.
constexpr double kSameProgram = 0.5;

std::string Signed(double micros) {
  return fmt::format("{}{}", micros < 0 ? "-" : "+",
                     tables::FormatFractionalMicros(std::abs(micros)));
}

// The accounts of the steps whose wall times are nearest to the median, in µs,
// as averages over their devices. A single step has noise of its own.
struct Account {
  static constexpr size_t kSteps = 31;

  std::array<std::vector<double>, timeline::kNumParts> parts;  // of each step
  // The means over the steps, by name.
  std::array<std::map<std::string, double>, timeline::kNumParts> details;
};

Account AccountOfTypical(views::Views& views) {
  std::vector<timeline::StepWall> walls = timeline::StepWalls(views);
  const int64_t median = timeline::MedianWall(walls);
  std::erase_if(walls, [](const timeline::StepWall& wall) {
    return !wall.known || wall.step->aggregated;
  });
  std::ranges::stable_sort(walls, {}, [&](const timeline::StepWall& wall) {
    return std::abs(wall.ticks - median);
  });
  const size_t count = std::min(Account::kSteps, walls.size() / 2 + 1);
  walls.resize(std::min(count, walls.size()));
  std::vector<const profile::Step*> steps;
  for (const timeline::StepWall& wall : walls) steps.push_back(wall.step);
  Account account;
  for (const timeline::StepAccount* of : timeline::AccountsOf(views, steps)) {
    const timeline::JobAccount job = timeline::SumOf(*of);
    if (job.devices == 0) continue;
    const double per_micro =
        static_cast<double>(job.devices) *
        static_cast<double>(views.profile().ticks_per_micro());
    for (size_t p = 0; p < timeline::kNumParts; ++p) {
      account.parts[p].push_back(static_cast<double>(job.sum.parts[p].ticks) /
                                 per_micro);
    }
    for (size_t p = 0; p < timeline::kNumParts; ++p) {
      for (const timeline::PartDetail& detail : job.sum.parts[p].details) {
        account.details[p][detail.name] += static_cast<double>(detail.ticks) /
                                           per_micro /
                                           static_cast<double>(steps.size());
      }
    }
  }
  return account;
}

// The details that changed most in the direction of `delta`.
std::string MostChanged(const Account& before, const Account& after,
                        size_t part, double delta) {
  std::map<std::string, double> changes = after.details[part];
  for (const auto& [name, micros] : before.details[part]) {
    changes[name] -= micros;
  }
  std::vector<std::pair<std::string_view, double>> largest(changes.begin(),
                                                           changes.end());
  std::stable_sort(
      largest.begin(), largest.end(), [&](const auto& a, const auto& b) {
        return delta < 0 ? a.second < b.second : a.second > b.second;
      });
  std::string text;
  for (size_t i = 0; i < std::min(kShownDetails, largest.size()); ++i) {
    const auto& [name, change] = largest[i];
    if (change / delta < kLeastShare) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        name.empty() ? "nothing that was recorded"
                                     : util::ShortKernelName(name),
                        Signed(change));
  }
  return text;
}

std::vector<PartChange> PartChanges(views::Views& before, views::Views& after) {
  const Account old_account = AccountOfTypical(before);
  const Account new_account = AccountOfTypical(after);
  std::vector<PartChange> parts;
  if (old_account.parts[0].empty() || new_account.parts[0].empty()) {
    return parts;
  }
  NoiseModel noise(timeline::kNumParts);
  for (const timeline::PartInfo& info : timeline::AllParts()) {
    const auto p = static_cast<size_t>(info.part);
    PartChange change = {
        .id = info.id,
        .title = info.title,
        .before = Summarize(Aggregate::kMean, old_account.parts[p]),
        .after = Summarize(Aggregate::kMean, new_account.parts[p]),
        .noise = noise.OfMeans(old_account.parts[p], new_account.parts[p])};
    if (change.before == 0 && change.after == 0) continue;
    if (change.delta() != 0) {
      change.most = MostChanged(old_account, new_account, p, change.delta());
    }
    parts.push_back(std::move(change));
  }
  return parts;
}

// Where time passes between the steps, the verdict is about all of it.
struct Times {
  std::vector<double> before, after;
  bool by_period = false;
  PartChange between = {.id = "between_steps", .title = "between the steps"};
};

Times TimesOf(views::Views& before, views::Views& after) {
  constexpr double kLeastBetween = 0.02;
  Times times = {.before = SampleWalls(before), .after = SampleWalls(after)};
  std::vector<double> old_periods = SamplePeriods(before);
  std::vector<double> new_periods = SamplePeriods(after);
  if (old_periods.empty() || new_periods.empty()) return times;
  const double old_period = util::Median(old_periods);
  const double new_period = util::Median(new_periods);
  PartChange& between = times.between;
  between.before = std::max(0.0, old_period - util::Median(times.before));
  between.after = std::max(0.0, new_period - util::Median(times.after));
  if (between.before < kLeastBetween * old_period &&
      between.after < kLeastBetween * new_period) {
    return times;
  }
  times.before = std::move(old_periods);
  times.after = std::move(new_periods);
  times.by_period = true;
  return times;
}

// The largest changes in the direction of the verdict.
std::string Because(const Comparison& comparison) {
  const bool slower = comparison.verdict == Comparison::Verdict::kSlower;
  if (!slower && comparison.verdict != Comparison::Verdict::kFaster) return "";
  // Every part changes by some noise. Without one that changes by more, all are
  // named.
  const auto is_noise = [](const PartChange& part) {
    return part.noise && std::abs(part.delta()) <= *part.noise;
  };
  const bool all_noise = std::ranges::all_of(comparison.parts, is_noise);
  std::string text;
  size_t shown = 0;
  for (const PartChange& part : comparison.parts) {
    if ((part.delta() > 0) != slower || shown == kShownParts) continue;
    if (!all_noise && is_noise(part)) continue;
    if (std::abs(part.delta()) <
        kLeastShare * std::abs(comparison.wall.delta())) {
      break;
    }
    text += fmt::format("{}{} {}", shown++ == 0 ? "" : ", ", part.title,
                        Signed(part.delta()));
    if (!part.most.empty()) text += fmt::format(" ({})", part.most);
  }
  return text;
}

void Judge(const std::vector<double>& before, const std::vector<double>& after,
           Comparison& comparison) {
  if (before.empty() || after.empty()) {
    comparison.text = fmt::format(
        "unknown: {} no wall time of a step; operations alone are compared",
        !before.empty()  ? "the new profile has"
        : !after.empty() ? "the base has"
                         : "the profiles have");
    return;
  }
  Measured& wall = comparison.wall;
  wall.name = comparison.by_period ? "time until the next step begins"
                                   : "wall time of a step";
  wall.before = util::Median(before);
  wall.after = util::Median(after);
  wall.before_steps = before.size();
  wall.after_steps = after.size();
  wall.noise = NoiseModel(1).OfDifference(before, after);
  // The noise of a median is small where steps are many, but no two runs are
  // as equal as their steps.
  constexpr double kRunNoise = 0.01;
  if (wall.noise) wall.noise = std::max(*wall.noise, kRunNoise * wall.before);
  const bool noisy = wall.noise && std::abs(wall.delta()) <= *wall.noise;
  comparison.verdict = wall.delta() == 0 || noisy ? Comparison::Verdict::kSame
                       : wall.delta() < 0         ? Comparison::Verdict::kFaster
                                          : Comparison::Verdict::kSlower;
  comparison.text = fmt::format(
      "{}: {}",
      noisy ? "no change above the noise" : VerdictName(comparison.verdict),
      DescribeChange(wall, util::Unit::kMicros));
  if (comparison.by_period) {
    comparison.text += ", from the start of a step to the start of the next";
  }
  if (!wall.noise) {
    comparison.caution =
        fmt::format("at least {} steps on each side tell a change from noise",
                    kMinStepsForNoise);
  }
}

// The steps of a profile that take much longer than the typical one.
struct LongSteps {
  size_t count = 0;
  size_t first = 0, last = 0;
  double mean = 0;    // wall time of all steps
  double excess = 0;  // of long steps over the median, for each step
};

LongSteps LongStepsOf(const std::vector<double>& walls) {
  LongSteps found;
  const double median = util::Median(walls);
  const auto steps = static_cast<double>(walls.size());
  size_t position = 0;
  for (const double wall : walls) {
    found.mean += wall / steps;
    const size_t step = position++;
    if (wall < timeline::kOddStep * median) continue;
    if (found.count++ == 0) found.first = step;
    found.last = step;
    found.excess += (wall - median) / steps;
  }
  return found;
}

// A median does not see what only some steps do, such as a checkpoint in every
// fifth step. If long steps come or go, and the typical step does not say the
// same, the mean decides. A few long steps, or all in a row, may be chance.
void JudgeLongSteps(const std::vector<double>& before,
                    const std::vector<double>& after, Comparison& comparison) {
  constexpr size_t kMinLongSteps = 3;
  if (std::min(before.size(), after.size()) < kMinStepsForNoise) return;
  const LongSteps old_steps = LongStepsOf(before);
  const LongSteps new_steps = LongStepsOf(after);
  const double change = new_steps.mean - old_steps.mean;
  const LongSteps& more =
      old_steps.count > new_steps.count ? old_steps : new_steps;
  if (std::abs(new_steps.excess - old_steps.excess) <
          kLeastShare * old_steps.mean ||
      std::abs(change) < kLeastShare * old_steps.mean) {
    return;
  }
  if (more.count < kMinLongSteps || more.last - more.first + 1 == more.count) {
    if (comparison.verdict == Comparison::Verdict::kSame) {
      comparison.caution = fmt::format(
          "{} step{} took at least {} times the median in {}: the mean of the "
          "steps changed from {} to {}",
          more.count, more.count == 1 ? "" : "s", timeline::kOddStep,
          &more == &new_steps ? "the new profile" : "the base",
          tables::FormatFractionalMicros(old_steps.mean),
          tables::FormatFractionalMicros(new_steps.mean));
    }
    return;
  }
  const Comparison::Verdict verdict =
      change < 0 ? Comparison::Verdict::kFaster : Comparison::Verdict::kSlower;
  if (comparison.verdict == verdict) return;
  comparison.verdict = verdict;
  comparison.by_mean = true;
  Measured mean = comparison.wall;
  mean.before = old_steps.mean;
  mean.after = new_steps.mean;
  mean.noise.reset();
  comparison.text = fmt::format(
      "{}: mean of the steps {}; the median changed from {} to {}. {} of {} "
      "steps took at least {} times the median, now {} of {}",
      VerdictName(verdict), DescribeChange(mean, util::Unit::kMicros),
      tables::FormatFractionalMicros(comparison.wall.before),
      tables::FormatFractionalMicros(comparison.wall.after), old_steps.count,
      before.size(), timeline::kOddStep, new_steps.count, after.size());
}

// The operation that changed most in the direction of the verdict.
std::string ChangedOperation(const Comparison& comparison) {
  const bool slower = comparison.verdict == Comparison::Verdict::kSlower;
  for (const DiffRow& row : comparison.ops.rows) {
    const bool grew =
        row.after[accounting::kMicros] > row.before[accounting::kMicros];
    if (grew != slower) continue;
    const DiffRow::Status status = row.status();
    return fmt::format("{}{}", row.name(),
                       status == DiffRow::Status::kNew    ? " (new)"
                       : status == DiffRow::Status::kGone ? " (gone)"
                                                          : "");
  }
  return "";
}

std::string MemoryChange(views::Views& before, views::Views& after) {
  constexpr double kLeastChange = 0.01;
  const double old_peak = Summarize(Aggregate::kMax, SampleMemory(before));
  const double new_peak = Summarize(Aggregate::kMax, SampleMemory(after));
  const double change = new_peak / old_peak - 1;
  if (old_peak == 0 || new_peak == 0 || std::abs(change) < kLeastChange) {
    return "";
  }
  return fmt::format("peak {} -> {} ({:+.1f}%)",
                     tables::BytesText(std::llround(old_peak)),
                     tables::BytesText(std::llround(new_peak)), 100 * change);
}

void WaitsLast(Diff& diff) {
  std::vector<size_t> order(diff.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&](size_t row) {
    return diff.rows[row].role.empty();
  });
  const auto sorted = [&](auto& values) {
    if (values.empty()) return;
    auto in_order = values;
    for (size_t i = 0; i < order.size(); ++i) in_order[i] = values[order[i]];
    values = std::move(in_order);
  };
  sorted(diff.rows);
  sorted(diff.noise);
}

void CompareOps(views::Views& before, views::Views& after,
                Comparison& comparison) {
  views::ViewOptions options;
  options.max_depth = std::numeric_limits<int32_t>::max();
  comparison.ops =
      DiffViews(views::View::kOp, before, after, options, DiffOrder::kChange);
  // A wait is no cause, and the marker of a step contains other work.
  WaitsLast(comparison.ops);
  double both = 0, all = 0;
  size_t ops_of_both = 0, ops = 0;
  for (const DiffRow& row :
       MatchRows(views::View::kOp, before, after, options.step, {".*"})) {
    const auto time = static_cast<double>(row.before[accounting::kMicros]) +
                      static_cast<double>(row.after[accounting::kMicros]);
    all += time;
    ++ops;
    if (row.status() != DiffRow::Status::kBoth) continue;
    both += time;
    ++ops_of_both;
  }
  const std::vector<std::optional<double>>& noise = comparison.ops.noise;
  comparison.same_ops = static_cast<size_t>(comparison.ops.unchanged);
  for (size_t i = 0; i < comparison.ops.rows.size(); ++i) {
    const DiffRow& row = comparison.ops.rows[i];
    const double change = static_cast<double>(row.after[accounting::kMicros]) -
                          static_cast<double>(row.before[accounting::kMicros]);
    const bool same =
        row.status() == DiffRow::Status::kBoth && !noise.empty() && noise[i] &&
        std::abs(change) <=
            *noise[i] * static_cast<double>(comparison.ops.ticks_per_micro);
    comparison.new_ops += row.status() == DiffRow::Status::kNew;
    comparison.gone_ops += row.status() == DiffRow::Status::kGone;
    (same ? comparison.same_ops : comparison.changed_ops) +=
        row.status() == DiffRow::Status::kBoth;
  }
  // The same program may have lost or got one heavy operation.
  if (both < kSameProgram * all &&
      static_cast<double>(ops_of_both) <
          kSameProgram * static_cast<double>(ops)) {
    comparison.caution = fmt::format(
        "only {:.0f}% of the op time is in operations that both profiles "
        "have: they may be of two programs",
        100 * both / all);
  }
}

tables::DataTable AccountTable(const Comparison& comparison, size_t max_rows) {
  tables::TableBuilder table(
      "account",
      {{.name = "cause", .title = "cause", .data_only = true},
       {"part", "part"},
       {"before_micros", "before", util::Unit::kMicros},
       {"after_micros", "after", util::Unit::kMicros},
       {.name = "delta_micros",
        .title = "delta",
        .unit = util::Unit::kMicros,
        .delta = true},
       {.name = "most", .title = "most of the change", .prose = true}});
  double before = 0, after = 0;
  for (const PartChange& part : comparison.parts) {
    if (max_rows == 0 || table.size() < max_rows) {
      table.AddRow({tables::TextCell(part.id), tables::TextCell(part.title),
                    part.before, part.after, part.delta(),
                    part.most.empty() ? tables::DataCell()
                                      : tables::TextCell(part.most)});
    }
    before += part.before;
    after += part.after;
  }
  table.SetTotalRows(comparison.parts.size());
  table.SetTotals({tables::TextCell("all"), tables::TextCell("all"), before,
                   after, after - before, tables::DataCell()});
  return std::move(table).Build();
}

}  // namespace

std::string_view VerdictName(Comparison::Verdict verdict) {
  switch (verdict) {
    case Comparison::Verdict::kFaster:
      return "faster";
    case Comparison::Verdict::kSlower:
      return "slower";
    case Comparison::Verdict::kSame:
      return "same";
    case Comparison::Verdict::kUnknown:
      return "unknown";
  }
  return "";
}

Comparison Compare(views::Views& before, views::Views& after) {
  Comparison comparison;
  const Times times = TimesOf(before, after);
  comparison.by_period = times.by_period;
  Judge(times.before, times.after, comparison);
  JudgeLongSteps(times.before, times.after, comparison);
  comparison.memory = MemoryChange(before, after);
  comparison.parts = PartChanges(before, after);
  if (times.by_period) comparison.parts.push_back(times.between);
  std::ranges::stable_sort(
      comparison.parts, std::ranges::greater(),
      [](const PartChange& part) { return std::abs(part.delta()); });
  CompareOps(before, after, comparison);
  // The account is that of the typical step.
  comparison.because =
      comparison.by_mean ? ChangedOperation(comparison) : Because(comparison);
  return comparison;
}

tables::DataDocument ComparisonDocument(const Comparison& comparison,
                                        std::string_view base,
                                        std::string_view name, size_t max_rows,
                                        const std::string& whole) {
  tables::DataDocument document;
  document.kind = "comparison";
  const Measured& wall = comparison.wall;
  const bool known = comparison.verdict != Comparison::Verdict::kUnknown;
  const auto text = [&](std::string name_of, std::string_view title,
                        std::string_view value) {
    document.facts.push_back(
        {{.name = std::move(name_of),
          .title = value.empty() ? "" : std::string(title)},
         value.empty() ? tables::DataCell() : tables::TextCell(value)});
  };
  const auto number = [&](std::string name_of, util::Unit unit,
                          const tables::DataCell& value) {
    document.facts.push_back(
        {{.name = std::move(name_of), .title = "", .unit = unit}, value});
  };
  const auto micros = [&](double value) {
    return known ? tables::DataCell(value) : tables::DataCell();
  };
  text("", "compared", fmt::format("from {} to {}", base, name));
  text("verdict", "", VerdictName(comparison.verdict));
  text("text", "verdict", comparison.text);
  text("because", "because of", comparison.because);
  text("memory", "memory", comparison.memory);
  text("caution", "caution", comparison.caution);
  text("", "operations",
       fmt::format("{} new, {} gone, {} changed, {} as before",
                   comparison.new_ops, comparison.gone_ops,
                   comparison.changed_ops, comparison.same_ops));
  text("base", "", base);
  text("profile", "", name);
  number("before_micros", util::Unit::kMicros, micros(wall.before));
  number("after_micros", util::Unit::kMicros, micros(wall.after));
  number("delta_micros", util::Unit::kMicros, micros(wall.delta()));
  number("change", util::Unit::kShare,
         known && wall.change() ? tables::DataCell(*wall.change())
                                : tables::DataCell());
  number("noise_micros", util::Unit::kMicros,
         wall.noise ? tables::DataCell(*wall.noise) : tables::DataCell());
  const auto count = [&](std::string name_of, size_t value) {
    number(std::move(name_of), util::Unit::kCount, static_cast<int64_t>(value));
  };
  count("before_steps", wall.before_steps);
  count("after_steps", wall.after_steps);
  count("new_ops", comparison.new_ops);
  count("gone_ops", comparison.gone_ops);
  count("changed_ops", comparison.changed_ops);
  tables::DataTable account = AccountTable(comparison, max_rows);
  if (account.num_rows < account.total_rows) account.rest = whole;
  document.parts.push_back(
      {"Account of the wall time of the typical steps", std::move(account)});
  tables::DataTable ops = DiffTable(comparison.ops, std::string(base));
  ops.kind = "ops";
  ops.facts.clear();
  if (max_rows > 0 && ops.num_rows > max_rows) {
    ops.num_rows = max_rows;
    ops.rest = "op";
  }
  document.parts.push_back({"Operations that changed most", std::move(ops)});
  return document;
}

}  // namespace tfprof::compare

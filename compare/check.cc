#include "compare/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "compare/aggregate.h"
#include "compare/diff.h"
#include "compare/match.h"
#include "compare/noise.h"
#include "compare/samples.h"
#include "fmt/format.h"
#include "timeline/account/op_roles.h"
#include "util/median.h"
#include "views/regex_list.h"

namespace tfprof::compare {
namespace {

bool Holds(CheckRule::Compare compare, double value, double number) {
  switch (compare) {
    case CheckRule::Compare::kMore:
      return value > number;
    case CheckRule::Compare::kAtLeast:
      return value >= number;
    case CheckRule::Compare::kLess:
      return value < number;
    case CheckRule::Compare::kAtMost:
      return value <= number;
  }
  return false;
}

// The change as a share of the value before; infinite if that is 0.
double Share(const Measured& m) {
  const double delta = m.delta();
  if (delta == 0) return 0;
  return m.before != 0
             ? delta / std::abs(m.before)
             : std::copysign(std::numeric_limits<double>::infinity(), delta);
}

Verdict Judge(const CheckRule& rule, const Measured& measured) {
  const double value =
      rule.against == CheckRule::Against::kChangeShare ? Share(measured)
      : rule.against == CheckRule::Against::kChange    ? measured.delta()
                                                       : measured.after;
  if (!Holds(rule.compare, value, rule.number)) return Verdict::kPass;
  // Noise excuses no rule that fails without any change: it asks for a change.
  const bool excusable = rule.against != CheckRule::Against::kValue &&
                         !Holds(rule.compare, 0, rule.number);
  return excusable && measured.noise &&
                 std::abs(measured.delta()) <= *measured.noise
             ? Verdict::kWithinNoise
             : Verdict::kFail;
}

size_t CountSteps(const profile::Profile& profile) {
  return static_cast<size_t>(
      std::count_if(profile.steps().begin(), profile.steps().end(),
                    [](const auto& step) { return step->listed; }));
}

// Applies rules to two profiles.
class Checker {
 public:
  Checker(double noise_floor, views::Views& before, views::Views& after)
      : noise_floor_(noise_floor),
        before_(before),
        after_(after),
        before_of_step_{SampleWalls(before), SamplePeriods(before),
                        SampleMemory(before)},
        after_of_step_{SampleWalls(after), SamplePeriods(after),
                       SampleMemory(after)} {}

  // Whether a default rule applies: a profile has the values that it judges. A
  // sum over ops counts what ran at the same time twice, so it is no measure
  // where wall times are known.
  bool Applies(const CheckRule& rule) {
    if (rule.scope == CheckRule::Scope::kView) {
      return Sum(before_, rule.stat) != 0 || Sum(after_, rule.stat) != 0;
    }
    if (rule.scope == CheckRule::Scope::kTotal &&
        rule.stat == accounting::kMicros) {
      return before_of_step_.walls.empty() || after_of_step_.walls.empty();
    }
    if (rule.of_step == CheckRule::OfStep::kMemory) {
      return !before_of_step_.memory.empty() && !after_of_step_.memory.empty();
    }
    if (rule.of_step == CheckRule::OfStep::kPeriod) {
      return !before_of_step_.periods.empty() &&
             !after_of_step_.periods.empty();
    }
    return rule.of_step == CheckRule::OfStep::kStatistic ||
           !before_of_step_.walls.empty() || !after_of_step_.walls.empty();
  }

  // In many rows, some differ by chance. Without an estimate of the noise,
  // every pair of runs would fail.
  bool HasEnoughSteps() const {
    return std::min(CountSteps(before_.profile()),
                    CountSteps(after_.profile())) >= kMinStepsForNoise;
  }

  absl::StatusOr<CheckedRule> Apply(const CheckRule& rule) {
    CheckedRule checked{.rule = rule, .verdict = Verdict::kPass};
    if (rule.scope == CheckRule::Scope::kNew) {
      for (const Measured& row : MeasureNew(rule.stat)) {
        checked.rows.push_back({row});
      }
    } else if (rule.scope == CheckRule::Scope::kSteps) {
      checked.rows.push_back({MeasureSteps()});
    } else if (rule.scope == CheckRule::Scope::kView) {
      absl::StatusOr<std::vector<Measured>> rows = MeasureRows(rule);
      if (!rows.ok()) return rows.status();
      for (const Measured& row : *rows) checked.rows.push_back({row});
    } else {
      absl::StatusOr<Measured> whole = MeasureWhole(rule);
      if (!whole.ok()) return whole.status();
      checked.rows.push_back({*whole});
    }
    for (CheckedRow& row : checked.rows) {
      // Of many rows, some differ by chance.
      const bool unknown = rule.by_default && !row.measured.noise &&
                           rule.scope == CheckRule::Scope::kView;
      row.verdict = unknown ? Verdict::kPass : Judge(rule, row.measured);
      checked.verdict = std::max(checked.verdict, row.verdict);
    }
    std::stable_sort(
        checked.rows.begin(), checked.rows.end(),
        [](const CheckedRow& a, const CheckedRow& b) {
          return std::tuple(a.verdict, std::abs(a.measured.delta())) >
                 std::tuple(b.verdict, std::abs(b.measured.delta()));
        });
    return checked;
  }

  std::vector<Measured> ChangedOps(size_t* changed) {
    const std::vector<DiffRow> rows = WorkingOps();
    return MostChanged(Measure(views::View::kOp, rows, accounting::kMicros,
                               Aggregate::kMedian),
                       changed);
  }

  std::vector<Measured> Walls() {
    const std::vector<double>& before = before_of_step_.walls;
    const std::vector<double>& after = after_of_step_.walls;
    std::vector<Measured> walls;
    if (before.empty() || after.empty()) return walls;
    for (const Aggregate aggregate : kAggregates) {
      NoiseModel noise(1);
      walls.push_back(MakeMeasured(before, after, util::Unit::kMicros, 1,
                                   aggregate,
                                   /*rows=*/1, noise));
      walls.back().name = AggregateName(aggregate);
    }
    return walls;
  }

  std::vector<Measured> ChangedNodes(size_t* changed) {
    const std::vector<profile::NodeId> old_nodes = NodesThatRan(before_);
    const std::vector<profile::NodeId> new_nodes = NodesThatRan(after_);
    const auto names = [](views::Views& views,
                          const std::vector<profile::NodeId>& nodes) {
      std::vector<std::string_view> result;
      for (const profile::NodeId n : nodes) {
        result.push_back(views.profile().node_name(n));
      }
      return result;
    };
    const std::vector<std::string_view> old_names = names(before_, old_nodes);
    const std::vector<std::string_view> new_names = names(after_, new_nodes);
    const Matching matching = MatchNames(old_names, new_names);
    std::vector<DiffRow> rows;
    for (size_t i = 0; i < new_nodes.size(); ++i) {
      DiffRow row;
      row.after_name = new_names[i];
      row.after_row = new_nodes[i];
      const uint32_t old_index = matching.before_of[i];
      if (old_index != profile::kNone) {
        row.before_name = old_names[old_index];
        row.before_row = old_nodes[old_index];
      }
      rows.push_back(row);
    }
    for (size_t i = 0; i < old_nodes.size(); ++i) {
      if (matching.after_of[i] != profile::kNone) continue;
      DiffRow row;
      row.before_name = old_names[i];
      row.before_row = old_nodes[i];
      rows.push_back(row);
    }
    return MostChanged(
        Measure(std::nullopt, rows, accounting::kMicros, Aggregate::kMedian),
        changed);
  }

 private:
  // All ops of both profiles but those that wait or mark steps: these are no
  // causes.
  std::vector<DiffRow> WorkingOps() {
    std::vector<DiffRow> rows =
        MatchRows(views::View::kOp, before_, after_, -1, {".*"});
    EraseWaits(rows);
    return rows;
  }

  void EraseWaits(std::vector<DiffRow>& ops) const {
    const timeline::OpRoles old_roles(before_.profile());
    const timeline::OpRoles new_roles(after_.profile());
    std::erase_if(ops, [&](const DiffRow& row) {
      return !(row.status() == DiffRow::Status::kGone ? old_roles : new_roles)
                  .Of(row.name())
                  .empty();
    });
  }

  // Measures `rows` from the samples of both sides. Without a view, rows are
  // nodes.
  std::vector<Measured> Measure(std::optional<views::View> view,
                                const std::vector<DiffRow>& rows,
                                accounting::Stat stat, Aggregate aggregate) {
    const util::Unit unit = accounting::StatisticOf(stat).unit;
    std::vector<SampleQuery> old_queries, new_queries;
    for (const DiffRow& row : rows) {
      old_queries.push_back({row.before_row, stat});
      new_queries.push_back({row.after_row, stat});
    }
    const auto old_samples = view ? SampleView(*view, before_, old_queries)
                                  : SampleNodes(before_, old_queries);
    const auto new_samples = view ? SampleView(*view, after_, new_queries)
                                  : SampleNodes(after_, new_queries);
    NoiseModel noise(rows.size());
    std::vector<Measured> measured;
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto runs =
          static_cast<double>(std::max(rows[i].before[accounting::kRunCount],
                                       rows[i].after[accounting::kRunCount]));
      Measured m = MakeMeasured(old_samples[i], new_samples[i], unit, runs,
                                aggregate, rows.size(), noise);
      m.name = rows[i].name();
      if (rows[i].status() == DiffRow::Status::kBoth &&
          rows[i].before_name != m.name) {
        m.before_name = rows[i].before_name;
      }
      measured.push_back(m);
    }
    return measured;
  }

  Measured MakeMeasured(const std::vector<double>& before,
                        const std::vector<double>& after, util::Unit unit,
                        double runs, Aggregate aggregate, size_t rows,
                        NoiseModel& noise) const {
    Measured m;
    m.in_before = !before.empty();
    m.in_after = !after.empty();
    m.before_steps = before.size();
    m.after_steps = after.size();
    m.before = Summarize(aggregate, before);
    m.after = Summarize(aggregate, after);
    // With many rows, some differ by chance, and divisions rare enough to
    // correct for that cannot be tried.
    m.noise = aggregate == Aggregate::kMedian
                  ? noise.OfDifference(before, after)
              : aggregate == Aggregate::kRecurring
                  ? NoiseOfRecurring(before, after, m.after - m.before, noise)
              : rows == 1 ? PermutationNoise(aggregate, before, after)
                          : noise.OfMeans(before, after);
    if (m.noise && unit == util::Unit::kMicros) {
      m.noise = std::max(*m.noise, ClockNoise(runs));
    }
    AddFloor(m);
    return m;
  }

  void AddFloor(Measured& m) const {
    if (noise_floor_ == 0) return;
    m.noise = std::max(m.noise.value_or(0), noise_floor_ * std::abs(m.before));
  }

  // Steps that take long now and then, by chance at an equal distance in one of
  // the runs, are noise, unless they are more on average.
  static std::optional<double> NoiseOfRecurring(
      const std::vector<double>& before, const std::vector<double>& after,
      double delta, NoiseModel& noise) {
    const std::optional<double> of_steps = noise.OfSteps(before, after);
    if (!of_steps || delta <= *of_steps) return of_steps;
    const double level = Summarize(Aggregate::kRecurring, after) - delta / 2;
    if (RecursByDesign(after, level)) return of_steps;
    const double mean = Summarize(Aggregate::kMean, after) -
                        Summarize(Aggregate::kMean, before);
    return mean > *noise.OfMeans(before, after) ? *of_steps : delta;
  }

  absl::StatusOr<Measured> MeasureWhole(const CheckRule& rule) {
    NoiseModel noise(1);
    const auto measure = [&](const std::vector<double>& before,
                             const std::vector<double>& after, double runs) {
      return MakeMeasured(before, after, rule.unit, runs, rule.aggregate,
                          /*rows=*/1, noise);
    };
    using OfStep = CheckRule::OfStep;
    Measured m =
        rule.of_step == OfStep::kWall
            ? measure(before_of_step_.walls, after_of_step_.walls, 1)
        : rule.of_step == OfStep::kPeriod
            ? measure(before_of_step_.periods, after_of_step_.periods, 1)
        : rule.of_step == OfStep::kMemory
            ? measure(before_of_step_.memory, after_of_step_.memory, 1)
            : measure(SampleTotal(before_, rule.stat),
                      SampleTotal(after_, rule.stat),
                      util::Median(SampleTotal(after_, accounting::kRunCount)));
    m.name = rule.scope == CheckRule::Scope::kStep ? "step" : "total";
    // Levels do not depend on how fast a run is. Where the host runs ahead, the
    // first steps have all changes of the level, which steps at random do not.
    if (rule.of_step == OfStep::kMemory) {
      m.noise.reset();
      AddFloor(m);
    }
    if (m.in_before && m.in_after) return m;
    const std::string_view of = m.in_before ? "the new" : "the base";
    if (rule.of_step == OfStep::kWall) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {} profile has no step with times; load run metadata too",
          rule.text, of));
    }
    if (rule.of_step == OfStep::kPeriod) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {} profile does not say when its steps begin; step.span_micros "
          "is the time that each took",
          rule.text, of));
    }
    if (rule.of_step == OfStep::kMemory) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {} profile has no level of memory in its steps; record it, as "
          "PyTorch with profile_memory=True",
          rule.text, of));
    }
    return m;
  }

  // The share of each op that exists only in the new profile.
  std::vector<Measured> MeasureNew(accounting::Stat stat) {
    const std::vector<DiffRow> rows = WorkingOps();
    std::vector<SampleQuery> queries;
    for (const DiffRow& row : rows) queries.push_back({row.after_row, stat});
    const auto samples = SampleView(views::View::kOp, after_, queries);
    std::vector<double> sums;
    for (const std::vector<double>& of_row : samples) {
      sums.push_back(std::accumulate(of_row.begin(), of_row.end(), 0.0));
    }
    const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    std::vector<Measured> measured;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].status() != DiffRow::Status::kNew) continue;
      const double sum = sums[i];
      Measured m;
      m.name = rows[i].name();
      m.in_before = false;
      m.after_steps = samples[i].size();
      m.after = total > 0 ? sum / total : 0;
      measured.push_back(m);
    }
    if (measured.empty()) {
      Measured none;
      none.name = "no new op";
      measured.push_back(none);
    }
    return measured;
  }

  Measured MeasureSteps() const {
    Measured m;
    m.name = "steps";
    m.before_steps = CountSteps(before_.profile());
    m.after_steps = CountSteps(after_.profile());
    m.before = static_cast<double>(m.before_steps);
    m.after = static_cast<double>(m.after_steps);
    return m;
  }

  absl::StatusOr<std::vector<Measured>> MeasureRows(const CheckRule& rule) {
    if (rule.view == views::View::kCode) {
      for (views::Views* views : {&before_, &after_}) {
        if (views->profile().graph().has_code_traces) continue;
        return absl::InvalidArgumentError(fmt::format(
            "{}: {} profile has no call stacks; load its op log too", rule.text,
            views == &before_ ? "the base" : "the new"));
      }
    }
    std::vector<DiffRow> rows =
        MatchRows(rule.view, before_, after_, -1, {".*"});
    if (rule.min_share > 0 && rule.view == views::View::kOp) EraseWaits(rows);
    const views::RegexList name({rule.name});
    const std::string hint = Largest(rows, rule.stat);
    const std::pair<double, double> least = Smallest(rule, rows);
    std::erase_if(rows, [&](const DiffRow& row) {
      return !name.Matches(row.before_name) && !name.Matches(row.after_name);
    });
    if (rows.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: no {} row of either profile has a name that matches "
                      "'{}' as a whole{}",
                      rule.text, ViewName(rule.view), rule.name, hint));
    }
    if (rule.min_share > 0) {
      std::erase_if(rows, [&](const DiffRow& row) {
        return row.status() != DiffRow::Status::kBoth ||
               (static_cast<double>(row.before[rule.stat]) < least.first &&
                static_cast<double>(row.after[rule.stat]) < least.second);
      });
    }
    return Measure(rule.view, rows, rule.stat, rule.aggregate);
  }

  // The smallest values, before and after, that `rule` judges. `rows` are all
  // rows of a view: ops are summed; in a tree, the root has the total.
  static std::pair<double, double> Smallest(const CheckRule& rule,
                                            const std::vector<DiffRow>& rows) {
    double before = 0, after = 0;
    for (const DiffRow& row : rows) {
      const auto old_value = static_cast<double>(row.before[rule.stat]);
      const auto new_value = static_cast<double>(row.after[rule.stat]);
      const bool adds = rule.view == views::View::kOp;
      before = adds ? before + old_value : std::max(before, old_value);
      after = adds ? after + new_value : std::max(after, new_value);
    }
    return {rule.min_share * before, rule.min_share * after};
  }

  // Suggests names for a rule that matches none.
  static std::string Largest(const std::vector<DiffRow>& rows,
                             accounting::Stat stat) {
    std::vector<std::pair<int64_t, std::string_view>> names;
    for (const DiffRow& row : rows) {
      if (row.name() == views::kRootName) continue;
      names.emplace_back(std::max(row.before[stat], row.after[stat]),
                         row.name());
    }
    const auto end = names.begin() +
                     static_cast<ptrdiff_t>(std::min<size_t>(names.size(), 3));
    std::partial_sort(
        names.begin(), end, names.end(), [](const auto& a, const auto& b) {
          return std::tie(b.first, a.second) < std::tie(a.first, b.second);
        });
    std::string text;
    for (auto it = names.begin(); it != end; ++it) {
      text += fmt::format("{}{}", text.empty() ? "; the largest are " : ", ",
                          it->second);
    }
    return text;
  }

  // The sum over all nodes for an average step.
  static int64_t Sum(views::Views& views, accounting::Stat stat) {
    int64_t sum = 0;
    for (const accounting::Stats& stats :
         *views.context().NodeStats(accounting::kAverageOfSteps)) {
      sum += stats[stat];
    }
    return sum;
  }

  static std::vector<profile::NodeId> NodesThatRan(views::Views& views) {
    const auto stats = views.context().NodeStats(-1);
    const profile::Profile& profile = views.profile();
    const timeline::OpRoles roles(profile);
    std::vector<profile::NodeId> nodes;
    for (const profile::NodeId n : views.context().NodesByName()) {
      if ((*stats)[n][accounting::kMicros] == 0) continue;
      if (!roles.Of(profile.strings().Get(profile.nodes().op[n])).empty()) {
        continue;
      }
      nodes.push_back(n);
    }
    return nodes;
  }

  // Sets `changed` to the number of all changed rows.
  static std::vector<Measured> MostChanged(std::vector<Measured> measured,
                                           size_t* changed) {
    std::erase_if(measured, [](const Measured& m) { return m.delta() == 0; });
    std::sort(measured.begin(), measured.end(),
              [](const Measured& a, const Measured& b) {
                const double x = std::abs(a.delta()), y = std::abs(b.delta());
                return std::tie(y, a.name) < std::tie(x, b.name);
              });
    *changed = measured.size();
    if (measured.size() > kMaxContributors) measured.resize(kMaxContributors);
    return measured;
  }

  const double noise_floor_;
  views::Views& before_;
  views::Views& after_;
  struct StepSamples {
    std::vector<double> walls, periods, memory;
  };
  const StepSamples before_of_step_, after_of_step_;
};

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSkipped:
      return "skipped";
    case Verdict::kPass:
      return "pass";
    case Verdict::kWithinNoise:
      return "within noise";
    case Verdict::kFail:
      return "fail";
  }
  return "";
}

std::optional<double> Measured::change() const {
  const double share = Share(*this);
  if (!std::isfinite(share)) return std::nullopt;
  return share;
}

size_t CheckReport::Count(Verdict verdict) const {
  return static_cast<size_t>(std::count_if(
      rules.begin(), rules.end(),
      [&](const CheckedRule& rule) { return rule.verdict == verdict; }));
}

absl::StatusOr<CheckReport> Check(std::span<const CheckRule> rules,
                                  double noise_floor, views::Views& before,
                                  views::Views& after) {
  CheckReport report;
  report.noise_floor = noise_floor;
  report.before_steps = CountSteps(before.profile());
  report.after_steps = CountSteps(after.profile());
  Checker checker(noise_floor, before, after);
  for (const CheckRule& rule : rules) {
    if (rule.by_default && !checker.Applies(rule)) continue;
    if (rule.by_default && rule.scope == CheckRule::Scope::kView &&
        !checker.HasEnoughSteps()) {
      report.rules.push_back(
          {.rule = rule,
           .verdict = Verdict::kSkipped,
           .reason =
               fmt::format("needs {} steps on each side", kMinStepsForNoise)});
      continue;
    }
    absl::StatusOr<CheckedRule> checked = checker.Apply(rule);
    if (!checked.ok()) return checked.status();
    report.rules.push_back(*std::move(checked));
  }
  report.ops = checker.ChangedOps(&report.changed_ops);
  report.nodes = checker.ChangedNodes(&report.changed_nodes);
  report.walls = checker.Walls();
  return report;
}

}  // namespace tfprof::compare

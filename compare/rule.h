// Rule: a condition under which `tfprof check` fails.
//
//   VIEW:NAME.FIELD OP NUMBER[UNIT] [min SHARE%]
//                                       op:MatMul.micros > +5%
//                                       op:.*.micros > +5% min 1%
//   total.FIELD OP NUMBER[UNIT]         total.peak_bytes > 2GB
//   step.span_micros OP NUMBER[UNIT]    step.span_micros > +1.5ms
//   step.period_micros OP NUMBER[UNIT]  step.period_micros > +10%
//   step.memory_bytes OP NUMBER[UNIT]   max step.memory_bytes > 20GB
//   AGGREGATE any of these              mean step.span_micros > +10%
//   new.FIELD OP NUMBER%                new.micros > 5%
//   steps.count OP NUMBER[%]            steps.count < -0
//
// A rule describes a problem: the rows for which it holds violate it. VIEW is
// op, scope, graph or code. NAME is a regular expression (RE2) that matches the
// whole name of a row; it may contain blanks, dots and colons. FIELD is a
// statistic, by its name or by the reference's word (accounting/statistics.h):
// requested_bytes or bytes; for step also span_micros, its wall time as in the
// table of steps, period_micros, until the next one begins, and memory_bytes,
// the most that an allocator had in use. OP
// is > >= < or <=. The number is a change if it has a sign or a %: relative
// with %, else in the unit. Without either, it is a limit for the new value.
// UNIT is us, ms, s, B, KB, MB, GB (decimal); a number without it is in the
// unit of the field: µs, bytes, or a count.
//
// With `min`, a row is judged only if both profiles have it, and if its share
// of the total of FIELD is at least SHARE in one of them. An op that waits, or
// that marks a step, is not judged then, and is not part of the total.
//
// AGGREGATE (aggregate.h) reduces the steps of a run to one number: mean,
// median (the default), p90, max or recurring. new.FIELD is the share of the
// total that belongs to ops found only in the new profile, as a mean, without
// waits; steps.count is the number of steps.
//
// Errors are InvalidArgument, with the rule, a line that points to the column,
// and the text that was expected there.

#ifndef TFPROF_COMPARE_RULE_H_
#define TFPROF_COMPARE_RULE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "accounting/statistics.h"
#include "compare/aggregate.h"
#include "util/text/unit.h"
#include "views/options.h"

namespace tfprof::compare {

struct CheckRule {
  enum class Scope { kView, kTotal, kStep, kNew, kSteps };
  enum class Compare { kMore, kAtLeast, kLess, kAtMost };
  enum class Against {
    kChangeShare,  // 0.05: 5 % of the value before
    kChange,       // in µs, bytes or counts
    kValue,        // a limit for the new profile
  };

  std::string text;  // as the user wrote it
  Scope scope = Scope::kTotal;
  Aggregate aggregate = Aggregate::kMedian;
  views::View view = views::View::kOp;  // for kView
  std::string name;                     // the regular expression, for kView
  std::string field;                    // the statistic's name: "micros"
  accounting::Stat stat = accounting::kMicros;
  // What kStep judges.
  enum class OfStep { kStatistic, kWall, kPeriod, kMemory };
  OfStep of_step = OfStep::kStatistic;
  // A default rule: it is left out if no profile has the values that it judges,
  // and of many rows it judges those whose noise is known.
  bool by_default = false;
  util::Unit unit = util::Unit::kMicros;
  Compare compare = Compare::kMore;
  Against against = Against::kChangeShare;
  double number = 0;
  // For kView: rows with a smaller share of the total are not judged, nor are
  // rows of only one profile. 0.01 is 1 %; 0 judges all rows.
  double min_share = 0;
};

absl::StatusOr<CheckRule> ParseCheckRule(std::string_view text);

// One rule per line; blank lines and lines that begin with # are skipped.
// Errors contain `path` and the line number.
absl::StatusOr<std::vector<CheckRule>> ParseCheckRules(std::string_view text,
                                                       std::string_view path);

// The default rules: on average, a step, and the time until the next one
// begins, must not be more than 10 % slower or need more than 10 % more memory;
// what every k-th step does may not make it more than 20 % slower, nor an op
// that matters more than 30 %; no new op may take more than 1 % of the time; no
// step may be missing; and the kernels of an op that matters may not take more
// than 5 % longer. The sum over the ops is judged only where no step has a wall
// time.
std::vector<CheckRule> DefaultCheckRules();

// "op", "scope", "graph", "code".
std::string_view ViewName(views::View view);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_RULE_H_

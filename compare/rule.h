// Rule: what `tfprof check` does not let pass.
//
//   VIEW:NAME.FIELD OP NUMBER[UNIT]     op:MatMul.micros > +5%
//   total.FIELD OP NUMBER[UNIT]         total.peak_bytes > 2GB
//   step.span_micros OP NUMBER[UNIT]    step.span_micros > +1.5ms
//
// A rule says what is wrong: it is violated by the rows for which it holds.
// VIEW is op, scope, graph or code, NAME a regular expression (RE2) that
// matches the whole name of a row, and may hold blanks, dots and colons. FIELD
// is a statistic: micros, accelerator_micros, cpu_micros, bytes, peak_bytes,
// residual_bytes, output_bytes, params, float_ops, runs; of step also
// span_micros, from the first start to the last end. OP is > >= < or <=. The
// number is a change when it has a sign or a %, relative for %, else in the
// unit; without either it is a limit for the new value. UNIT is us, ms, s, B,
// KB, MB, GB (decimal) or, for a plain number, what the field counts: µs,
// bytes.
//
// An error is InvalidArgument with the rule, a line that points to the column,
// and what was expected there.

#ifndef TFPROF_COMPARE_RULE_H_
#define TFPROF_COMPARE_RULE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "accounting/statistics.h"
#include "tables/data_table.h"
#include "views/options.h"

namespace tfprof {

struct CheckRule {
  enum class Scope { kView, kTotal, kStep };
  enum class Compare { kMore, kAtLeast, kLess, kAtMost };
  enum class Against {
    kChangeShare,  // 0.05: 5 % of what was before
    kChange,       // in µs, bytes or counts
    kValue,        // of the new profile
  };

  std::string text;  // as it was written
  Scope scope = Scope::kTotal;
  View view = View::kOp;  // of kView
  std::string name;       // the regular expression of kView
  std::string field;      // as it was written: "micros"
  Stat stat = kMicros;
  bool span = false;  // span_micros instead of `stat`
  Unit unit = Unit::kMicros;
  Compare compare = Compare::kMore;
  Against against = Against::kChangeShare;
  double number = 0;
};

absl::StatusOr<CheckRule> ParseCheckRule(std::string_view text);

// A rule a line; blank lines and those that begin with # are skipped. `path`
// and the number of the line go into the error.
absl::StatusOr<std::vector<CheckRule>> ParseCheckRules(std::string_view text,
                                                       std::string_view path);

// What is checked when nobody says what: a step must not get more than 10 %
// slower, nor take more than 10 % more memory.
std::vector<CheckRule> DefaultCheckRules();

// "op", "scope", "graph", "code".
std::string_view ViewName(View view);

}  // namespace tfprof

#endif  // TFPROF_COMPARE_RULE_H_

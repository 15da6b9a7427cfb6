// Check: applies rules (rule.h) to two profiles of one program.
//
//   absl::StatusOr<CheckReport> report = Check(rules, noise, before, after);
//
// A row is judged by the rule's aggregate (aggregate.h) over the steps in which
// it ran. The default is the median, unlike in the views, which show averages.
// noise.h computes the noise of a median; the noise of another aggregate comes
// from a permutation test or, for many rows, from the interval of their means.
// The noise of what recurs is that of two single steps.
// A change that breaks a rule but is not larger than the noise does not fail,
// unless the rule asks for a change (`> -5%`: it must get faster). Noise does
// not excuse limits for a value (`> 5ms`). A row in only one profile is a
// change from or to nothing.
//
// Errors are InvalidArgument: neither profile has a row for a rule, or call
// stacks are missing. Units are the units of Stats. Names belong to the
// profiles.

#ifndef TFPROF_COMPARE_CHECK_H_
#define TFPROF_COMPARE_CHECK_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/rule.h"
#include "views/views.h"

namespace tfprof::compare {

// kSkipped is for default rules that cannot be judged.
enum class Verdict { kSkipped, kPass, kWithinNoise, kFail };

// "skipped", "pass", "within noise", "fail".
std::string_view VerdictName(Verdict verdict);

// The values of a row before and after.
struct Measured {
  std::string_view name;         // after; before if the row is gone
  std::string_view before_name;  // if it differs; else empty
  bool in_before = true;
  bool in_after = true;
  size_t before_steps = 0;  // steps that gave the values
  size_t after_steps = 0;
  double before = 0;
  double after = 0;
  // The largest change that counts as noise. nullopt: too few steps and no
  // floor.
  std::optional<double> noise;

  double delta() const { return after - before; }
  // 0.2 means 20 % more. nullopt: there was nothing before.
  std::optional<double> change() const;
};

struct CheckedRow {
  Measured measured;
  Verdict verdict = Verdict::kPass;
};

struct CheckedRule {
  CheckRule rule;
  Verdict verdict = Verdict::kPass;  // the worst of the rows
  std::vector<CheckedRow> rows;      // the worst first, then the most changed
  std::string reason;                // why kSkipped
};

struct CheckReport {
  std::vector<CheckedRule> rules;
  // The largest changes in time, whatever the rules say, largest first.
  std::vector<Measured> ops;
  std::vector<Measured> nodes;
  // The wall times of steps, one row for each aggregate: `name` is "mean",
  // "median", …. Empty if a profile has none.
  std::vector<Measured> walls;
  size_t changed_ops = 0;  // `ops` has at most kMaxContributors
  size_t changed_nodes = 0;
  size_t before_steps = 0;
  size_t after_steps = 0;
  double noise_floor = 0;  // as given to Check(): 0.02 is 2 %

  size_t Count(Verdict verdict) const;  // rules
  bool failed() const { return Count(Verdict::kFail) > 0; }
};

inline constexpr size_t kMaxContributors = 5;

// Changes up to the share `noise_floor` of the value before always count as
// noise.
absl::StatusOr<CheckReport> Check(std::span<const CheckRule> rules,
                                  double noise_floor, views::Views& before,
                                  views::Views& after);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_CHECK_H_

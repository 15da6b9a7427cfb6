// Check: applies rules (rule.h) to two profiles of one program.
//
//   absl::StatusOr<CheckReport> report = Check(rules, noise, before, after);
//
// A row is judged by the rule's aggregate (aggregate.h) of the steps in which
// it ran: without one by the median, unlike the views, which show averages. The
// noise of a median is that of noise.h; of another aggregate it comes from a
// permutation test or, of many rows, from the interval of their means. A change
// that breaks a rule but is not larger than the noise is no failure, unless the
// rule asks for a change
// (`> -5%`: it must get faster), which noise is not. Noise does not excuse
// limits for a value (`> 5ms`). A row that only one profile has is a change
// from or to nothing.
//
// Errors are InvalidArgument: a rule for which neither profile has a row, or
// call stacks that are not there. Units are those of Stats. Nothing is printed
// here; names belong to the profiles.

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

namespace tfprof {

// kSkipped: a default rule that cannot be judged.
enum class Verdict { kSkipped, kPass, kWithinNoise, kFail };

// "skipped", "pass", "within noise", "fail".
std::string_view VerdictName(Verdict verdict);

// The values of a row before and after.
struct Measured {
  std::string_view name;         // after; of what is gone, before
  std::string_view before_name;  // if it differs; else empty
  bool in_before = true;
  bool in_after = true;
  size_t before_steps = 0;  // from which the values are
  size_t after_steps = 0;
  double before = 0;
  double after = 0;
  // Changes up to this are noise. nullopt: too few steps, and no floor.
  std::optional<double> noise;

  double delta() const { return after - before; }
  // 0.2: 20 % more. nullopt: there was nothing before.
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
  std::string reason;                // of kSkipped
};

struct CheckReport {
  std::vector<CheckedRule> rules;
  // What changed most in time, whatever the rules say: most first.
  std::vector<Measured> ops;
  std::vector<Measured> nodes;
  // The times of steps from their first start to their last end, by aggregate:
  // `name` is "mean", "median", …. Empty if a profile has none.
  std::vector<Measured> spans;
  size_t changed_ops = 0;  // `ops` has at most kMaxContributors of them
  size_t changed_nodes = 0;
  size_t before_steps = 0;
  size_t after_steps = 0;
  double noise_floor = 0;  // as given to Check(): 0.02 is 2 %

  size_t Count(Verdict verdict) const;  // rules
  bool failed() const { return Count(Verdict::kFail) > 0; }
};

inline constexpr size_t kMaxContributors = 5;

// Changes up to the share `noise_floor` of the value before are noise, whatever
// the steps say.
absl::StatusOr<CheckReport> Check(std::span<const CheckRule> rules,
                                  double noise_floor, Views& before,
                                  Views& after);

}  // namespace tfprof

#endif  // TFPROF_COMPARE_CHECK_H_

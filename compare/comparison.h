// Comparison: the answer to "is it faster or slower, by how much, and because
// of what?" for two profiles of one program.
//
//   const Comparison comparison = Compare(before, after);
//   comparison.text;     // "slower: 10.0ms -> 12.0ms, +2.0ms (+20.0%)"
//   comparison.because;  // "synchronization +1.5ms"
//
// The verdict is about the median wall time of a step
// (timeline/account/step_wall.h), and its noise about the variation of the
// steps (noise.h). A difference that is not larger than the noise, or than 1 %,
// is no change. Where time passes between the steps, the verdict is about the
// time from the start of a step to the start of the next one. The reasons are
// the differences between the accounts (timeline/account/account.h) of the
// steps that are nearest to the median, as averages over these steps and their
// accelerators, or their hosts if there are none. They add up to the difference
// between the mean wall times of these steps. Operations are averages over the
// steps, as in the op view.
//
// Times are microseconds. Names belong to the profiles.

#ifndef TFPROF_COMPARE_COMPARISON_H_
#define TFPROF_COMPARE_COMPARISON_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/check.h"
#include "compare/diff.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::compare {

struct PartChange {
  std::string_view id;     // "matmul"; "between_steps" is in no account
  std::string_view title;  // "matrix products"
  double before = 0;
  double after = 0;
  // The largest change that counts as noise; nullopt: too few steps.
  std::optional<double> noise;
  // The operations, functions or calls that changed most in the direction of
  // the part: "aten::mm +1.20ms, aten::bmm +300us". May be empty.
  std::string most;

  double delta() const { return after - before; }
};

struct Comparison {
  enum class Verdict { kFaster, kSlower, kSame, kUnknown };

  Verdict verdict = Verdict::kUnknown;
  // Of a step, the median; only if the verdict is known. With by_period, the
  // time until the next step begins.
  Measured wall;
  bool by_period = false;
  std::string text;  // the verdict in words
  // The mean decided: steps that take much longer than others came or went.
  bool by_mean = false;
  // The parts with most of the change, or, if the mean decided, the operation;
  // "" if the verdict is not kFaster or
  // kSlower, or if a profile has no account.
  std::string because;
  // How the highest level of memory changed, if it did by at least 1 %:
  // "peak 16.00GB -> 18.10GB (+13.1%)". May be empty.
  std::string memory;
  // What makes the comparison doubtful; may be empty.
  std::string caution;
  // By descending size of the change; empty if a profile has no account.
  std::vector<PartChange> parts;
  // The largest change first, waits and markers of steps last.
  Diff ops;
  // Those that changed by not more than their noise are as before.
  size_t new_ops = 0, gone_ops = 0, changed_ops = 0, same_ops = 0;
};

// "faster", "slower", "same", "unknown".
std::string_view VerdictName(Comparison::Verdict verdict);

Comparison Compare(views::Views& before, views::Views& after);

// Facts, and the tables "account" and "ops", each with at most `max_rows` rows
// (0: all). `base` and `name` name the two profiles, and `whole` is the command
// for all rows. The comparison must outlive the document.
tables::DataDocument ComparisonDocument(const Comparison& comparison,
                                        std::string_view base,
                                        std::string_view name, size_t max_rows,
                                        const std::string& whole);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_COMPARISON_H_

// The checkers to run and their options: the values of -checkers and
// -checker_options.
//
//   ParseCheckers({"operation", "low_utilization"}, Checkers())  selects
//     the OperationChecker, and one rule of the AcceleratorUtilizationChecker
//   ParseCheckerValues({"AcceleratorUtilization.low_utilization=0.8"}, …)
//
// A checker is named in full or without "Checker", a rule by its id, both in
// upper or lower case. Errors are InvalidArgument and list the valid names.

#ifndef TFPROF_ADVISOR_CHOICE_H_
#define TFPROF_ADVISOR_CHOICE_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/checker.h"

namespace tfprof::advisor {

// All checkers: Checkers(), or a test's own.
using CheckerRegistry = std::span<const Checker* const>;

struct CheckerChoice {
  const Checker* checker;
  // The rules whose findings are kept; empty: all of the checker's rules.
  std::vector<std::string_view> rules;
};

// The options that the user set, by the name of the checker.
using CheckerValues = std::map<std::string_view, std::map<std::string, double>>;

struct AdviceOptions {
  std::vector<CheckerChoice> checkers;  // in registry order; empty: unset
  CheckerValues values;
};

// "OperationChecker" without its "Checker".
std::string_view ShortName(const Checker& checker);

// The checker that `word` names, or every checker with a rule of this id. Empty
// if there is none.
std::vector<CheckerChoice> FindCheckers(std::string_view word,
                                        CheckerRegistry registry);

absl::StatusOr<std::vector<CheckerChoice>> ParseCheckers(
    std::span<const std::string> words, CheckerRegistry registry);

// Each word is CHECKER.NAME=VALUE. VALUE is finite; a share is between 0 and 1.
absl::StatusOr<CheckerValues> ParseCheckerValues(
    std::span<const std::string> words, CheckerRegistry registry);

// Words that parse to the given value.
std::vector<std::string> FormatCheckers(std::span<const CheckerChoice> choices);
std::vector<std::string> FormatCheckerValues(const CheckerValues& values);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CHOICE_H_

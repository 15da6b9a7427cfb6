// Which checkers run, and what with: the values of -checkers and of
// -checker_options.
//
//   ParseCheckers({"operation", "low_utilization"}, Checkers())
//     the OperationChecker, and one rule of the AcceleratorUtilizationChecker
//   ParseCheckerValues({"AcceleratorUtilization.low_utilization=0.8"}, …)
//
// A checker is named in full or without "Checker", a rule by its id, both in
// any case of letters. Errors are InvalidArgument and list what there is.

#ifndef TFPROF_ADVISOR_CHOICE_H_
#define TFPROF_ADVISOR_CHOICE_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/checker.h"

namespace tfprof {

// The checkers there are: Checkers(), or those of a test.
using CheckerRegistry = std::span<const Checker* const>;

struct CheckerChoice {
  const Checker* checker;
  // Only findings of these; empty: of all its rules.
  std::vector<std::string_view> rules;
};

// For the name of each checker, the options that a person set.
using CheckerValues = std::map<std::string_view, std::map<std::string, double>>;

struct AdviceOptions {
  std::vector<CheckerChoice> checkers;  // in the registry's order; empty: unset
  CheckerValues values;
};

// "OperationChecker" without its "Checker".
std::string_view ShortName(const Checker& checker);

// What `word` names: a checker, or each checker that has a rule of this id.
std::vector<CheckerChoice> FindCheckers(std::string_view word,
                                        CheckerRegistry registry);

absl::StatusOr<std::vector<CheckerChoice>> ParseCheckers(
    std::span<const std::string> words, CheckerRegistry registry);

// Each word is CHECKER.NAME=VALUE. VALUE is finite, a share within 0 and 1.
absl::StatusOr<CheckerValues> ParseCheckerValues(
    std::span<const std::string> words, CheckerRegistry registry);

// The words that parse back to the same.
std::vector<std::string> FormatCheckers(std::span<const CheckerChoice> choices);
std::vector<std::string> FormatCheckerValues(const CheckerValues& values);

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_CHOICE_H_

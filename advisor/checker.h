// Checkers: what the advisor looks for, as data.
//
// A checker reads a profile through its views and returns findings; it prints
// nothing. `text` of a finding is the report of the reference's advisor, to
// the byte; the other members say the same to a program: which rule, what was
// measured against which threshold, and the command that shows the evidence.
//
// The registry (Checkers()) is in the order in which the reference lists them.
// Behaviour: reference spec 13. JobChecker, which was never published, is not
// among them.

#ifndef TFPROF_ADVISOR_CHECKER_H_
#define TFPROF_ADVISOR_CHECKER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "views/views.h"

namespace tfprof {

struct Finding {
  enum class Severity { kInfo, kWarning };

  std::string_view rule;  // "low_utilization"
  Severity severity = Severity::kInfo;
  std::string subject = "";      // a device, an op; may be empty
  std::string_view metric = "";  // "utilization"; may be empty
  double value = 0;
  double threshold = 0;
  std::string evidence = "";  // the tfprof command that shows it
  std::string text;
};

struct CheckResult {
  std::vector<Finding> findings;
  // What a checker lacked: lines for stderr.
  std::vector<std::string> notes;
};

struct Checker {
  std::string_view name;
  CheckResult (*check)(Views& views);
};

std::span<const Checker> Checkers();

// One file each.
CheckResult CheckAcceleratorUtilization(Views& views);
CheckResult CheckOperations(Views& views);
CheckResult CheckExpensiveOperations(Views& views);

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_CHECKER_H_

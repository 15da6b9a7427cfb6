// Advice: what checkers found in a profile.
//
//   const Advice advice = RunCheckers(input, choices, values);
//   for (const RankedFinding& f : Rank(advice)) …   // worst first
//
// It holds the findings as the checkers gave them; advice_text.h writes them as
// prose.

#ifndef TFPROF_ADVISOR_ADVICE_H_
#define TFPROF_ADVISOR_ADVICE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/checker.h"
#include "advisor/choice.h"
#include "views/views.h"

namespace tfprof::advisor {

struct Advice {
  struct Section {
    const Checker* checker;
    std::vector<Finding> findings;
    std::vector<std::string> notes;
    // Why the profile could not be judged; empty if it was (judged.h).
    std::string unjudged = "";
  };
  std::vector<Section> sections;  // one for each checker that ran, in order
};

// Groups of the registry's checkers: the reference's; our own that judge the
// program; both of these; and the health checkers, which judge the profile.
std::vector<CheckerChoice> ReferenceCheckers(CheckerRegistry registry);
std::vector<CheckerChoice> FurtherCheckers(CheckerRegistry registry);
std::vector<CheckerChoice> AdviceCheckers(CheckerRegistry registry);
std::vector<CheckerChoice> HealthCheckers(CheckerRegistry registry);

// Runs the checkers, and weighs their findings (weigh.h).
Advice RunCheckers(const CheckerInput& input,
                   std::span<const CheckerChoice> choices,
                   const CheckerValues& values);

struct RankedFinding {
  const Checker* checker;
  const Finding* finding;
};

// Sorts by severity, then by saving, then in the order in which the checkers
// ran. The saving of a symptom counts less: half if the finding only names who
// waits, a quarter if it only says that time is lost; that of a reason counts
// twice (Rule::Says). A warning that outranks a critical finding in this way is
// sorted as critical. The result points into `advice`. Only findings with
// IsReported() are ranked and counted.
std::vector<RankedFinding> Rank(const Advice& advice);

size_t CountFindings(const Advice& advice, Finding::Severity severity);

// "info", "warning", "critical".
std::string_view SeverityName(Finding::Severity severity);

// The rule of a finding; nullptr if its checker does not declare it.
const Rule* FindRule(const Checker& checker, std::string_view id);
// The option that holds the rule's threshold; nullptr if there is none.
const CheckerOption* ThresholdOption(const Checker& checker, const Rule& rule);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_ADVICE_H_

// Checkers with fixed findings, for tests of the code that runs checkers.
// Together they have each severity, findings with and without numbers, and
// names that are hard to write. The health checkers are a separate list.

#ifndef TFPROF_ADVISOR_FAKE_CHECKERS_TESTING_H_
#define TFPROF_ADVISOR_FAKE_CHECKERS_TESTING_H_

#include "advisor/checker.h"
#include "advisor/choice.h"

namespace tfprof::advisor {

// A reference checker: an info, and a warning while `limit` is above 0.25.
inline constexpr Rule kOldRules[] = {
    {"busy", "How busy it was.", "share of time"},
    {"idle", "It was idle.", "share of time", "limit"},
};
inline constexpr CheckerOption kOldOptions[] = {
    {"limit", 0.5, "share", "Below it something is idle."},
};
inline CheckResult CheckOld(const CheckerInput&,
                            const CheckerSettings& settings) {
  CheckResult result;
  result.findings.push_back(
      {.rule = "busy", .subject = "gpu", .value = 1, .text = "gpu busy"});
  if (settings.Get("limit") > 0.25) {
    result.findings.push_back({.rule = "idle",
                               .severity = Finding::Severity::kWarning,
                               .subject = "cpu",
                               .value = 0.25,
                               .threshold = settings.Get("limit"),
                               .evidence = "op -order_by micros",
                               .text = "cpu idle"});
  }
  return result;
}
inline constexpr Checker kOldChecker = {"OldChecker",
                                        "What was always looked at.",
                                        Checker::Kind::kReference,
                                        kOldRules,
                                        kOldOptions,
                                        CheckOld};

// An advice checker: two warnings and a critical finding.
inline constexpr Rule kNewRules[] = {
    {"slow", "Something took longer than it may.", "time", "most_micros"},
    {"odd", "A name is odd.", ""},
};
inline constexpr CheckerOption kNewOptions[] = {
    {"most_micros", 1000, "us", "What takes longer is slow."},
    {"most_bytes", 1e6, "bytes", "What is larger is large."},
};
inline CheckResult CheckNew(const CheckerInput&,
                            const CheckerSettings& settings) {
  CheckResult result;
  result.findings.push_back({.rule = "odd",
                             .severity = Finding::Severity::kWarning,
                             .subject = "a\"b\n\x01\xff",
                             .text = "first\nsecond"});
  result.findings.push_back({.rule = "slow",
                             .severity = Finding::Severity::kWarning,
                             .value = 2500,
                             .threshold = settings.Get("most_micros"),
                             .saving_micros = 1500,
                             .text = "slow"});
  result.findings.push_back(
      {.rule = "slow",
       .severity = Finding::Severity::kCritical,
       .subject = "step 7",
       .value = 1e6,
       .threshold = settings.Get("most_micros"),
       .saving_micros = 1200,
       .evidence = "op -order_by micros -select "
                   "micros,accelerator_micros,cpu_micros,occurrence",
       .advice = "Take less time.",
       .text = "A sentence that does not fit on one line of a narrow terminal, "
               "by far."});
  return result;
}
inline constexpr Checker kNewChecker = {"NewChecker",
                                        "What is looked at now.",
                                        Checker::Kind::kAdvice,
                                        kNewRules,
                                        kNewOptions,
                                        CheckNew};

// Finds nothing because it lacks records.
inline constexpr Rule kBlindRules[] = {{"seen", "Something was seen.", ""}};
inline CheckResult CheckBlind(const CheckerInput&, const CheckerSettings&) {
  return {.findings = {}, .notes = {"nothing to see for BlindChecker"}};
}
inline constexpr Checker kBlindChecker = {"BlindChecker",
                                          "What cannot be seen.",
                                          Checker::Kind::kAdvice,
                                          kBlindRules,
                                          {},
                                          CheckBlind};

inline constexpr const Checker* kFakeCheckers[] = {&kOldChecker, &kNewChecker,
                                                   &kBlindChecker};

// Health checkers: the first always finds that all is well; the second warns,
// or is critical if the log has damage.
inline constexpr Rule kFitRules[] = {{"fit", "Says that all is well.", ""}};
inline CheckResult CheckFit(const CheckerInput&, const CheckerSettings&) {
  return {.findings = {{.rule = "fit", .text = "all is well"}}, .notes = {}};
}
inline constexpr Checker kFitChecker = {
    "FitChecker", "What is well.", Checker::Kind::kHealth, kFitRules,
    {},           CheckFit};

inline constexpr Rule kHurtRules[] = {
    {"hurt", "Counts the damage that loading met.", "records"}};
inline CheckResult CheckHurt(const CheckerInput& input,
                             const CheckerSettings&) {
  using Severity = Finding::Severity;
  const bool damaged = input.log.damaged();
  return {.findings = {{.rule = "hurt",
                        .severity =
                            damaged ? Severity::kCritical : Severity::kWarning,
                        .advice = "look at it",
                        .text = damaged ? "it is damaged" : "it looks odd"}},
          .notes = {}};
}
inline constexpr Checker kHurtChecker = {
    "HurtChecker", "What is hurt.", Checker::Kind::kHealth, kHurtRules, {},
    CheckHurt};

inline constexpr const Checker* kFakeHealthCheckers[] = {
    &kOldChecker, &kFitChecker, &kHurtChecker};

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_FAKE_CHECKERS_TESTING_H_

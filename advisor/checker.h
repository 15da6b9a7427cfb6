// Checkers, as data: each looks for one kind of problem.
//
// A checker reads a profile through its views and returns findings; it prints
// nothing. Each is one file in checkers/ that defines one `Checker`;
// checkers/registry.h lists them. The rules and options of a checker are data
// too: `help advise`, the checks of -checker_options and g3doc/advise.md come
// from them.
//
// A finding rests on evidence: a checker that lacks the records it needs says
// so in `notes` and finds nothing, and a healthy profile has no finding above
// kInfo. Units: microseconds, bytes; shares are 0 to 1.
//
// There are three kinds. The reference's checkers and the advice checkers judge
// the program. Health checkers judge the profile: whether it is good enough to
// draw conclusions from. Each of them has one rule and at most one finding,
// which says what was checked even if all is well (kInfo). kWarning means that
// some questions cannot be answered, or that the answer may not be typical of
// the program; kCritical means that numbers are wrong or missing.
//
// For the reference's checkers, `text` equals the reference's report, byte for
// byte; reference spec 13 describes them. The reference's JobChecker was never
// published, so ours is our own design.

#ifndef TFPROF_ADVISOR_CHECKER_H_
#define TFPROF_ADVISOR_CHECKER_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/core/import_log.h"
#include "views/views.h"

namespace tfprof::advisor {

// A kind of finding that a checker can report.
struct Rule {
  std::string_view id;      // "low_utilization"
  std::string_view help;    // when it fires, in one sentence
  std::string_view metric;  // of Finding::value; "" when nothing is measured
  // The option that holds the threshold; "" when there is none.
  std::string_view threshold_option = "";
  // How close the finding is to the cause of the problem. A finding closer to
  // the cause ranks above others if it explains enough of the lost time
  // (advice.h). kReason says why the time of a cause is lost: shapes change, so
  // steps compile again.
  enum class Says : uint8_t { kReason, kCause, kWhoWaits, kOnlyThatTimeIsLost };
  Says says = Says::kCause;
};

// A number that a person may set: -checker_options CHECKER.NAME=VALUE.
struct CheckerOption {
  std::string_view name;
  double value;           // the default
  std::string_view unit;  // "us", "bytes", "share", "ratio", "count"
  std::string_view help;
};

struct Finding {
  enum class Severity { kInfo, kWarning, kCritical };

  std::string_view rule;
  Severity severity = Severity::kInfo;
  std::string subject = "";  // a device, an op, a step; may be empty
  double value = 0;          // of the rule's metric
  double threshold = 0;
  // An upper bound of the time per step that the advice can save; 0: unknown.
  int64_t saving_micros = 0;
  // Of a loss that happens once, and not in each step: all of it. Its saving is
  // the average over the steps.
  int64_t once_micros = 0;
  // It names the cause, although its rule says only who waits.
  bool names_cause = false;
  std::string evidence = "";  // the tfprof command that shows it
  std::string advice = "";    // what to do, an imperative sentence
  std::string text;           // the finding in one line, with its numbers
  // A newer text with more information for people and programs, if `text` must
  // match the reference; empty: use `text`.
  std::string full_text = "";
  // The reference's finding is wrong: only the reference's report shows it.
  bool reference_text_only = false;

  const std::string& best_text() const {
    return full_text.empty() ? text : full_text;
  }
  // True if the finding is counted and listed. A finding without a text is an
  // empty line of the reference's report.
  bool IsReported() const { return !text.empty() && !reference_text_only; }
};

struct CheckResult {
  std::vector<Finding> findings;
  // The records that a checker lacked: lines for stderr.
  std::vector<std::string> notes;
};

// The settings of a checker: the defaults of its options, and the values that
// the user set.
class CheckerSettings {
 public:
  explicit CheckerSettings(std::span<const CheckerOption> options,
                           std::map<std::string, double> set = {})
      : options_(options), set_(std::move(set)) {}

  // `name` must be one of the checker's options.
  double Get(std::string_view name) const;

 private:
  std::span<const CheckerOption> options_;
  std::map<std::string, double> set_;
};

// The input of a checker. It must outlive the check.
struct CheckerInput {
  views::Views& views;
  // The log of loading the profile.
  const loaders::ImportLog& log;
};

struct Checker {
  enum class Kind {
    kReference,  // run by plain `advise`
    kAdvice,     // by `advise all` too
    kHealth,     // by `doctor`
  };
  // The records that a profile must have for the checker to judge it
  // (judged.h). A checker that needs other records says so in the notes of its
  // result.
  enum class Needs {
    kNothing,
    kRuns,               // nodes and runs: not only memory, a log or a dump
    kExecutions,         // some execution
    kTimes,              // executions with a start, in steps long enough
    kStepTimes,          // the same, for ops that are recorded one by one
    kSteps,              // as many steps as its option min_steps says
    kProcesses,          // several processes with names
    kSeveral,            // the same, or several ranks or accelerators
    kAccelerators,       // kernels, copies or transfers of an accelerator
    kCalls,              // calls of a host, or work of an accelerator
    kAcceleratorCalls,   // both of them
    kBetweenSteps,       // work of an accelerator, and calls or times of steps
    kOtherProgram,       // calls of no program of PyTorch, JAX or TensorFlow
    kNegotiations,       // tensors that ranks of Horovod negotiate
    kCounters,           // a counter in bytes
    kPipeline,           // the workers of a pipeline-parallel job
    kCollectiveRecords,  // dumps of a flight recorder
    kCompileLogs,        // logs of torch.compile
    kAllocators,         // a memory snapshot
  };

  std::string_view name;  // "AcceleratorUtilizationChecker"
  std::string_view help;  // what it checks, in one sentence
  Kind kind;
  std::span<const Rule> rules;
  std::span<const CheckerOption> options;
  CheckResult (*check)(const CheckerInput& input,
                       const CheckerSettings& settings);
  Needs needs = Needs::kNothing;
};

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CHECKER_H_

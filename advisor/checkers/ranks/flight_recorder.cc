// Finds ranks that do not call the same collectives, in dumps of a flight
// recorder. The other ranks of the group then wait for ever.

#include <cctype>
#include <string>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "timeline/ranks/divergence.h"

namespace tfprof::advisor {
namespace {
namespace flight_recorder {

using timeline::Divergence;

constexpr Rule kRules[] = {
    {"diverging_ranks",
     "A rank did not call a collective of its group, or called another one, or "
     "with inputs of another size.",
     "number of the collective"},
};

// The findings that are shown; `collectives` has all groups.
constexpr size_t kMostFindings = 5;

std::string AdviceFor(const Divergence& found) {
  switch (found.problem) {
    case Divergence::Problem::kMissingRanks:
      return fmt::format(
          "Look at what rank {} did then: an exception, an endless loop, a "
          "shorter data set, or a branch that only some ranks take. The others "
          "wait for it and are not the cause.",
          found.missing[0]);
    case Divergence::Problem::kOperations:
      return "Make all ranks of the group call the same operations in the same "
             "order: look for a branch that depends on the rank or on data.";
    case Divergence::Problem::kSizes:
      return "Make the inputs equally large on all ranks: pad the last batch, "
             "or look for a shape that depends on the rank. Operations such as "
             "all_to_all may differ on purpose.";
  }
  return "";
}

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  CheckResult result;
  const timeline::Divergences all =
      timeline::FindDivergences(input.views.profile().collective_records());
  for (const Divergence& found : all.first) {
    if (result.findings.size() == kMostFindings) break;
    const timeline::CalledGroup& group = all.groups[found.group];
    Finding f;
    f.rule = "diverging_ranks";
    f.severity = Finding::Severity::kCritical;
    f.subject = fmt::format("group {}", group.name);
    f.value = static_cast<double>(found.sequence);
    f.names_cause = true;
    f.evidence = "collectives";
    f.advice = AdviceFor(found);
    f.text = timeline::DivergenceText(group, found);
    f.text[0] = static_cast<char>(std::toupper(f.text[0]));
    if (!found.lines.empty()) {
      f.text += fmt::format("; at {}", fmt::join(found.lines, ", "));
    }
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace flight_recorder
}  // namespace

const Checker kFlightRecorderChecker = {
    "FlightRecorderChecker",
    "Whether all ranks of a job called the same collectives.",
    Checker::Kind::kAdvice,
    flight_recorder::kRules,
    {},
    flight_recorder::Check,
    Checker::Needs::kCollectiveRecords};

}  // namespace tfprof::advisor

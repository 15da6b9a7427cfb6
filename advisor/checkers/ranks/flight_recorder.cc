// Finds why a job hangs, in dumps of a flight recorder: ranks that do not call
// the same collectives, or whose calls do not end. The other ranks then wait
// for ever. Also a rank that comes late to most collectives.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/ranks/divergence.h"
#include "timeline/ranks/hang_causes.h"

namespace tfprof::advisor {
namespace {
namespace flight_recorder {

using profile::CollectiveRecords;
using timeline::Divergence;

constexpr Rule kRules[] = {
    {"diverging_ranks",
     "A rank did not call a collective of its group, or called another one, or "
     "with inputs of another size or type; ranks wait for each other in a "
     "circle; or a send has no receive.",
     "number of the collective"},
    {"unfinished_collective",
     "All ranks with a dump called a collective that did not end.",
     "number of the collective"},
    {"nothing_compared",
     "No collective has calls of two ranks, so that nothing is known about "
     "them.",
     "dumps"},
    {"late_calls",
     "A rank comes last to most collectives, and the others wait for it.",
     "share of the recorded time", "late_calls"},
};

constexpr CheckerOption kOptions[] = {
    {"late_calls", 0.05, "share",
     "a rank is reported if it comes late by this share of the recorded time, "
     "all its collectives together"},
    {"late_collectives", 10, "count",
     "how many collectives tell that a rank comes late"},
};

// The findings that are shown; `collectives` has all groups.
constexpr size_t kMostFindings = 5;

// Ranks that come this much later are not late, in nanoseconds.
constexpr double kLeastLate = 100'000;

constexpr std::string_view kOnRequest =
    " If the job did not hang when the dumps were written, this may only be "
    "their moment.";

std::string AdviceFor(const Divergence& found,
                      const timeline::HangCause& cause) {
  switch (found.problem) {
    case Divergence::Problem::kMissingRanks:
      if (cause.divergences.size() > 1) {
        return "Make all ranks call the groups in the same order, and look for "
               "a call that one of them left out.";
      }
      return fmt::format(
          "Look at what rank {} did then: an exception, an endless loop, a "
          "shorter data set, or a branch that only some ranks take. The others "
          "wait for it and are not the cause.{}",
          cause.ranks[0], kOnRequest);
    case Divergence::Problem::kNoDump:
      return fmt::format(
          "Look at the log of rank {}: it may have died. If its dump is "
          "elsewhere, open it, too.",
          cause.ranks[0]);
    case Divergence::Problem::kOperations:
      return "Make all ranks of the group call the same operations in the same "
             "order: look for a branch that depends on the rank or on data.";
    case Divergence::Problem::kSizes:
      return "Make the inputs equally large on all ranks: pad the last batch, "
             "or look for a shape that depends on the rank.";
    case Divergence::Problem::kTypes:
      return "Give the inputs the same type on all ranks: look for a cast or "
             "an autocast that only some ranks have.";
    case Divergence::Problem::kNotStarted:
      return fmt::format(
          "Look at what runs on the GPU of rank {}: a kernel before the "
          "collective does not end, or waits.{}",
          cause.ranks[0], kOnRequest);
    case Divergence::Problem::kNotCompleted:
      return fmt::format(
          "Look at the network and the GPUs, not at the program: NCCL_DEBUG="
          "INFO, the logs of the driver (Xid) and of the links.{}{}",
          found.missing.empty()
              ? ""
              : " TORCH_NCCL_ENABLE_TIMING=1 records which GPUs began it.",
          kOnRequest);
    case Divergence::Problem::kNoPartner:
      return fmt::format(
          "Look at why rank {} does not call the other half: the schedules of "
          "the stages differ, or it stopped before.{}",
          found.missing[0], kOnRequest);
  }
  return "";
}

// Whether the ranks called different lines of the program.
bool DifferInLines(const CollectiveRecords& records, const Divergence& found) {
  return timeline::CallersBy(records, found, &CollectiveRecords::Call::line)
             .size() > 1;
}

void AddHangs(const CollectiveRecords& records,
              const timeline::Divergences& all, CheckResult& result) {
  for (const timeline::HangCause& cause : timeline::FindHangCauses(all)) {
    if (result.findings.size() == kMostFindings) break;
    const Divergence& found = all.first[cause.divergences[0]];
    const timeline::CalledGroup& group = all.groups[found.group];
    const bool unfinished = found.problem == Divergence::Problem::kNoDump ||
                            found.problem == Divergence::Problem::kNotStarted ||
                            found.problem == Divergence::Problem::kNotCompleted;
    Finding f;
    f.rule = unfinished ? "unfinished_collective" : "diverging_ranks";
    // With the dumps of a few ranks only, the others are no suspects.
    f.severity = found.problem == Divergence::Problem::kNoDump &&
                         2 * group.absent.size() >= group.ranks.size()
                     ? Finding::Severity::kWarning
                     : Finding::Severity::kCritical;
    f.subject = fmt::format("group {}", group.name);
    f.value = static_cast<double>(found.sequence);
    f.names_cause = true;
    f.evidence = "collectives";
    f.advice = found.problem == Divergence::Problem::kSizes &&
                       DifferInLines(records, found)
                   ? "Make all ranks run the same lines in the same order: the "
                     "lines differ, so a rank has a call more or less than the "
                     "others."
                   : AdviceFor(found, cause);
    f.text = timeline::HangText(records, all, cause);
    f.text[0] = static_cast<char>(std::toupper(f.text[0]));
    result.findings.push_back(std::move(f));
  }
}

void AddNothingCompared(const CollectiveRecords& records, CheckResult& result) {
  const auto unnamed =
      std::count_if(records.dumps.begin(), records.dumps.end(),
                    [](const auto& dump) { return dump.rank < 0; });
  Finding f;
  f.rule = "nothing_compared";
  f.severity = Finding::Severity::kWarning;
  f.value = static_cast<double>(records.dumps.size());
  f.evidence = "collectives";
  f.advice = unnamed > 0 ? "Name the dumps by their rank: trace_3, rank3_host0."
                         : "Open the dumps of all ranks together.";
  f.text = fmt::format(
      "Nothing was compared: no collective has calls of two ranks, in {} "
      "dump{}{}",
      records.dumps.size(), records.dumps.size() == 1 ? "" : "s",
      unnamed == 0
          ? ""
          : fmt::format(", {} of them without a rank in the name", unnamed));
  result.findings.push_back(std::move(f));
}

// Finds the rank that comes latest. The least lateness of a rank may be the
// difference of two clocks, and does not count.
void AddLateRank(const CollectiveRecords& records,
                 const timeline::Divergences& all,
                 const CheckerSettings& settings, CheckResult& result) {
  const auto excess = [&](size_t dump) {
    const timeline::Lateness& late = all.late[dump];
    return static_cast<double>(late.sum) -
           static_cast<double>(late.least) *
               static_cast<double>(late.collectives);
  };
  size_t worst = 0;
  for (size_t d = 1; d < all.late.size(); ++d) {
    if (excess(d) > excess(worst)) worst = d;
  }
  if (all.late.empty()) return;
  int64_t begin = -1, end = -1;
  for (const CollectiveRecords::Call& call : records.calls) {
    if (call.dump != worst || call.created < 0) continue;
    begin = begin < 0 ? call.created : std::min(begin, call.created);
    end = std::max(end, call.created);
  }
  const timeline::Lateness& late = all.late[worst];
  const double span = static_cast<double>(end) - static_cast<double>(begin);
  const double share = span > 0 ? excess(worst) / span : 0;
  if (static_cast<double>(late.collectives) <
          settings.Get("late_collectives") ||
      excess(worst) < kLeastLate * static_cast<double>(late.collectives) ||
      2 * late.last < late.collectives || share < settings.Get("late_calls")) {
    return;
  }
  const int64_t rank = records.dumps[worst].rank;
  const double mean =
      excess(worst) / static_cast<double>(late.collectives) / 1000;
  Finding f;
  f.rule = "late_calls";
  f.severity = Finding::Severity::kWarning;
  f.subject = fmt::format("rank {}", rank);
  f.value = share;
  f.threshold = settings.Get("late_calls");
  f.evidence = "skew";
  f.advice = fmt::format(
      "Look at what rank {} does before its collectives: its input, a slower "
      "GPU or host, or work that only this rank has.",
      rank);
  f.text = fmt::format(
      "rank {} came last to {} of {} collectives, {} later than the first rank "
      "on average; all together {:.1f}% of the recorded time",
      rank, late.last, late.collectives,
      tables::FormatMicros(static_cast<int64_t>(mean)), 100 * share);
  f.text[0] = static_cast<char>(std::toupper(f.text[0]));
  result.findings.push_back(std::move(f));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const CollectiveRecords& records = input.views.profile().collective_records();
  if (records.dumps.empty()) return result;
  const timeline::Divergences all = timeline::FindDivergences(records);
  if (all.compared == 0) AddNothingCompared(records, result);
  AddHangs(records, all, result);
  AddLateRank(records, all, settings, result);
  return result;
}

}  // namespace flight_recorder
}  // namespace

const Checker kFlightRecorderChecker = {
    "FlightRecorderChecker",
    "Whether all ranks of a job called the same collectives, in time, and the "
    "collectives ended.",
    Checker::Kind::kAdvice,
    flight_recorder::kRules,
    flight_recorder::kOptions,
    flight_recorder::Check,
    Checker::Needs::kCollectiveRecords};

}  // namespace tfprof::advisor

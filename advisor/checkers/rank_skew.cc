// Ranks of a distributed trace that compute longer than others, which wait for
// them in collectives.

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/checkers/trace_check.h"
#include "fmt/format.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof {
namespace {

constexpr Rule kRules[] = {
    {"rank_skew",
     "A rank computes this many times as long as the median of all, or more.",
     "ratio to the median", "rank_skew"},
};
constexpr CheckerOption kOptions[] = {
    {"rank_skew", 1.1, "ratio", "Smaller ratios are not reported."},
    {"min_micros", 100, "us", "Smaller differences per step are not reported."},
};

struct Rank {
  int64_t compute = 0;
  int64_t communication = 0;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const auto check = OpenAcceleratorTrace(input);
  if (!check) return result;
  const LaneTable& lanes = check->profile().lanes();
  std::map<int64_t, Rank> ranks;
  for (const AcceleratorActivity& device : check->activity->accelerators) {
    const ProcessId process = check->traces.units()[device.unit].process;
    if (process == kNone || lanes.process(process).rank < 0) continue;
    Rank& rank = ranks[lanes.process(process).rank];
    rank.compute = WrapAdd(rank.compute, Length(device.compute));
    rank.communication =
        WrapAdd(rank.communication, Length(device.communication));
  }
  if (ranks.size() < 2) return result;
  std::vector<int64_t> computes;
  int64_t most_waiting = 0;
  for (const auto& [number, rank] : ranks) {
    computes.push_back(rank.compute);
    most_waiting = std::max(most_waiting, rank.communication);
  }
  const int64_t median = Median(computes);
  if (median <= 0) return result;
  const double threshold = settings.Get("rank_skew");
  for (const auto& [number, rank] : ranks) {
    const double ratio =
        static_cast<double>(rank.compute) / static_cast<double>(median);
    const int64_t more = check->MicrosPerStep(rank.compute - median);
    if (ratio < threshold ||
        static_cast<double>(more) < settings.Get("min_micros")) {
      continue;
    }
    Finding f;
    f.rule = "rank_skew";
    f.severity = Finding::Severity::kWarning;
    f.subject = fmt::format("rank {}", number);
    f.value = ratio;
    f.threshold = threshold;
    f.saving_micros = more;
    f.evidence = "devices";
    f.advice =
        "Give ranks the same amount of work (lengths of sequences, shards of "
        "tables), and look for a slower device.";
    f.text = fmt::format(
        "rank {} computes {} and the median of {} ranks is {} ({:.2f} times); "
        "it communicates for {}, the rank that waits most for {}",
        number, check->Time(rank.compute), ranks.size(), check->Time(median),
        ratio, check->Time(rank.communication), check->Time(most_waiting));
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace

const Checker kRankSkewChecker = {
    "RankSkewChecker",
    "Whether ranks of a distributed trace wait for slower ones.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kRanks};

}  // namespace tfprof

// Ranks of a distributed trace that compute longer than others, which wait for
// them in collectives. In a trace of one process, the same of its accelerators.
//
// Accelerators of a process may have different work, as the stages of a
// pipeline. They are compared if they run about as many kernels.

#include <algorithm>
#include <map>
#include <set>
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
     "A rank computes this many times as long as the median of the others, or "
     "more.",
     "ratio to the median", "rank_skew"},
    {"device_skew",
     "In a trace of one process, an accelerator computes this many times as "
     "long as the median of the others, or more.",
     "ratio to the median", "rank_skew"},
};
constexpr CheckerOption kOptions[] = {
    {"rank_skew", 1.1, "ratio", "Smaller ratios are not reported."},
    {"min_micros", 100, "us", "Smaller differences per step are not reported."},
};

// A rank, or an accelerator.
struct Rank {
  std::string name;
  int64_t compute = 0;
  int64_t communication = 0;
  int64_t runs = 0;

  void Add(const AcceleratorActivity& device) {
    compute = WrapAdd(compute, Length(device.compute));
    communication = WrapAdd(communication, Length(device.communication));
    runs += static_cast<int64_t>(device.runs.size());
  }
};

// By the number of the rank.
std::vector<Rank> RanksOf(const TraceCheck& check) {
  const LaneTable& lanes = check.profile().lanes();
  std::map<int64_t, Rank> ranks;
  for (const AcceleratorActivity& device : check.activity->accelerators) {
    const ProcessId process = check.traces.units()[device.unit].process;
    if (process == kNone || lanes.process(process).rank < 0) continue;
    ranks[lanes.process(process).rank].Add(device);
  }
  std::vector<Rank> result;
  for (auto& [number, rank] : ranks) {
    rank.name = fmt::format("rank {}", number);
    result.push_back(std::move(rank));
  }
  return result;
}

// The accelerators of the only process, if they have the same work.
std::vector<Rank> DevicesOf(const TraceCheck& check) {
  std::vector<Rank> devices;
  std::set<ProcessId> processes;
  std::vector<int64_t> runs;
  for (const AcceleratorActivity& device : check.activity->accelerators) {
    processes.insert(check.traces.units()[device.unit].process);
    Rank& added = devices.emplace_back();
    added.name = check.Name(device.unit);
    added.Add(device);
    runs.push_back(added.runs);
  }
  if (processes.size() != 1) return {};
  const int64_t usual = Median(runs);
  const bool alike =
      std::all_of(devices.begin(), devices.end(), [usual](const Rank& device) {
        return device.runs <= 2 * usual && usual <= 2 * device.runs;
      });
  return alike ? devices : std::vector<Rank>();
}

// Of `sorted` without one `value`, which it has. A slow rank of two must not
// count as usual.
int64_t MedianOfOthers(const std::vector<int64_t>& sorted, int64_t value) {
  const auto removed = static_cast<size_t>(
      std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
  const auto at = [&](size_t i) { return sorted[i < removed ? i : i + 1]; };
  const size_t size = sorted.size() - 1;
  const int64_t upper = at(size / 2);
  if (size % 2 == 1) return upper;
  const int64_t lower = at(size / 2 - 1);
  return lower + (upper - lower) / 2;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const auto check = OpenAcceleratorTrace(input);
  if (!check) return result;
  std::vector<Rank> ranks = RanksOf(*check);
  const bool devices = ranks.size() < 2;
  if (devices) ranks = DevicesOf(*check);
  if (ranks.size() < 2) return result;
  std::vector<int64_t> computes;
  int64_t most_waiting = 0;
  for (const Rank& rank : ranks) {
    computes.push_back(rank.compute);
    most_waiting = std::max(most_waiting, rank.communication);
  }
  std::sort(computes.begin(), computes.end());
  const double threshold = settings.Get("rank_skew");
  for (const Rank& rank : ranks) {
    const int64_t median = MedianOfOthers(computes, rank.compute);
    if (median <= 0) continue;
    const double ratio =
        static_cast<double>(rank.compute) / static_cast<double>(median);
    const int64_t more = check->MicrosPerStep(rank.compute - median);
    if (ratio < threshold ||
        static_cast<double>(more) < settings.Get("min_micros")) {
      continue;
    }
    Finding f;
    f.rule = devices ? "device_skew" : "rank_skew";
    f.severity = Finding::Severity::kWarning;
    f.subject = rank.name;
    f.value = ratio;
    f.threshold = threshold;
    f.saving_micros = more;
    f.evidence = "devices";
    f.advice =
        "Give ranks the same amount of work (lengths of sequences, shards of "
        "tables), and look for a slower device.";
    const char* const unit = devices ? "device" : "rank";
    f.text = fmt::format(
        "{} computes {}, {:.2f} times {} ({}); it communicates for {}, the {} "
        "that waits most for {}",
        rank.name, check->Time(rank.compute), ratio,
        ranks.size() == 2 ? fmt::format("the other {}", unit)
                          : fmt::format("the median of the other {} {}s",
                                        ranks.size() - 1, unit),
        check->Time(median), check->Time(rank.communication), unit,
        check->Time(most_waiting));
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace

const Checker kRankSkewChecker = {
    "RankSkewChecker",
    "Whether ranks of a distributed trace, or accelerators, wait for slower "
    "ones.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kRanks};

}  // namespace tfprof

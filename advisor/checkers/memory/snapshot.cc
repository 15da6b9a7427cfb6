// Finds what wastes memory, in snapshots of PyTorch's allocator: requests that
// failed, memory that grows with each step, and memory that is reserved but
// free.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "accounting/allocator_growth.h"
#include "accounting/allocator_levels.h"
#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/text/percent.h"
#include "views/allocation_line.h"

namespace tfprof::advisor {
namespace {
namespace snapshot {

using profile::AllocatorEvent;
using profile::AllocatorHistory;

constexpr Rule kRules[] = {
    {"out_of_memory", "The device had no memory for a request.", "count"},
    {"growing_allocations",
     "A line keeps more memory with each step, and never frees it.",
     "bytes per step, or per eighth of a recording without steps",
     "min_growth_bytes"},
    {"unused_reserve",
     "Much of the memory that the allocator reserved is free, so that nobody "
     "else can use it.",
     "share of the reserved memory", "max_free_share"},
};

constexpr CheckerOption kOptions[] = {
    {"min_growth_bytes", 1024.0 * 1024, "bytes",
     "less growth per step than this is not reported"},
    {"max_free_share", 0.3, "share",
     "a larger share of the reserved memory that is free is reported"},
    {"min_free_bytes", 256.0 * 1024 * 1024, "bytes",
     "less free memory than this is not reported"},
};

constexpr char kLessFragmentation[] =
    "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, so that free pieces "
    "are joined; make shapes equal from step to step, or allocate the largest "
    "batch first.";

void AddFailures(const AllocatorHistory& history, CheckResult& result) {
  struct Failure {
    const AllocatorEvent* event;
    int64_t allocated, reserved;
  };
  std::optional<Failure> first;
  size_t count = 0;
  accounting::ForEachLevel(
      history, accounting::LevelsOf(history),
      [&](size_t i, int64_t allocated, int64_t reserved) {
        const AllocatorEvent& event = history.events[i];
        if (event.kind != AllocatorEvent::Kind::kOutOfMemory) return;
        ++count;
        if (!first) first = {&event, allocated, reserved};
      });
  if (!first) return;
  const int64_t kept = first->reserved - first->allocated;
  Finding f;
  f.rule = "out_of_memory";
  f.severity = Finding::Severity::kCritical;
  f.subject = history.name;
  f.value = static_cast<double>(count);
  f.names_cause = true;
  f.evidence = "memory";
  const bool fragmented = kept >= first->event->bytes;
  f.advice = fragmented
                 ? kLessFragmentation
                 : "Hold less at the peak: `memory` names the lines that hold "
                   "it. A smaller batch, checkpointed activations or a sharded "
                   "optimizer need less.";
  f.text = fmt::format(
      "{} ran out of memory {} time{}. The first request was {}; the device "
      "had {} free, {} were allocated, and the allocator kept {} more{}",
      history.name, count, count == 1 ? "" : "s",
      tables::BytesText(first->event->bytes),
      tables::BytesText(static_cast<int64_t>(first->event->address)),
      tables::BytesText(first->allocated), tables::BytesText(kept),
      fragmented ? ", enough for it but not in one piece" : "");
  result.findings.push_back(std::move(f));
}

void AddGrowth(const profile::Profile& profile, const AllocatorHistory& history,
               const CheckerSettings& settings, CheckResult& result) {
  const accounting::AllocatorGrowth growth =
      accounting::GrowthOf(history, profile.strings());
  const double threshold = settings.Get("min_growth_bytes");
  for (const accounting::AllocatorGrowth::Owner& owner : growth.owners) {
    if (static_cast<double>(owner.bytes_per_part) < threshold) continue;
    Finding f;
    f.rule = "growing_allocations";
    f.severity = Finding::Severity::kWarning;
    f.subject = history.name;
    f.value = static_cast<double>(owner.bytes_per_part);
    f.threshold = threshold;
    f.names_cause = true;
    f.evidence = "memory";
    f.advice =
        "If nothing needs the older tensors, drop them: a list that grows, a "
        "loss that is summed with its graph (use .item() or .detach()), or a "
        "cache without a limit.";
    f.text = fmt::format(
        "{} keeps {} more in {} of {} {}: {} in {} allocations that were never "
        "freed, made by {}",
        history.name, tables::BytesText(owner.bytes_per_part), owner.parts,
        growth.parts,
        growth.parts_are_steps ? "steps" : "equal parts of the recording",
        tables::BytesText(owner.bytes), owner.count,
        views::AllocationLine(profile.graph(), owner.stack));
    result.findings.push_back(std::move(f));
  }
}

void AddUnusedReserve(const AllocatorHistory& history,
                      const CheckerSettings& settings, CheckResult& result) {
  const accounting::SegmentSums sums = accounting::SumsOf(history);
  const double threshold = settings.Get("max_free_share");
  const double share = sums.reserved <= 0
                           ? 0
                           : static_cast<double>(sums.external) /
                                 static_cast<double>(sums.reserved);
  if (share <= threshold ||
      static_cast<double>(sums.external) < settings.Get("min_free_bytes")) {
    return;
  }
  Finding f;
  f.rule = "unused_reserve";
  f.severity = Finding::Severity::kWarning;
  f.subject = history.name;
  f.value = share;
  f.threshold = threshold;
  f.evidence = "memory";
  f.advice =
      std::string(kLessFragmentation) +
      " If another program needs the memory: torch.cuda.empty_cache() after "
      "the part that needs most.";
  f.text = fmt::format(
      "{} of the {} that {} reserved are free at the end ({}), in {} piece{} "
      "of "
      "at most {}",
      tables::BytesText(sums.external), tables::BytesText(sums.reserved),
      history.name, util::Percent(sums.external, sums.reserved),
      sums.free_blocks, sums.free_blocks == 1 ? "" : "s",
      tables::BytesText(sums.largest_free));
  result.findings.push_back(std::move(f));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  for (const AllocatorHistory& history : input.views.profile().allocators()) {
    AddFailures(history, result);
    AddGrowth(input.views.profile(), history, settings, result);
    AddUnusedReserve(history, settings, result);
  }
  return result;
}

}  // namespace snapshot
}  // namespace

const Checker kSnapshotChecker = {"SnapshotChecker",
                                  "Whether an allocator ran out of memory, "
                                  "grows, or keeps much that is free.",
                                  Checker::Kind::kAdvice,
                                  snapshot::kRules,
                                  snapshot::kOptions,
                                  snapshot::Check,
                                  Checker::Needs::kAllocators};

}  // namespace tfprof::advisor

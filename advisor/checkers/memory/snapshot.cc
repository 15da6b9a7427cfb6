// Finds what wastes memory, in snapshots of PyTorch's allocator: requests that
// failed, memory that grows with each step, pieces and rounding that nobody can
// use at the peak, and memory that is reserved and no longer needed.
//
// Memory that is free after a step is needed by the next one: what matters is
// how much is free at the peak, and how much later peaks leave free.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/allocator_failures.h"
#include "accounting/allocator_growth.h"
#include "accounting/allocator_levels.h"
#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/text/percent.h"
#include "views/allocation_line.h"

namespace tfprof::advisor {
namespace {
namespace snapshot {

using accounting::AllocatorFailure;
using accounting::AllocatorGrowth;
using accounting::AllocatorLevels;
using profile::AllocatorEvent;
using profile::AllocatorHistory;

constexpr Rule kRules[] = {
    {"out_of_memory", "The device had no memory for a request.", "count"},
    {"growing_allocations",
     "Lines keep more memory with each step, and never give it back.",
     "bytes per step, or per eighth of a recording without steps",
     "min_growth_bytes"},
    {"fragmentation",
     "At the peak, much of the memory that the allocator reserved was in free "
     "pieces.",
     "share of the reserved memory", "max_free_share"},
    {"private_pools",
     "Much of the memory that the allocator reserved is free in private pools, "
     "those of CUDA graphs.",
     "share of the reserved memory", "max_free_share"},
    {"rounding",
     "The allocator makes requests larger, and much memory is lost in them.",
     "share of the reserved memory", "max_rounding_share"},
    {"unused_reserve",
     "Much of the memory that the allocator reserved is no longer needed, and "
     "nobody else can use it.",
     "share of the reserved memory", "max_free_share"},
};

constexpr CheckerOption kOptions[] = {
    {"min_growth_bytes", 1024.0 * 1024, "bytes",
     "less growth per step than this is not reported"},
    {"max_free_share", 0.3, "share",
     "a larger share of the reserved memory that is free is reported"},
    {"max_rounding_share", 0.15, "share",
     "a larger share of the reserved memory that is rounding is reported"},
    {"min_free_bytes", 256.0 * 1024 * 1024, "bytes",
     "less free memory or rounding than this is not reported"},
};

constexpr char kLessFragmentation[] =
    "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, so that free pieces "
    "are joined; make shapes equal from step to step, or allocate the largest "
    "batch first.";
constexpr char kNoGrowth[] =
    "If nothing needs the older tensors, drop them: a list that grows, a loss "
    "that is summed with its graph (use .item() or .detach()), torch.cat of "
    "all "
    "results, or a cache without a limit.";
constexpr char kFewerPools[] =
    "Let graphs share one pool (torch.cuda.graph(pool=…)), capture fewer of "
    "them, or drop those that are not used: their memory serves nothing else, "
    "and empty_cache() does not free it.";
constexpr char kLessRounding[] =
    "Remove roundup_power2_divisions from PYTORCH_CUDA_ALLOC_CONF, or give it "
    "more divisions (8): it makes requests larger.";

// What stood in the way, as the end of a sentence.
std::string ObstacleText(const AllocatorFailure& failure) {
  using tables::BytesText;
  switch (failure.cause) {
    case AllocatorFailure::Cause::kFragmented:
      return failure.knows_pieces
                 ? fmt::format(
                       ", and {} more were free in pieces of at most {}",
                       BytesText(failure.free), BytesText(failure.largest))
                 : fmt::format(
                       ", and {} more were reserved, as free pieces and "
                       "rounding",
                       BytesText(failure.free));
    case AllocatorFailure::Cause::kOtherStream:
      return fmt::format(
          ", and a free piece of {} belongs to another stream, which alone may "
          "use it",
          BytesText(failure.elsewhere));
    case AllocatorFailure::Cause::kOtherPool:
      return fmt::format(
          ", and a free piece of {} belongs to a private pool (of a CUDA "
          "graph), which alone may use it",
          BytesText(failure.elsewhere));
    case AllocatorFailure::Cause::kRounding:
      return fmt::format(
          ", and rounding of other requests took {} of what was reserved",
          BytesText(failure.rounding));
    case AllocatorFailure::Cause::kFull:
      break;
  }
  return fmt::format(
      ": this process could not have more than {}",
      BytesText(util::SaturatingAdd(failure.reserved, failure.device_free)));
}

std::string_view RemedyOf(const AllocatorFailure& failure) {
  switch (failure.cause) {
    case AllocatorFailure::Cause::kFragmented:
      return kLessFragmentation;
    case AllocatorFailure::Cause::kOtherStream:
      return "Allocate on the stream that needs the memory, and record the "
             "other stream (tensor.record_stream): memory of one stream serves "
             "no other. Joining pieces does not help.";
    case AllocatorFailure::Cause::kOtherPool:
      return kFewerPools;
    case AllocatorFailure::Cause::kRounding:
      return kLessRounding;
    case AllocatorFailure::Cause::kFull:
      break;
  }
  return "Hold less at the peak: `memory` names the lines that hold it. A "
         "smaller batch, checkpointed activations or a sharded optimizer need "
         "less. If the device has more, other processes hold the rest "
         "(nvidia-smi).";
}

// The line that holds most at the peak.
std::optional<views::LineBytes> LargestLine(const profile::Profile& profile,
                                            const AllocatorHistory& history,
                                            const AllocatorLevels& levels) {
  return views::LargestLine(profile.graph(),
                            accounting::HeldAtPeak(history, levels));
}

// How much more the lines that grow hold with each part.
std::vector<views::LineBytes> GrowingLines(const profile::Profile& profile,
                                           const AllocatorGrowth& growth) {
  std::vector<accounting::HeldMemory> more;
  for (const AllocatorGrowth::Owner& owner : growth.owners) {
    more.push_back({.stack = owner.stack, .bytes = owner.bytes_per_part});
  }
  return views::BytesByLine(profile.graph(), more);
}

AllocatorGrowth Growth(const profile::Profile& profile,
                       const AllocatorHistory& history,
                       const CheckerSettings& settings) {
  AllocatorGrowth growth = accounting::GrowthOf(history, profile.strings());
  if (static_cast<double>(growth.bytes_per_part()) <
      settings.Get("min_growth_bytes")) {
    growth.owners.clear();
  }
  return growth;
}

std::string GrowthText(const profile::Profile& profile,
                       const AllocatorGrowth& growth) {
  constexpr size_t kShown = 3;
  const std::vector<views::LineBytes> lines = GrowingLines(profile, growth);
  std::string text;
  for (size_t i = 0; i < std::min(kShown, lines.size()); ++i) {
    text += fmt::format("{}{} in {}", i == 0 ? "" : ", ",
                        tables::BytesText(lines[i].bytes), lines[i].line);
  }
  if (lines.size() > kShown) {
    text += fmt::format(" and {} more lines", lines.size() - kShown);
  }
  return text;
}

void AddFailures(const profile::Profile& profile,
                 const AllocatorHistory& history, const AllocatorLevels& levels,
                 const AllocatorGrowth& growth, CheckResult& result) {
  const std::vector<AllocatorFailure> failures =
      accounting::FailuresOf(history, levels);
  if (failures.empty()) return;
  const AllocatorFailure& first = failures.front();
  const AllocatorEvent& event = history.events[first.event];
  Finding f;
  f.rule = "out_of_memory";
  f.severity = Finding::Severity::kCritical;
  f.subject = history.name;
  f.value = static_cast<double>(failures.size());
  f.names_cause = true;
  f.evidence = "memory";
  f.advice = RemedyOf(first);
  f.text = fmt::format(
      "{} ran out of memory {} time{}. The first request was {}{}; the device "
      "had {} free, {} were allocated{}",
      history.name, failures.size(), failures.size() == 1 ? "" : "s",
      tables::BytesText(first.requested),
      event.stack == profile::kNoStack
          ? ""
          : " in " + views::AllocationLine(profile.graph(), event.stack),
      tables::BytesText(first.device_free), tables::BytesText(first.allocated),
      ObstacleText(first));
  if (!growth.owners.empty()) {
    f.text += fmt::format("; {} more are kept with each {}: {}",
                          tables::BytesText(growth.bytes_per_part()),
                          growth.parts_are_steps ? "step" : "part",
                          GrowthText(profile, growth));
    f.advice = kNoGrowth;
  } else {
    if (const auto line = LargestLine(profile, history, levels)) {
      f.text += fmt::format("; at the peak, {} held most, {}", line->line,
                            tables::BytesText(line->bytes));
    }
  }
  result.findings.push_back(std::move(f));
}

void AddGrowth(const profile::Profile& profile, const AllocatorHistory& history,
               const AllocatorGrowth& growth, const CheckerSettings& settings,
               CheckResult& result) {
  if (growth.owners.empty()) return;
  Finding f;
  f.rule = "growing_allocations";
  f.severity = Finding::Severity::kWarning;
  f.subject = history.name;
  f.value = static_cast<double>(growth.bytes_per_part());
  f.threshold = settings.Get("min_growth_bytes");
  f.names_cause = true;
  f.evidence = "memory";
  f.advice = kNoGrowth;
  int64_t bytes = 0, count = 0;
  for (const AllocatorGrowth::Owner& owner : growth.owners) {
    bytes = util::SaturatingAdd(bytes, owner.bytes);
    count += owner.count;
  }
  // Activations of many layers are kept by what needs their gradients.
  constexpr size_t kManyLines = 3;
  const bool keeps_graph = GrowingLines(profile, growth).size() >= kManyLines;
  f.text = fmt::format(
      "{} keeps {} more with each {} ({} in {} allocation{} at the end): {}{}",
      history.name, tables::BytesText(growth.bytes_per_part()),
      growth.parts_are_steps
          ? "step"
          : fmt::format("of {} equal parts of the recording", growth.parts),
      tables::BytesText(bytes), count, count == 1 ? "" : "s",
      GrowthText(profile, growth),
      keeps_graph ? "; so many lines grow together if the graph of a loss or "
                    "an output is kept"
                  : "");
  result.findings.push_back(std::move(f));
}

// The second half of the events.
struct LaterLevels {
  int64_t peak = 0;  // of allocated memory
  size_t rises = 0;  // from a low level to the peak: steps, or other work
};

LaterLevels LaterLevelsOf(const AllocatorHistory& history,
                          const AllocatorLevels& levels) {
  const size_t half = history.events.size() / 2;
  const auto each = [&](auto visit) {
    accounting::ForEachLevel(
        history, levels,
        [&](size_t i, int64_t allocated, int64_t /*reserved*/) {
          if (i >= half) visit(allocated);
        });
  };
  LaterLevels later{.peak = levels.allocated.end};
  int64_t low = levels.allocated.end;
  each([&](int64_t allocated) {
    later.peak = std::max(later.peak, allocated);
    low = std::min(low, allocated);
  });
  constexpr int64_t kQuarter = 4;
  const int64_t margin = (later.peak - low) / kQuarter;
  bool is_low = false;
  each([&](int64_t allocated) {
    if (allocated <= low + margin) {
      is_low = true;
    } else if (is_low && allocated >= later.peak - margin) {
      is_low = false;
      ++later.rises;
    }
  });
  return later;
}

class Waste {
 public:
  Waste(const AllocatorHistory& history, const AllocatorLevels& levels,
        const CheckerSettings& settings)
      : history_(history), levels_(levels), settings_(settings) {}

  void Add(const profile::Profile& profile, CheckResult& result) {
    const accounting::SegmentSums sums = accounting::SumsOf(history_);
    if (history_.events.empty()) return AddFreeAtEnd(sums, result);
    // Rounding is known at the end only; its part of what is allocated there is
    // taken for that at the peak.
    const int64_t at_peak = levels_.reserved_at_peak;
    const double part = sums.allocated <= 0
                            ? 0
                            : static_cast<double>(sums.internal) /
                                  static_cast<double>(sums.allocated);
    const int64_t kept =
        std::max<int64_t>(0, util::WrapSub(at_peak, levels_.allocated.peak));
    const int64_t of_pools = std::min(kept, FreeInPrivatePools());
    if (Finding* f = Report("private_pools", "max_free_share", of_pools,
                            at_peak, result)) {
      f->advice = kFewerPools;
      f->text = fmt::format(
          "{} has {} of its {} free in private pools (of CUDA graphs), which "
          "alone may use it",
          history_.name, tables::BytesText(of_pools),
          tables::BytesText(at_peak));
    }
    const int64_t rounding =
        std::min(kept, static_cast<int64_t>(
                           part * static_cast<double>(levels_.allocated.peak)));
    const int64_t pieces = std::max<int64_t>(0, kept - rounding - of_pools);
    if (Finding* f = Report("fragmentation", "max_free_share", pieces, at_peak,
                            result)) {
      f->advice = kLessFragmentation;
      f->text = fmt::format(
          "{} had {} allocated at its peak and {} reserved: {} of it ({}) "
          "were free pieces",
          history_.name, tables::BytesText(levels_.allocated.peak),
          tables::BytesText(at_peak), tables::BytesText(pieces),
          util::Percent(pieces, at_peak));
    }
    if (Finding* f = Report("rounding", "max_rounding_share", sums.internal,
                            sums.reserved, result)) {
      f->advice = kLessRounding;
      f->text = fmt::format(
          "rounding takes {} of the {} that {} reserved ({}): {} were asked "
          "for",
          tables::BytesText(sums.internal), tables::BytesText(sums.reserved),
          history_.name, util::Percent(sums.internal, sums.reserved),
          tables::BytesText(sums.allocated));
    }
    AddUnused(profile, sums, result);
  }

 private:
  // Reports a part of the reserved memory, if it is large enough. The caller
  // adds the text.
  Finding* Report(std::string_view rule, std::string_view option, int64_t bytes,
                  int64_t reserved, CheckResult& result) {
    Finding f;
    f.rule = rule;
    f.severity = Finding::Severity::kWarning;
    f.subject = history_.name;
    f.value = reserved <= 0
                  ? 0
                  : static_cast<double>(bytes) / static_cast<double>(reserved);
    f.threshold = settings_.Get(option);
    f.evidence = "memory";
    if (f.value <= f.threshold ||
        static_cast<double>(bytes) < settings_.Get("min_free_bytes")) {
      return nullptr;
    }
    result.findings.push_back(std::move(f));
    return &result.findings.back();
  }

  // Known at the end only; these pools keep what they have.
  int64_t FreeInPrivatePools() const {
    int64_t bytes = 0;
    for (const profile::AllocatorSegment& segment : history_.segments) {
      if (segment.pool == profile::AllocatorPool()) continue;
      bytes = util::SaturatingAdd(
          bytes, accounting::SumsOf(history_, segment).external);
    }
    return bytes;
  }

  void AddUnused(const profile::Profile& profile,
                 const accounting::SegmentSums& sums, CheckResult& result) {
    // A recording that ends in the step of its peak says nothing about later
    // ones.
    constexpr size_t kLeastRises = 3;
    const LaterLevels later = LaterLevelsOf(history_, levels_);
    if (later.rises < kLeastRises) return;
    const int64_t unused =
        std::min(sums.external - FreeInPrivatePools(),
                 std::max<int64_t>(0, sums.reserved - later.peak));
    Finding* f = Report("unused_reserve", "max_free_share", unused,
                        sums.reserved, result);
    if (f == nullptr) return;
    f->advice =
        "If another program or a private pool needs the memory: call "
        "torch.cuda.empty_cache() after the part that needs most.";
    f->text = fmt::format(
        "{} reserves {}, and the second half of the recording had at most {} "
        "of it allocated",
        history_.name, tables::BytesText(sums.reserved),
        tables::BytesText(later.peak));
    if (levels_.allocated.peak <= later.peak) return;
    f->text += fmt::format("; the peak before was {}",
                           tables::BytesText(levels_.allocated.peak));
    if (const auto line = LargestLine(profile, history_, levels_)) {
      f->text += fmt::format(", {} of it in {}", tables::BytesText(line->bytes),
                             line->line);
    }
  }

  // Without events it is unknown whether a step needs the free memory.
  void AddFreeAtEnd(const accounting::SegmentSums& sums, CheckResult& result) {
    Finding* f = Report("unused_reserve", "max_free_share", sums.external,
                        sums.reserved, result);
    if (f == nullptr) return;
    f->severity = Finding::Severity::kInfo;
    f->advice =
        "Record events to see whether the program needs it again: "
        "torch.cuda.memory._record_memory_history() before the first step.";
    f->text = fmt::format(
        "{} of the {} that {} reserved are free at the end ({}), in {} piece{} "
        "of at most {}; what the program needs at its peak was not recorded",
        tables::BytesText(sums.external), tables::BytesText(sums.reserved),
        history_.name, util::Percent(sums.external, sums.reserved),
        sums.free_blocks, sums.free_blocks == 1 ? "" : "s",
        tables::BytesText(sums.largest_free));
  }

  const AllocatorHistory& history_;
  const AllocatorLevels& levels_;
  const CheckerSettings& settings_;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const profile::Profile& profile = input.views.profile();
  for (const AllocatorHistory& history : profile.allocators()) {
    const AllocatorLevels levels = accounting::LevelsOf(history);
    const AllocatorGrowth growth = Growth(profile, history, settings);
    AddFailures(profile, history, levels, growth, result);
    AddGrowth(profile, history, growth, settings, result);
    Waste(history, levels, settings).Add(profile, result);
  }
  return result;
}

}  // namespace snapshot
}  // namespace

const Checker kSnapshotChecker = {"SnapshotChecker",
                                  "Whether an allocator ran out of memory, "
                                  "grows, or wastes memory.",
                                  Checker::Kind::kAdvice,
                                  snapshot::kRules,
                                  snapshot::kOptions,
                                  snapshot::Check,
                                  Checker::Needs::kAllocators};

}  // namespace tfprof::advisor

// Finds the rank that others wait for in a timeline of Horovod.
//
// A rank says that a tensor is ready for a reduction; the tensor is negotiated
// until all ranks have. The timeline has the phase NEGOTIATE_… of each tensor,
// and in it a mark for each rank, whose name is its number. From the median
// mark to the last one the tensor waits. Several tensors wait at the same time,
// while gradients of others are computed: of tensors whose waits overlap, the
// longest wait is lost.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "util/arithmetic.h"
#include "util/text/decimal.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace negotiation {

constexpr Rule kRules[] = {
    {"late_for_negotiation",
     "Ranks wait in the negotiation of tensors for those that are ready last.",
     "share of the time", "late"},
};
constexpr CheckerOption kOptions[] = {
    {"late", 0.1, "share", "Less is not reported."},
};

struct Event {
  profile::LaneId lane = profile::kNone;
  timeline::Interval time;
  int64_t rank = -1;  // of a mark; -1: a phase
};

// The phases of negotiation and the marks in them, in order, and the time of
// the whole file.
std::vector<Event> EventsOf(const DeviceCheck& check, timeline::Interval& all) {
  std::vector<Event> events;
  const profile::Profile& profile = check.profile();
  bool any = false;
  for (const auto& step : profile.steps()) {
    if (step->num_executions() == 0) continue;
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const std::string_view name = profile.strings().Get(
          profile.nodes().op[static_cast<size_t>(step->node[g])]);
      const bool is_phase = name.starts_with("NEGOTIATE_");
      const int64_t rank = util::ParseDecimal(name).value_or(-1);
      for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
        if (!step->HasStart(e)) continue;
        const timeline::Interval time = check.activities.TimeOf(*step, e);
        all = any ? timeline::Interval{std::min(all.start, time.start),
                                       std::max(all.end, time.end)}
                  : time;
        any = true;
        if (is_phase || rank >= 0)
          events.push_back({step->LaneOf(e), time, rank});
      }
    }
  }
  std::ranges::sort(events, [](const Event& a, const Event& b) {
    return std::tie(a.lane, a.time.start, b.time.end, a.rank) <
           std::tie(b.lane, b.time.start, a.time.end, b.rank);
  });
  return events;
}

struct Late {
  std::vector<timeline::Interval> times;
  std::map<int64_t, int64_t> by_rank;  // ticks after the median
  std::map<int64_t, int64_t> last;     // how often a rank was the last one
  int64_t all = 0;                     // of `by_rank`
  int64_t tensors = 0;

  // `marks` are those of a tensor, by time.
  void Add(const std::vector<Event>& marks) {
    if (marks.size() < 2) return;
    const int64_t median = marks[(marks.size() - 1) / 2].time.start;
    times.push_back({median, marks.back().time.start});
    for (const Event& mark : marks) {
      const int64_t after = std::max<int64_t>(0, mark.time.start - median);
      by_rank[mark.rank] += after;
      all += after;
    }
    ++last[marks.back().rank];
    ++tensors;
  }

  int64_t Lost() {
    std::ranges::sort(times, {}, &timeline::Interval::start);
    int64_t lost = 0, longest = 0, end = 0;
    for (const timeline::Interval& time : times) {
      if (time.start > end) lost += std::exchange(longest, 0);
      longest = std::max(longest, time.length());
      end = std::max(end, time.end);
    }
    return lost + longest;
  }
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  timeline::Interval all;
  Late late;
  std::vector<Event> marks;
  const Event* phase = nullptr;
  const std::vector<Event> events = EventsOf(check, all);
  for (const Event& event : events) {
    if (event.rank < 0) {
      late.Add(std::exchange(marks, {}));
      phase = &event;
    } else if (phase != nullptr && event.lane == phase->lane &&
               event.time.start <= phase->time.end) {
      marks.push_back(event);
    }
  }
  late.Add(marks);
  if (late.tensors == 0) return result;
  const int64_t ticks = late.Lost();
  const auto worst = std::ranges::max_element(
      late.by_rank, {}, [](const auto& of) { return of.second; });
  // Ranks that are late in turns have no culprit.
  const bool is_one = 2 * worst->second >= late.all;
  const std::string rank = fmt::format("rank {}", worst->first);
  Finding f = ShareFinding(check, kRules[0].id, is_one ? rank : "", ticks,
                           all.length(), settings.Get("late"), ticks);
  if (f.value <= f.threshold) return result;
  f.text = fmt::format(
      "{} for {} of the time from the first operation to the last ({} of {})",
      is_one ? fmt::format("{} is the last one to be ready for {} of {} "
                           "reductions, and the other ranks wait for it",
                           rank, late.last[worst->first], late.tensors)
             : "ranks in turns are the last ones to be ready for a reduction, "
               "and the others wait",
      util::Percent(ticks, all.length()), check.Time(ticks),
      check.Time(all.length()));
  f.evidence = "op -order_by micros";
  f.advice = fmt::format(
      "Find what {} does before its gradients are ready: input, more work than "
      "the others, or a slower machine. This file has communication only: "
      "record {} with the profiler of its framework, too.",
      is_one ? rank : "a late rank", is_one ? "that rank" : "the ranks");
  result.findings.push_back(std::move(f));
  return result;
}

}  // namespace negotiation
}  // namespace

const Checker kNegotiationChecker = {
    "NegotiationChecker",
    "Whether ranks of Horovod wait for one that is ready late.",
    Checker::Kind::kAdvice,
    negotiation::kRules,
    negotiation::kOptions,
    negotiation::Check,
    Checker::Needs::kNegotiations};

}  // namespace tfprof::advisor

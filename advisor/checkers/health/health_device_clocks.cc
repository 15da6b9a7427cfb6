// Checks whether devices share one clock. If the gap between the records of two
// devices in one step is longer than their work, their clocks differ.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/activity.h"
#include "timeline/intervals.h"

namespace tfprof::advisor {
namespace {
namespace health_device_clocks {

using Severity = Finding::Severity;

constexpr Rule kRules[] = {
    {"device_clocks",
     "A warning when the gap between devices of a step is longer than their "
     "work.",
     "the longest time between devices of a step, in microseconds"},
};

struct Gap {
  int64_t micros = 0;
  int64_t step = 0;
};

// The span of each device in the step, sorted by start.
timeline::Intervals SpansOf(const timeline::StepActivity& activity) {
  timeline::Intervals spans;
  for (const timeline::DeviceActivity& device : activity.devices) {
    const timeline::Intervals work =
        timeline::Union(device.busy, device.launching);
    if (!work.empty()) spans.push_back({work.front().start, work.back().end});
  }
  std::sort(spans.begin(), spans.end(),
            [](const timeline::Interval& a, const timeline::Interval& b) {
              return a.start < b.start;
            });
  return spans;
}

// The longest gap between devices that is also longer than the span of each
// device before it; 0 if there is none.
int64_t LongestGap(const timeline::Intervals& spans) {
  int64_t most = 0, end = spans[0].end, longest = spans[0].end - spans[0].start;
  for (size_t i = 1; i < spans.size(); ++i) {
    longest = std::max(longest, spans[i].end - spans[i].start);
    const int64_t gap = spans[i].start - end;
    if (gap > longest) most = std::max(most, gap);
    end = std::max(end, spans[i].end);
  }
  return most;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  Gap most;
  size_t apart = 0, several = 0;
  for (const auto& step : input.views.profile().steps()) {
    const timeline::Intervals spans =
        SpansOf(*input.views.Kept<timeline::Activities>().Of(*step));
    if (spans.size() < 2) continue;
    ++several;
    const int64_t gap = input.views.profile().Micros(LongestGap(spans));
    apart += gap > 0;
    if (gap > most.micros) most = {gap, step->id};
  }
  if (several == 0) return {};
  Finding f;
  f.rule = "device_clocks";
  f.value = static_cast<double>(most.micros);
  if (apart == 0) {
    f.text = fmt::format("devices overlap in {0} of {0} steps with several",
                         several);
  } else {
    f.severity = Severity::kWarning;
    f.evidence = TimelineCommand(most.step);
    f.text = fmt::format(
        "in {} of {} steps, the gap between devices is longer than their work: "
        "{} in "
        "step {}",
        apart, several, tables::FormatMicros(most.micros), most.step);
    f.advice =
        "their clocks differ: compare times within one device only, and do not "
        "read order or idleness across devices";
  }
  return {.findings = {std::move(f)}, .notes = {}};
}

}  // namespace health_device_clocks
}  // namespace

const Checker kDeviceClocksChecker = {"DeviceClocksChecker",
                                      "Whether devices have one clock.",
                                      Checker::Kind::kHealth,
                                      health_device_clocks::kRules,
                                      {},
                                      health_device_clocks::Check};

}  // namespace tfprof::advisor

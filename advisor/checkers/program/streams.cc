// Finds a side stream that never works beside the main stream of its
// accelerator: each waits for the other, so nothing is won by the second
// stream.
//
// The main stream of a device is the one that computes most. If several other
// streams compute, the runtime divides the work among them, and no stream is a
// side stream. Copies and communication on other streams are judged by their
// own checkers.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace streams {

constexpr Rule kRules[] = {
    {"serial_streams",
     "A side stream works for more than the threshold of the time of an "
     "accelerator, again and again, and the main stream never works beside "
     "it.",
     "share of the device's time", "serial_streams"},
};
constexpr CheckerOption kOptions[] = {
    {"serial_streams", 0.1, "share", "Less is not reported."},
    {"overlap", 0.05, "share",
     "A stream that works beside the main one for more of its time is not "
     "reported."},
    {"min_times", 5, "count",
     "A stream for which the main one waited fewer times is not reported."},
};

// A stream with less than this part of the work of the main one is none.
constexpr int64_t kLeast = 20;

// The number of the stream on which a run computes; negative if there is none.
int64_t StreamOf(const DeviceCheck& check, const timeline::DeviceRun& run) {
  if (run.kind != timeline::RunKind::kCompute || run.length() <= 0) return -1;
  return check.profile().lanes()[run.lane].stream;
}

// The operations of a stream.
TimeSums OpsOf(const DeviceCheck& check, const timeline::DeviceActivity& device,
               int64_t number) {
  TimeSums ops;
  for (const timeline::DeviceRun& run : device.runs) {
    if (StreamOf(check, run) == number) {
      ops.Add(check.activities.Op(run), run.length());
    }
  }
  return ops;
}

// How often the main stream stops for a side stream: the pieces of side work
// with work of the main stream between them.
int64_t CountTurns(const timeline::Intervals& side,
                   const timeline::Intervals& main) {
  int64_t turns = 0;
  size_t m = 0, before = 0;
  for (const timeline::Interval& piece : side) {
    while (m < main.size() && main[m].start < piece.start) ++m;
    turns += m > before;
    before = m;
  }
  return turns;
}

void CheckDevice(const DeviceCheck& check,
                 const timeline::DeviceActivity& device,
                 const CheckerSettings& settings, CheckResult& result) {
  std::map<int64_t, timeline::Intervals> streams;  // when each was busy
  for (const timeline::DeviceRun& run : device.runs) {
    const int64_t number = StreamOf(check, run);
    if (number < 0) continue;
    timeline::AddInterval(streams[number], run.start, run.end);
  }
  const auto main = std::ranges::max_element(
      streams, {},
      [](const auto& stream) { return timeline::Length(stream.second); });
  if (main == streams.end()) return;
  const int64_t least = timeline::Length(main->second) / kLeast;
  std::erase_if(streams, [&](const auto& stream) {
    return timeline::Length(stream.second) < least;
  });
  if (streams.size() != 2) return;
  const int64_t span = timeline::Length(device.window);
  for (const auto& [number, stream] : streams) {
    if (number == main->first) continue;
    const int64_t busy = timeline::Length(stream);
    const int64_t beside =
        timeline::Length(timeline::Intersect(stream, main->second));
    const int64_t turns = CountTurns(stream, main->second);
    Finding f = ShareFinding(
        check, kRules[0].id, check.Name(device.unit), busy - beside, span,
        settings.Get("serial_streams"),
        check.InSteps(device, timeline::Subtract(stream, main->second)));
    if (f.value <= f.threshold ||
        static_cast<double>(beside) >
            settings.Get("overlap") * static_cast<double>(busy) ||
        static_cast<double>(turns) < settings.Get("min_times")) {
      continue;
    }
    f.severity = Finding::Severity::kWarning;
    f.evidence = "timeline";
    f.advice =
        "Start the side stream earlier, so that it works beside the main "
        "stream, and wait for it only where its result is used; if they "
        "depend on each other, one stream is enough.";
    f.text = fmt::format(
        "{}: stream {} works for {} of the time ({} of {}), and stream {} "
        "waits for it each time ({} times) instead of working beside it: {}",
        f.subject, number, util::Percent(busy, span), check.Time(busy),
        check.Time(span), main->first, tables::FormatCount(turns),
        OpsOf(check, device, number).Times(check));
    result.findings.push_back(std::move(f));
  }
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return EachAccelerator(OpenDevices(input), settings, CheckDevice);
}

}  // namespace streams
}  // namespace

const Checker kStreamChecker = {
    "StreamChecker",
    "Whether the streams of an accelerator wait for each other.",
    Checker::Kind::kAdvice,
    streams::kRules,
    streams::kOptions,
    streams::Check,
    Checker::Needs::kAccelerators};

}  // namespace tfprof::advisor

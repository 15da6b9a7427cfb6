#include "loaders/chrome_json/kineto/host/steps.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "profile/steps/step.h"
#include "util/text/decimal.h"

namespace tfprof::kineto {
namespace {

constexpr std::string_view kPrefix = "ProfilerStep#";

double Millis(int64_t nanos) {
  constexpr double kNanosPerMilli = 1e6;
  return static_cast<double>(nanos) / kNanosPerMilli;
}

// The annotations that are steps of an engine. If some names are detailed, the
// others are parts of these steps.
std::vector<KinetoStep> FindEngineSteps(const KinetoEvents& events,
                                        const profile::StringPool& strings) {
  std::vector<KinetoStep> steps;
  bool detailed = false;
  for (uint32_t e = 0; e < events.host.size(); ++e) {
    const HostEvent& event = events.host[e];
    if (event.category != KinetoCategory::kRange) continue;
    const std::optional<EngineStep> engine =
        ReadEngineStep(strings.Get(event.name));
    if (!engine) continue;
    detailed |= engine->detailed;
    steps.push_back({.start = event.start,
                     .end = event.end(),
                     .host = e,
                     .engine = *engine});
  }
  if (detailed) {
    std::erase_if(steps,
                  [](const KinetoStep& step) { return !step.engine.detailed; });
  }
  return steps;
}

std::vector<KinetoStep> FindProfilerSteps(const KinetoEvents& events,
                                          const profile::StringPool& strings) {
  std::vector<KinetoStep> steps;
  for (uint32_t e = 0; e < events.host.size(); ++e) {
    const HostEvent& event = events.host[e];
    if (!event.is_range) continue;
    const int64_t number = StepNumber(strings.Get(event.name));
    if (number < 0) continue;
    steps.push_back({.start = event.start,
                     .end = event.end(),
                     .number = number,
                     .host = e});
  }
  return steps;
}

// Steps that follow each other may overlap by what their times are rounded to.
// What begins with the next step is its work. `steps` are in the order of their
// starts.
void EndBeforeTheNext(std::vector<KinetoStep>& steps) {
  constexpr int64_t kRounding = 1000;  // ns: times may be whole microseconds
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    const int64_t next = steps[i + 1].start;
    if (steps[i].start < next && steps[i].end > next &&
        steps[i].end - next <= kRounding && steps[i].end < steps[i + 1].end) {
      steps[i].end = next;
    }
  }
}

}  // namespace

int64_t StepNumber(std::string_view name) {
  if (!name.starts_with(kPrefix)) return -1;
  name.remove_prefix(kPrefix.size());
  if (name.find_first_not_of("0123456789") != name.npos) return -1;
  return util::ParseDecimal(name).value_or(-1);
}

std::string_view StepRow(std::string_view name) {
  if (StepNumber(name) >= 0) return "ProfilerStep*";
  const std::optional<EngineStep> engine = ReadEngineStep(name);
  if (!engine) return "";
  switch (engine->phase) {
    case profile::Phase::kPrefill:
      return "prefill step";
    case profile::Phase::kDecode:
      return "decode step";
    case profile::Phase::kMixed:
      return "mixed step";
    case profile::Phase::kNone:
      break;
  }
  return "engine step";
}

KinetoSteps::KinetoSteps(std::vector<KinetoStep> rows, bool of_engine)
    : rows_(std::move(rows)), of_engine_(of_engine) {
  int64_t latest = std::numeric_limits<int64_t>::min();
  latest_end_.reserve(rows_.size());
  for (const KinetoStep& step : rows_) {
    latest = std::max(latest, step.end);
    latest_end_.push_back(latest);
  }
}

size_t KinetoSteps::Around(int64_t start, int64_t end) const {
  // Where the latest end reaches `end` for the first time, it is the end of
  // that row.
  const auto first =
      std::lower_bound(latest_end_.begin(), latest_end_.end(), end);
  if (first == latest_end_.end()) return kNowhere;
  const auto row = static_cast<size_t>(first - latest_end_.begin());
  return rows_[row].start <= start ? row : kNowhere;
}

int64_t KinetoSteps::At(int64_t time) const {
  if (time < std::numeric_limits<int64_t>::max()) {
    const size_t row = Around(time, time + 1);
    if (row != kNowhere) return rows_[row].number;
  }
  const auto after = std::partition_point(
      rows_.begin(), rows_.end(),
      [&](const KinetoStep& step) { return step.start <= time; });
  if (after == rows_.begin()) return profile::kOutsideSteps;
  const KinetoStep& last = *(after - 1);
  return last.start == time && last.end == time ? last.number
                                                : profile::kOutsideSteps;
}

KinetoSteps FindSteps(const KinetoEvents& events,
                      const profile::StringPool& strings) {
  const auto by_start = [](const KinetoStep& a, const KinetoStep& b) {
    return a.start < b.start;
  };
  std::vector<KinetoStep> steps = FindEngineSteps(events, strings);
  const bool of_engine = !steps.empty();
  if (!of_engine) steps = FindProfilerSteps(events, strings);
  std::stable_sort(steps.begin(), steps.end(), by_start);
  for (size_t i = 0; i < steps.size() && of_engine; ++i) {
    steps[i].number = static_cast<int64_t>(i);
  }
  for (KinetoStep& step : steps) {
    const int64_t until = events.recorded_until.value_or(step.end);
    if (until > step.start) step.end = std::min(step.end, until);
  }
  EndBeforeTheNext(steps);
  return KinetoSteps(std::move(steps), of_engine);
}

KinetoSteps WithoutCutSteps(const KinetoEvents& events, KinetoSteps steps,
                            loaders::ImportLog& log) {
  if (!events.cut) return steps;
  absl::flat_hash_set<int64_t> with_work;
  for (const DeviceEvent& event : events.device) {
    if (event.correlation != 0) with_work.insert(event.correlation);
  }
  int64_t last = std::numeric_limits<int64_t>::min();
  for (const HostEvent& event : events.host) {
    if (with_work.contains(event.correlation)) {
      last = std::max(last, event.start);
    }
  }
  std::vector<KinetoStep> whole = steps.rows();
  std::erase_if(whole,
                [last](const KinetoStep& step) { return step.end > last; });
  const size_t cut = steps.rows().size() - whole.size();
  if (whole.empty() || cut == 0) return steps;
  log.Add(loaders::ImportLog::kDamage, "step without all of its work",
          fmt::format("{}: {} of {} steps {} left out: they end after the last "
                      "work of devices in the file, which was cut",
                      events.file->path(), cut, steps.rows().size(),
                      cut == 1 ? "is" : "are"));
  return KinetoSteps(std::move(whole), steps.of_engine());
}

std::string CutStepText(const KinetoStep& step, int64_t nanos) {
  return fmt::format(
      "step {} takes {:.3f} ms, but its recording ends after {:.3f} ms: only "
      "this part counts",
      step.number, Millis(nanos), Millis(step.end - step.start));
}

void LogCutSteps(const KinetoEvents& events, const KinetoSteps& steps,
                 loaders::ImportLog& log) {
  for (const KinetoStep& step : steps.rows()) {
    const int64_t nanos = events.host[step.host].duration;
    if (step.end != events.recorded_until || step.end - step.start == nanos) {
      continue;
    }
    log.Add(
        loaders::ImportLog::kNotice, "step that goes on after the recording",
        fmt::format("{}: {}", events.file->path(), CutStepText(step, nanos)));
  }
}

}  // namespace tfprof::kineto

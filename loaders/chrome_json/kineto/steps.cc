#include "loaders/chrome_json/kineto/steps.h"

#include <algorithm>

#include "profile/steps/step.h"
#include "util/text/decimal.h"

namespace tfprof::kineto {
namespace {

constexpr std::string_view kPrefix = "ProfilerStep#";

}  // namespace

int64_t StepNumber(std::string_view name) {
  if (!name.starts_with(kPrefix)) return -1;
  name.remove_prefix(kPrefix.size());
  if (name.find_first_not_of("0123456789") != name.npos) return -1;
  return util::ParseDecimal(name).value_or(-1);
}

std::vector<KinetoStep> FindSteps(const KinetoEvents& events,
                                  const profile::StringPool& strings) {
  std::vector<KinetoStep> steps;
  for (const HostEvent& event : events.host) {
    if (!event.is_range) continue;
    const int64_t number = StepNumber(strings.Get(event.name));
    if (number >= 0) steps.push_back({event.start, event.end(), number});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const KinetoStep& a, const KinetoStep& b) {
                     return a.start < b.start;
                   });
  return steps;
}

int64_t StepAt(const std::vector<KinetoStep>& steps, int64_t time) {
  auto after = std::partition_point(
      steps.begin(), steps.end(),
      [&](const KinetoStep& step) { return step.start <= time; });
  if (after == steps.begin()) return profile::kOutsideSteps;
  --after;
  return time < after->end || time == after->start ? after->number
                                                   : profile::kOutsideSteps;
}

}  // namespace tfprof::kineto

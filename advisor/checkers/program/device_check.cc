#include "advisor/checkers/program/device_check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "profile/steps/time_column.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof::advisor {

int64_t DeviceCheck::Ticks(double micros) const {
  return util::ToInteger(micros * static_cast<double>(ticks_per_micro));
}

std::string DeviceCheck::Time(int64_t ticks) const {
  return tables::FormatTime(ticks, ticks_per_micro);
}

int64_t DeviceCheck::MicrosPerStep(int64_t ticks) const {
  return profile::TicksToMicros(ticks, ticks_per_micro) / steps;
}

DeviceCheck OpenDevices(const CheckerInput& input) {
  const profile::Profile& profile = input.views.profile();
  timeline::Activities& activities = input.views.Kept<timeline::Activities>();
  int64_t steps = 0;
  for (const auto& step : profile.steps()) steps += step->listed;
  return {activities, activities.Everything(), profile.ticks_per_micro(),
          std::max<int64_t>(steps, 1)};
}

bool RecordsSingleOps(const profile::Profile& profile,
                      profile::ProcessId process) {
  const profile::LaneTable& lanes = profile.lanes();
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    if (lanes[id].process == process && !lanes[id].calls_nest) return true;
  }
  return false;
}

CheckResult CheckAccelerators(
    const CheckerInput& input, const CheckerSettings& settings,
    void (*check_device)(const DeviceCheck& check,
                         const timeline::DeviceActivity& device,
                         const CheckerSettings& settings,
                         CheckResult& result)) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (!device.accelerator || device.runs.empty() ||
        RecordsSingleOps(check.profile(),
                         check.activities.units()[device.unit].process)) {
      continue;
    }
    check_device(check, device, settings, result);
  }
  return result;
}

Finding ShareFinding(const DeviceCheck& check, std::string_view rule,
                     std::string_view subject, int64_t part, int64_t whole,
                     double threshold, int64_t saving) {
  Finding f;
  f.rule = rule;
  f.subject = subject;
  f.value =
      whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  f.threshold = threshold;
  f.severity = f.value >= 0.5 ? Finding::Severity::kCritical
                              : Finding::Severity::kWarning;
  f.saving_micros = check.MicrosPerStep(saving);
  return f;
}

void TimeSums::Add(std::string_view op, int64_t amount) {
  int64_t& sum = sums_[op];
  sum = util::WrapAdd(sum, amount);
}

template <typename Format>
std::string TimeSums::Largest(Format format) const {
  constexpr size_t kLargest = 3;
  std::vector<std::pair<std::string_view, int64_t>> all(sums_.begin(),
                                                        sums_.end());
  const size_t shown = std::min(kLargest, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(shown),
                    all.end(), [](const auto& a, const auto& b) {
                      return a.second != b.second ? a.second > b.second
                                                  : a.first < b.first;
                    });
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    text += all[i].first;
    text += ' ';
    text += format(all[i].second);
  }
  return text;
}

std::string TimeSums::Times(const DeviceCheck& check) const {
  return Largest([&](int64_t ticks) { return check.Time(ticks); });
}

std::string TimeSums::Counts() const { return Largest(tables::FormatCount); }

}  // namespace tfprof::advisor

#include "advisor/checkers/trace_check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "profile/time_column.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof {

int64_t TraceCheck::Ticks(double micros) const {
  return ToInteger(micros * static_cast<double>(ticks_per_micro));
}

std::string TraceCheck::Time(int64_t ticks) const {
  return FormatTime(ticks, ticks_per_micro);
}

int64_t TraceCheck::MicrosPerStep(int64_t ticks) const {
  return TicksToMicros(ticks, ticks_per_micro) / steps;
}

std::optional<TraceCheck> OpenTrace(const CheckerInput& input) {
  const Profile& profile = input.views.profile();
  if (!IsTrace(profile)) return std::nullopt;
  TraceActivities& traces = input.views.Kept<TraceActivities>();
  int64_t steps = 0;
  for (const auto& step : profile.steps()) steps += step->listed;
  return TraceCheck{traces, traces.Everything(), profile.ticks_per_micro(),
                    std::max<int64_t>(steps, 1)};
}

std::optional<TraceCheck> OpenAcceleratorTrace(const CheckerInput& input) {
  std::optional<TraceCheck> check = OpenTrace(input);
  if (check && check->activity->accelerators.empty()) return std::nullopt;
  return check;
}

CheckResult CheckAccelerators(
    const CheckerInput& input, const CheckerSettings& settings,
    void (*check_device)(const TraceCheck& check,
                         const AcceleratorActivity& device,
                         const CheckerSettings& settings,
                         CheckResult& result)) {
  CheckResult result;
  const auto check = OpenAcceleratorTrace(input);
  if (!check) return result;
  for (const AcceleratorActivity& device : check->activity->accelerators) {
    check_device(*check, device, settings, result);
  }
  return result;
}

Finding ShareFinding(const TraceCheck& check, std::string_view rule,
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

void TraceSums::Add(std::string_view op, int64_t amount) {
  int64_t& sum = sums_[op];
  sum = WrapAdd(sum, amount);
}

template <typename Format>
std::string TraceSums::Largest(Format format) const {
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

std::string TraceSums::Times(const TraceCheck& check) const {
  return Largest([&](int64_t ticks) { return check.Time(ticks); });
}

std::string TraceSums::Counts() const { return Largest(FormatCount); }

}  // namespace tfprof

#include "loaders/xplane/steps.h"

#include <algorithm>

#include "profile/steps/step.h"

namespace tfprof::xplane {

StepMap::StepMap(const std::vector<StepSpan>& spans) {
  std::vector<const StepSpan*> sorted;
  for (const StepSpan& span : spans) sorted.push_back(&span);
  std::stable_sort(
      sorted.begin(), sorted.end(), [](const StepSpan* a, const StepSpan* b) {
        return a->start != b->start ? a->start < b->start : a->end > b->end;
      });
  std::vector<const StepSpan*> open;
  // Closes the spans that end at or before `time`.
  const auto close = [&](int64_t time) {
    while (!open.empty() && open.back()->end <= time) {
      const int64_t end = open.back()->end;
      // Spans that began earlier and have ended by then never become current
      // again.
      while (!open.empty() && open.back()->end <= end) open.pop_back();
      changes_.push_back(
          {end, open.empty() ? profile::kOutsideSteps : open.back()->step});
    }
  };
  for (const StepSpan* span : sorted) {
    close(span->start);
    open.push_back(span);
    changes_.push_back({span->start, span->step});
  }
  if (!open.empty()) {
    int64_t last = open.back()->end;
    for (const StepSpan* span : open) last = std::max(last, span->end);
    close(last);
  }
}

int64_t StepMap::At(int64_t time) const {
  size_t hint = 0;
  return Search(time, hint);
}

int64_t StepMap::Search(int64_t time, size_t& hint) const {
  if (changes_.empty()) return 0;
  const auto after = std::upper_bound(
      changes_.begin(), changes_.end(), time,
      [](int64_t t, const auto& change) { return t < change.first; });
  if (after == changes_.begin()) return profile::kOutsideSteps;
  hint = static_cast<size_t>(after - 1 - changes_.begin());
  return changes_[hint].second;
}

}  // namespace tfprof::xplane

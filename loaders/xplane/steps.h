// StepMap: finds the step of a file at a given time.
//
// Steps are intervals that the program named: events with a step_num, or a line
// "Steps" of a device. They may nest or overlap; a time is in the step that
// began last and has not ended. Making the map takes O(n log n), a lookup O(log
// n). Times have the unit of the spans.

#ifndef TFPROF_LOADERS_XPLANE_STEPS_H_
#define TFPROF_LOADERS_XPLANE_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tfprof::xplane {

struct StepSpan {
  int64_t step = 0;
  int64_t start = 0;
  int64_t end = 0;
  std::string_view name = {};  // of the event
  std::optional<int64_t> group = {};
};

class StepMap {
 public:
  StepMap() = default;
  explicit StepMap(const std::vector<StepSpan>& spans);

  // Returns the step at `time`, or kOutsideSteps. Without any span, everything
  // is in step 0.
  int64_t At(int64_t time) const;
  // The same for mostly ascending times. The caller keeps `hint`, initially 0.
  int64_t At(int64_t time, size_t& hint) const {
    if (hint + 1 < changes_.size() && changes_[hint].first <= time &&
        time < changes_[hint + 1].first) {
      return changes_[hint].second;
    }
    return Search(time, hint);
  }

  bool empty() const { return changes_.empty(); }

 private:
  int64_t Search(int64_t time, size_t& hint) const;

  // (time, step): from this time on, this step or none is the current one.
  std::vector<std::pair<int64_t, int64_t>> changes_;
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_STEPS_H_

// FileSteps: the steps of a file, and the step of each event.
//
// The steps are the ranges of host threads that have a step_num. Without such
// ranges, they are the events of the lines "Steps", whose names are numbers. A
// step may have a group (the stat group_id): all events of the group are in the
// step, whenever they start. A launch is in the step in which the call around
// it began: another thread may still launch the work of a step that the host
// has left.

#ifndef TFPROF_LOADERS_XPLANE_FILE_STEPS_H_
#define TFPROF_LOADERS_XPLANE_FILE_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/core/import_log.h"
#include "loaders/nodes/device_steps.h"
#include "loaders/xplane/lines/file_line.h"
#include "loaders/xplane/steps.h"
#include "profile/steps/step.h"
#include "profile/tables/string_pool.h"

namespace tfprof::xplane {

class FileSteps {
 public:
  FileSteps() = default;
  // The events of the lines must be read. Steps with negative numbers are
  // logged and skipped.
  FileSteps(std::span<const FileLine> lines, loaders::ImportLog& log);

  // In the order of their starts.
  const std::vector<StepSpan>& spans() const { return spans_; }
  // They are the ranges of host threads.
  bool of_host() const { return of_host_; }
  // Returns the step at `time`, or kOutsideSteps; see StepMap.
  int64_t At(int64_t time) const { return StepOf(rows_.At(time)); }
  int64_t At(int64_t time, size_t& hint) const {
    return StepOf(rows_.At(time, hint));
  }
  // The same for work of a device that no step launched: evaluation between the
  // steps runs in the time of the step before.
  int64_t AtDevice(int64_t time, size_t& hint) const {
    return devices_behind_ ? StepOf(device_rows_.At(time, hint))
                           : At(time, hint);
  }
  // Sets when the devices ran each of spans(), if they are behind the host.
  void SetDeviceTimes(std::span<const loaders::StepTime> times);
  bool devices_behind() const { return devices_behind_; }
  // For each launch of a host's line (LineEvents::correlations), the number of
  // its step in spans(), or kNone.
  std::vector<uint32_t> RowsOfLaunches(const FileLine& line) const;
  // The step of such a launch; the line has its FileLine::launch_rows.
  int64_t StepOfLaunch(const FileLine& line, size_t launch) const {
    const uint32_t row = line.launch_rows[launch];
    return row != profile::kNone ? spans_[row].step
           : spans_.empty()      ? 0
                                 : profile::kOutsideSteps;
  }
  // Sets the step of a group; returns false if the group has none.
  bool OfGroup(int64_t group, int64_t& step) const {
    const uint32_t row = RowOfGroup(group);
    if (row != profile::kNone) step = spans_[row].step;
    return row != profile::kNone;
  }
  // Returns the number of the group's step in spans(), or kNone.
  uint32_t RowOfGroup(int64_t group) const {
    const auto it = row_of_group_.find(group);
    return it == row_of_group_.end() ? profile::kNone : it->second;
  }

 private:
  void Add(const FileLine& line, uint32_t event, int64_t step);

  // Without spans, all is in step 0.
  int64_t StepOf(int64_t row) const {
    if (row == profile::kOutsideSteps || spans_.empty()) return row;
    return spans_[static_cast<size_t>(row)].step;
  }

  std::vector<StepSpan> spans_;
  StepMap rows_;  // a step is the number of its span
  StepMap device_rows_;
  bool of_host_ = false;
  bool devices_behind_ = false;
  absl::flat_hash_map<int64_t, uint32_t> row_of_group_;
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_FILE_STEPS_H_

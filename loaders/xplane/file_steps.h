// FileSteps: the steps of a file, and the step of each event.
//
// The steps are the ranges of host threads that have a step_num. Without such
// ranges, they are the events of the lines "Steps", whose names are numbers. A
// step may have a group (the stat group_id): all events of the group are in the
// step, whenever they start.

#ifndef TFPROF_LOADERS_XPLANE_FILE_STEPS_H_
#define TFPROF_LOADERS_XPLANE_FILE_STEPS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/core/import_log.h"
#include "loaders/xplane/lines/file_line.h"
#include "loaders/xplane/steps.h"

namespace tfprof::xplane {

class FileSteps {
 public:
  FileSteps() = default;
  // The events of the lines must be read. Steps with negative numbers are
  // logged and skipped.
  FileSteps(std::span<const FileLine> lines, loaders::ImportLog& log);

  const std::vector<StepSpan>& spans() const { return spans_; }
  const StepMap& map() const { return map_; }
  // Sets the step of a group; returns false if the group has none.
  bool OfGroup(int64_t group, int64_t& step) const {
    const auto it = step_of_group_.find(group);
    if (it == step_of_group_.end()) return false;
    step = it->second;
    return true;
  }

 private:
  void Add(const FileLine& line, uint32_t event, int64_t step);

  std::vector<StepSpan> spans_;
  StepMap map_;
  absl::flat_hash_map<int64_t, int64_t> step_of_group_;
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_FILE_STEPS_H_

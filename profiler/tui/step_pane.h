// StepPane: the steps that the browser offers: the average, the sum of all, and
// each step with its wall time, as `steps` shows them.

#ifndef TFPROF_PROFILER_TUI_STEP_PANE_H_
#define TFPROF_PROFILER_TUI_STEP_PANE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/commands/workspace.h"
#include "tables/answer.h"

namespace tfprof::tui {

class StepPane {
 public:
  struct Entry {
    int64_t step = 0;   // kAverageOfSteps, kAllSteps, or its number
    std::string label;  // "average", "all", "10"
    std::string wall;   // "23.68ms"; "" if it is not known
    double length = 0;  // the wall time as a share of the longest one
    bool odd = false;   // much longer than a usual step
  };

  StepPane() = default;
  // Runs `steps`.
  explicit StepPane(commands::Workspace& workspace);

  const std::vector<Entry>& entries() const { return entries_; }
  // The title of the wall times, as in `steps`.
  const std::string& title() const { return title_; }
  // The entry of a step; the first one if there is none.
  size_t Find(int64_t step) const;
  // The columns of the labels, and of the wall times.
  size_t label_columns() const { return label_columns_; }
  size_t wall_columns() const { return wall_columns_; }

  // What `steps` says about an entry. The average and the sum have no more than
  // a sentence.
  tables::DataDocument Details(size_t entry) const;

 private:
  tables::Answer answer_;
  std::vector<Entry> entries_;
  std::string title_;
  size_t label_columns_ = 0;
  size_t wall_columns_ = 0;
};

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_STEP_PANE_H_

// Samples: the values of a statistic in each step of a profile, for rows of a
// view.
//
// A step counts for a row if the row ran in it. A profile without steps, or a
// row that never ran, has the average as its only sample, with the parameters
// and float operations of a graph without steps. Units are the units of Stats.

#ifndef TFPROF_COMPARE_SAMPLES_H_
#define TFPROF_COMPARE_SAMPLES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "views/views.h"

namespace tfprof::compare {

// Asks for a statistic of a row of a view (Report::Row::view_row). kNone stands
// for a missing row, which has no samples.
struct SampleQuery {
  uint32_t row = profile::kNone;
  accounting::Stat stat = accounting::kMicros;
};

// For each query, the samples in the order of the steps. With `fold_libraries`,
// the rows are rows of the view with this option.
std::vector<std::vector<double>> SampleView(
    views::View view, views::Views& views, std::span<const SampleQuery> queries,
    bool fold_libraries = false);

// The same for nodes: `row` is the NodeId.
std::vector<std::vector<double>> SampleNodes(
    views::Views& views, std::span<const SampleQuery> queries);

// The sum over all nodes.
std::vector<double> SampleTotal(views::Views& views, accounting::Stat stat);

// The wall time of each step that has one (timeline/account/step_wall.h).
std::vector<double> SampleWalls(views::Views& views);

// The time from the start of a step to the start of the next one, for steps
// whose numbers follow each other, in the process that recorded the most of
// them. Empty if no process recorded intervals of steps.
std::vector<double> SamplePeriods(views::Views& views);

// The highest level of memory in each step that has a wall time: of the
// allocator that used the most. Empty if no level was recorded.
std::vector<double> SampleMemory(views::Views& views);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_SAMPLES_H_

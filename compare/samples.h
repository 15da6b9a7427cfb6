// Samples: a statistic of rows of a view, in each step of a profile.
//
// A step counts for a row if the row ran in it. A profile without steps, or a
// row that never ran, has one sample, which is that of the average: it has the
// parameters and float operations of a graph without steps. Units are those of
// Stats.

#ifndef TFPROF_COMPARE_SAMPLES_H_
#define TFPROF_COMPARE_SAMPLES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "views/views.h"

namespace tfprof {

// Asks for a statistic of a row of a view (Report::Row::view_row). kNone: no
// row, so there are no samples.
struct SampleQuery {
  uint32_t row = kNone;
  Stat stat = kMicros;
};

// For each query, the samples in the order of the steps.
// `fold_libraries`: the rows are those of the view with this option.
std::vector<std::vector<double>> SampleView(
    View view, Views& views, std::span<const SampleQuery> queries,
    bool fold_libraries = false);

// The same for nodes: `row` is the NodeId.
std::vector<std::vector<double>> SampleNodes(
    Views& views, std::span<const SampleQuery> queries);

// The sum over all nodes.
std::vector<double> SampleTotal(Views& views, Stat stat);

// For each step with times, the time from the first start to the last end.
std::vector<double> SampleSpans(const Profile& profile);

}  // namespace tfprof

#endif  // TFPROF_COMPARE_SAMPLES_H_

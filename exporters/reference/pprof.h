// The code view as a profile for pprof (github.com/google/pprof).
//
// A sample is a graph node under a shown row that has no shown rows below it;
// its stack is the callers of that row, its values are [1, the selected
// statistic]. As in the reference (spec 12), nodes on rows with callees are
// left out, the caller of a frame gives its location, and nodes of hidden rows
// count for the shown row above.
//
// Units: microseconds, bytes or counts, as declared in the profile. Errors:
// InvalidArgument for a field that is not a number, ResourceExhausted beyond
// the 2 GiB limit of a protobuf message.

#ifndef TFPROF_EXPORTERS_REFERENCE_PPROF_H_
#define TFPROF_EXPORTERS_REFERENCE_PPROF_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accounting/node_stats.h"
#include "views/report.h"

namespace tfprof::exporters {

// Whether a pprof profile can show `field`.
bool PprofSupports(views::Field field);

// A serialized Profile message, not compressed. `report` must be a code view
// report; `node_stats` are the statistics of all nodes at the report's step
// (ViewContext::NodeStats).
absl::StatusOr<std::string> EncodePprof(
    const views::Report& report, views::Field field,
    const accounting::StatsTable& node_stats);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_PPROF_H_

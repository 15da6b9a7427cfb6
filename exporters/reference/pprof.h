// The code view as a profile for pprof (github.com/google/pprof).
//
// A sample is a graph node under a shown row that has no shown rows below it;
// its stack are the callers of that row, its values [1, the selected
// statistic]. As in the reference (spec 12), nodes on rows that have callees
// are not in it, the caller of a frame gives its location, and nodes of hidden
// rows count for the shown row above.
//
// Units: microseconds, bytes or numbers, as the profile says. Errors:
// InvalidArgument for a field that is not a number, ResourceExhausted beyond
// the 2 GiB that a protobuf message may have.

#ifndef TFPROF_EXPORTERS_REFERENCE_PPROF_H_
#define TFPROF_EXPORTERS_REFERENCE_PPROF_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accounting/node_stats.h"
#include "views/report.h"

namespace tfprof {

// Whether `field` is one of those that a pprof profile can show.
bool PprofSupports(Field field);

// A serialized Profile message, not compressed. `report` is one of the code
// view; `node_stats` are the statistics of all nodes at the report's step
// (ViewContext::NodeStats).
absl::StatusOr<std::string> EncodePprof(const Report& report, Field field,
                                        const StatsTable& node_stats);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_REFERENCE_PPROF_H_

// Any view as a profile for pprof (github.com/google/pprof), without the
// reference's limits: every accounted node is a sample, even on a row that has
// shown rows below it, and several statistics can be in one file.
//
//   code          frames are the shown rows, a frame's line is its own
//   scope, graph  frames are the shown rows, the innermost is mostly the node
//   op            the node, called by its operation type
//
// A node counts for its own row if that is shown, else for the nearest shown
// row above it. A node without such a row is not in the file. Values are [1,
// each statistic]; labels are the node, its op and its device. pprof shows the
// first statistic by default. Strings are valid UTF-8 even if names are not,
// ids count up from 1, and all locations are in one mapping that is marked as
// symbolized. For a single step, time and duration cover its executions.
//
// Units: microseconds, bytes or counts, as declared in the file; nanoseconds
// since the epoch for the time. Errors: InvalidArgument if a field is not a
// number or none is given, ResourceExhausted beyond the 2 GiB of a protobuf
// message.

#ifndef TFPROF_EXPORTERS_FORMATS_PPROF_FULL_H_
#define TFPROF_EXPORTERS_FORMATS_PPROF_FULL_H_

#include <string>

#include "absl/status/statusor.h"
#include "util/run/cancellation.h"
#include "views/report.h"

namespace tfprof::exporters {

// Whether `field` is a number.
bool FullPprofSupports(views::Field field);

struct FullPprof {
  std::string message;       // a serialized Profile, not compressed
  std::string default_type;  // "micros"
};

absl::StatusOr<FullPprof> EncodeFullPprof(
    const views::Report& report, views::FieldSet fields,
    const util::Cancellation* cancellation = nullptr);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_PPROF_FULL_H_

// Turns the pickle of a flight recorder's dump into JSON, so that one reader
// reads both forms of a dump.
//
// The pickle is read, never run (loaders/core/pickle_values.h). Most of a dump
// is the Python stacks of its entries. A stack becomes one text,
// "FILE:LINE:FUNCTION": its innermost frame outside of installed packages; ""
// if it has none. Floats and bytes become null.
//
// Errors: InvalidArgument with the byte, also if the dump nests deeper than 32
// levels, or if its JSON would be much larger than the file; Cancelled.

#ifndef TFPROF_LOADERS_FLIGHT_RECORDER_DUMP_PICKLE_H_
#define TFPROF_LOADERS_FLIGHT_RECORDER_DUMP_PICKLE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "util/run/task_options.h"

namespace tfprof::flight_recorder {

// Returns the place of a frame in the user's code, "FILE:LINE:FUNCTION", or ""
// if the file belongs to an installed package.
std::string UserLine(std::string_view file, int64_t line,
                     std::string_view function);

absl::StatusOr<std::string> DumpAsJson(std::string_view pickle,
                                       const util::TaskOptions& work);

}  // namespace tfprof::flight_recorder

#endif  // TFPROF_LOADERS_FLIGHT_RECORDER_DUMP_PICKLE_H_

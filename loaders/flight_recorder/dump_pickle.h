// Turns the pickle of a flight recorder's dump into JSON, so that one reader
// reads both forms of a dump.
//
// The pickle is read, never run (loaders/core/pickle_values.h). Most of a dump
// is the Python stacks of its entries. A stack becomes one text,
// "FILE:LINE:FUNCTION": its innermost frame outside of installed packages; ""
// if it has none. Floats and bytes become null.
//
// Errors: InvalidArgument with the byte, if nothing before the damage is
// complete, if the dump nests deeper than 32 levels, or if its JSON would be
// much larger than the file; Cancelled.

#ifndef TFPROF_LOADERS_FLIGHT_RECORDER_DUMP_PICKLE_H_
#define TFPROF_LOADERS_FLIGHT_RECORDER_DUMP_PICKLE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/core/byte_notes.h"
#include "util/run/task_options.h"

namespace tfprof::flight_recorder {

// Returns the place of a frame in the user's code, "FILE:LINE:FUNCTION", or ""
// if the file belongs to an installed package.
std::string UserLine(std::string_view file, int64_t line,
                     std::string_view function);

// The keys of a dump that are read.
extern const std::span<const std::string_view> kUsedKeys;

// For an account of a pickle: its notes, and where it has the entries and
// groups, in their order.
struct DumpBytes {
  using Place = std::pair<size_t, size_t>;
  loaders::ByteNotes& notes;
  std::vector<Place> entries = {}, groups = {};
};

// A damaged pickle gives the complete entries before the damage, and its error
// in `damage`. `bytes` may be null.
absl::StatusOr<std::string> DumpAsJson(std::string_view pickle,
                                       const util::TaskOptions& work,
                                       absl::Status& damage,
                                       DumpBytes* bytes = nullptr);

}  // namespace tfprof::flight_recorder

#endif  // TFPROF_LOADERS_FLIGHT_RECORDER_DUMP_PICKLE_H_

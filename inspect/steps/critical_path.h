// The critical path of a step as tables: by kind, by operation, its segments,
// and the length of the step if operations were faster. Definitions are in
// timeline/critical_path.h. Microseconds.

#ifndef TFPROF_INSPECT_STEPS_CRITICAL_PATH_H_
#define TFPROF_INSPECT_STEPS_CRITICAL_PATH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// A hypothetical speed-up of operations.
struct WhatIf {
  std::string pattern;  // matches the whole type or name of an operation
  double speed_up = 1;  // 2: it takes half its time
};

// Parses "MatMul=2x" or "conv.*=1.5". Errors are InvalidArgument.
absl::StatusOr<WhatIf> ParseWhatIf(std::string_view word);
std::string FormatWhatIf(const WhatIf& what_if);

// `step` is a step, or negative for a typical one
// (timeline/account/step_wall.h). The table what_if shows the step with all of
// `what_if`, and with each of them alone. `max_rows` limits each table; 0: all.
// `rest` is the command that shows all rows. FailedPrecondition: no execution
// of the step has a start.
absl::StatusOr<tables::DataDocument> CriticalPathDocument(
    views::Views& views, int64_t step, std::span<const WhatIf> what_if,
    size_t max_rows, std::string_view rest);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_CRITICAL_PATH_H_

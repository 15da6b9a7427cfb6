// The critical path of a step as tables: by kind, by operation, its segments,
// and what the step would take if operations were faster. Definitions are in
// timeline/critical_path.h. Microseconds.

#ifndef TFPROF_INSPECT_CRITICAL_PATH_H_
#define TFPROF_INSPECT_CRITICAL_PATH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// Operations that are faster than they were.
struct WhatIf {
  std::string pattern;  // of the type or the name of an operation, all of it
  double speed_up = 1;  // 2: it takes half of its time
};

// "MatMul=2x", "conv.*=1.5". An error says what is wrong.
absl::StatusOr<WhatIf> ParseWhatIf(std::string_view word);
std::string FormatWhatIf(const WhatIf& what_if);

// `step`: a step, or below 0 for a typical one (timeline/step_wall.h). The step
// with all of `what_if`, and with each of them alone. `max_rows`: of a table;
// 0: all. `rest`: the command that shows all rows. FailedPrecondition: no
// execution of the step has a start.
absl::StatusOr<DataDocument> CriticalPathDocument(
    Views& views, int64_t step, std::span<const WhatIf> what_if,
    size_t max_rows, std::string_view rest);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_CRITICAL_PATH_H_

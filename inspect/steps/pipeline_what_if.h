// What a pipeline-parallel job would take without its stragglers: the tables of
// the command `what_if`. timeline/ranks/pipeline_what_if.h defines the figures.

#ifndef TFPROF_INSPECT_STEPS_PIPELINE_WHAT_IF_H_
#define TFPROF_INSPECT_STEPS_PIPELINE_WHAT_IF_H_

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// Returns the facts S, L, step_micros, ideal_step_micros, M_W and M_S, and the
// tables "types", "dp_ranks", "stages", "workers" and "steps". Parts are in
// descending slowdown, steps in the order of time. An error says which facts
// the profile lacks.
absl::StatusOr<tables::DataDocument> PipelineWhatIfDocument(
    views::Views& views);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_PIPELINE_WHAT_IF_H_

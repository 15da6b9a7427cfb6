// The reports of the reference tfprof, byte for byte.
//
// Formats are those of tensorflow/core/profiler/internal (spec 4.1 to 4.3, 5.3,
// 5.4, 7.3, 7.4, 8.3). Names are written as they are in the profile, because
// scripts and golden files compare this output. The writers in tables/ make
// what a terminal shows.

#ifndef TFPROF_EXPORTERS_REFERENCE_TEXT_H_
#define TFPROF_EXPORTERS_REFERENCE_TEXT_H_

#include <functional>
#include <string>
#include <string_view>

#include "profile/tensor_source.h"
#include "util/sink.h"
#include "util/work.h"
#include "views/report.h"

namespace tfprof {

// The text before a report: the warning if streams are missing, the explanation
// of view and columns, and "Profile:". The reference knows no traces; theirs
// (GraphTables::self_times) is explained in our words.
std::string ReportPrefix(View view, FieldSet select, const GraphTables& graph);

// Writes prefix and report. `tensors` (may be null) are the values for `-select
// tensor_value`; `warn` gets a line without its newline for each value that
// cannot be shown.
void WriteText(const Report& report, const TensorSource* tensors,
               const std::function<void(std::string_view)>& warn, Sink& sink,
               const Work& work = {});

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_REFERENCE_TEXT_H_

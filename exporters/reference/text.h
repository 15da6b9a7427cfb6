// The reports of the reference tfprof, byte for byte.
//
// The formats follow tensorflow/core/profiler/internal (spec 4.1 to 4.3, 5.3,
// 5.4, 7.3, 7.4, 8.3). Names are written unchanged, because scripts and golden
// files compare this output. The writers in tables/ make the output for a
// terminal.

#ifndef TFPROF_EXPORTERS_REFERENCE_TEXT_H_
#define TFPROF_EXPORTERS_REFERENCE_TEXT_H_

#include <functional>
#include <string>
#include <string_view>

#include "profile/tensor_source.h"
#include "util/files/sink.h"
#include "util/run/task_options.h"
#include "views/report.h"

namespace tfprof::exporters {

// The text before a report: the warning if streams are missing, the explanation
// of the view and its columns, and "Profile:". The reference has no traces; for
// them (GraphTables::self_times) the explanation is ours.
std::string ReportPrefix(views::View view, views::FieldSet select,
                         const profile::GraphTables& graph);

// Writes prefix and report. `tensors` (may be null) has the values for `-select
// tensor_value`; `warn` gets one line, without newline, for each value that
// cannot be shown.
void WriteText(const views::Report& report,
               const profile::TensorSource* tensors,
               const std::function<void(std::string_view)>& warn,
               util::Sink& sink, const util::TaskOptions& work = {});

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_TEXT_H_

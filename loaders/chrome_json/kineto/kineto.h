// Loads Kineto traces, which torch.profiler writes (export_chrome_trace).
//
// g3doc/formats/kineto.md defines the meaning of nodes, times, steps and lanes.
// Several files are the ranks of one run: they share nodes, and each is a
// process.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_KINETO_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_KINETO_H_

#include <memory>
#include <span>

#include "absl/status/status.h"
#include "loaders/chrome_json/event_source.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"

namespace tfprof::kineto {

// Returns an error, and adds nothing, if one of the files is not a trace.
absl::Status LoadKineto(
    std::span<const std::shared_ptr<const loaders::InputFile>> files,
    loaders::LoadContext& context);
// The same for traces whose events may come from sources.
absl::Status LoadKinetoEvents(std::span<const chrome_json::TraceInput> inputs,
                              loaders::LoadContext& context);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_KINETO_H_

// Loads chrome traces of any tool (chrome_events.h): VizTracer, py-spy, Node,
// the .trace.json of JAX and TensorFlow, timelines of TensorFlow 1, Horovod.
//
// A node stands for what ran in one place. Its op is the name of the event, and
// its scope the names of the slices around it. Its call stack is the functions
// around it, if names or arguments give their source locations. A function that
// calls itself is one scope. Timelines of TensorFlow 1 name the operation; it
// is then the node, in the scope of its name. The time of a slice excludes the
// slices inside it.
//
// Lanes are threads; chrome_lanes.h decides which of them are devices. Lanes
// that repeat others, and asynchronous operations beside threads, are kept as
// facts and do not count. Instants are executions without a node. Arrows are
// links. Slices with the argument step_num are steps; without any, everything
// is in step 0. Operations of a pipeline (chrome_pipeline.h) are in the step
// that they name.

#ifndef TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_TRACE_H_
#define TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_TRACE_H_

#include <memory>
#include <span>

#include "absl/status/status.h"
#include "loaders/chrome_json/event_source.h"
#include "loaders/core/load_context.h"

namespace tfprof::chrome_json {

inline constexpr int64_t kChromeTicksPerMicro = 1000;  // nanoseconds

// Loads the files; each has its own processes. InvalidArgument if a file has no
// events or belongs to another tool.
absl::Status LoadChromeTraces(
    std::span<const std::shared_ptr<const loaders::InputFile>> files,
    loaders::LoadContext& context);
// The same for traces whose events may come from sources.
absl::Status LoadChromeEvents(std::span<const TraceInput> inputs,
                              loaders::LoadContext& context);

// Returns how well a file fits: 0 or 1, less than any format of a single tool.
int ChromeTraceFit(std::string_view bytes);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_TRACE_H_

// Loads chrome traces of any tool (chrome_events.h): VizTracer, py-spy, Node,
// the .trace.json of JAX and TensorFlow, timelines of TensorFlow 1, Horovod.
//
// A node is what ran in one place: its op is the name of the event, its scope
// the names of the slices around it, and its call stack the functions around
// it, where names or arguments say the place of a function. A function that
// calls itself is one scope. Timelines of TensorFlow 1 say the operation: it is
// the node, in the scope of its name. A time is that of a slice without those
// inside it.
//
// Lanes are threads; chrome_lanes.h says which of them are devices. Lanes that
// repeat others, and asynchronous operations beside threads, are facts only.
// Instants are executions of no node. Arrows are links. Slices with the
// argument step_num are steps; without any, all is step 0.

#ifndef TFPROF_LOADERS_CHROME_JSON_CHROME_TRACE_H_
#define TFPROF_LOADERS_CHROME_JSON_CHROME_TRACE_H_

#include <memory>
#include <span>

#include "absl/status/status.h"
#include "loaders/load_context.h"

namespace tfprof {

inline constexpr int64_t kChromeTicksPerMicro = 1000;  // nanoseconds

// Each file has processes of its own. InvalidArgument: a file has no events, or
// is a file of another tool.
absl::Status LoadChromeTraces(
    std::span<const std::shared_ptr<const InputFile>> files,
    LoadContext& context);

// How well a file fits: 0 or 1, less than any format of a single tool.
int ChromeTraceFit(std::string_view bytes);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_CHROME_TRACE_H_

// The trace of TensorFlow's Python class Timeline
// (tensorflow/python/client/timeline.py): a StepStats as JSON for
// chrome://tracing.
//
// Everything is as that class writes it, so that both files have the same
// bytes: two processes for each device, "Compute" and "Tensors"; lanes by first
// fit, which are not the threads of the program; an arrow for each input that
// another lane made; with memory, each output as an object and a counter for
// each allocator. Only outputs count as memory, and an output is freed at the
// end of its last reader. Times are the microseconds of the file.
//
// Damaged fields end the message that they are in: what was before them is
// written. Text goes to the sink as it is made. What stays in memory is some 80
// bytes for each execution and for each output; the messages stay in the
// caller's bytes. Errors of writing are the sink's.

#ifndef TFPROF_EXPORTERS_REFERENCE_CLIENT_TIMELINE_H_
#define TFPROF_EXPORTERS_REFERENCE_CLIENT_TIMELINE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/sink.h"

namespace tfprof {

// When an op that started kernels begins and ends. kSchedule: as recorded.
// Otherwise it ends with its last kernel; kGpu: it also begins with its first.
enum class OpTime { kSchedule, kGpu, kAll };

struct ClientTimelineOptions {
  bool show_dataflow = true;
  bool show_memory = false;
  OpTime op_time = OpTime::kSchedule;
};

// The largest sum of the outputs of one allocator, and what it is the sum of.
struct AllocatorMaximum {
  std::string allocator;
  int64_t micros = 0;
  int64_t bytes = 0;
  std::vector<std::string> tensors;  // ascending
};

// `step_stats`: serialized StepStats messages, which make one step. The result
// is empty without `show_memory`.
std::vector<AllocatorMaximum> WriteClientTimeline(
    std::span<const std::string_view> step_stats,
    const ClientTimelineOptions& options, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_REFERENCE_CLIENT_TIMELINE_H_

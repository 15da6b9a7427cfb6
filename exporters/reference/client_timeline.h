// The trace of TensorFlow's Python class Timeline
// (tensorflow/python/client/timeline.py): a StepStats as JSON for
// chrome://tracing.
//
// The output equals the output of that class, byte for byte: two processes for
// each device, "Compute" and "Tensors"; lanes by first fit, which are not the
// threads of the program; an arrow for each input that another lane made; with
// memory, each output as an object and a counter for each allocator. Only
// outputs count as memory, and an output is freed at the end of its last
// reader. Times are the microseconds of the file.
//
// A damaged field ends its message: the fields before it are written. Text goes
// to the sink incrementally. Memory is about 80 bytes for each execution and
// each output; the messages stay in the caller's bytes. Errors of writing come
// from the sink.

#ifndef TFPROF_EXPORTERS_REFERENCE_CLIENT_TIMELINE_H_
#define TFPROF_EXPORTERS_REFERENCE_CLIENT_TIMELINE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/files/sink.h"

namespace tfprof::exporters {

// The begin and end of an op that started kernels. kSchedule: as recorded.
// Otherwise it ends with its last kernel; kGpu: it also begins with its first.
enum class OpTime { kSchedule, kGpu, kAll };

struct ClientTimelineOptions {
  bool show_dataflow = true;
  bool show_memory = false;
  OpTime op_time = OpTime::kSchedule;
};

// The largest sum of the outputs of one allocator, and the outputs in it.
struct AllocatorMaximum {
  std::string allocator;
  int64_t micros = 0;
  int64_t bytes = 0;
  std::vector<std::string> tensors;  // ascending
};

// `step_stats` are serialized StepStats messages, which form one step. The
// result is empty without `show_memory`.
std::vector<AllocatorMaximum> WriteClientTimeline(
    std::span<const std::string_view> step_stats,
    const ClientTimelineOptions& options, util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_CLIENT_TIMELINE_H_

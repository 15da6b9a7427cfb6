// Finds the messages of a saved trace without decoding them. A file is read in
// two passes, because its strings come last; this is the first pass.
//
// All views are into the file, which must outlive them. Errors: the file does
// not begin like a saved trace, or is cut short.

#ifndef TFPROF_LOADERS_SAVED_TRACE_MESSAGES_H_
#define TFPROF_LOADERS_SAVED_TRACE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/core/input_file.h"

namespace tfprof::saved_trace {

// The members are named like their fields, see fields.h.
struct SavedTraceMessages {
  int64_t ticks_per_micro = 1;  // 1, 1000 or 1,000,000
  bool has_code_traces = false;
  bool edges_are_calls = false;
  bool has_scopes = false;
  std::string_view frames, stacks, modules, scopes, nodes, edges, output_shapes,
      links, intervals, kernel_counters, pipeline, phases, replays;
  std::vector<std::string_view> strings, shapes, processes, physical, lanes,
      steps, counters;
  // Each with the offset of its field.
  std::vector<std::pair<std::string_view, size_t>> node_details;
  std::vector<size_t> records;  // offsets of their fields
};

absl::StatusOr<SavedTraceMessages> ReadTraceMessages(
    const loaders::InputFile& file);

}  // namespace tfprof::saved_trace

#endif  // TFPROF_LOADERS_SAVED_TRACE_MESSAGES_H_

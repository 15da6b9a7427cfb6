// Reads the events of a profile of ONNX Runtime.
//
// The file is an array of complete events: parts of a session (model_run,
// session_initialization, …), one event for each run of an operation, and for
// GPU providers one for each kernel. Times are relative to the creation of the
// session and there is no absolute time; the file has microseconds, the result
// nanoseconds. Events that only record a fence take no time and are dropped.
//
// Texts are views into the file, or into `buffers` if they had escapes.

#ifndef TFPROF_LOADERS_CHROME_JSON_ORT_ORT_EVENTS_H_
#define TFPROF_LOADERS_CHROME_JSON_ORT_ORT_EVENTS_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"

namespace tfprof::chrome_json {

struct OrtEvent {
  enum class Kind : uint8_t {
    kRun,      // "model_run": a step
    kSession,  // another part of a session
    kNode,     // an operation ran
    kKernel,   // a kernel on a GPU
  };

  Kind kind = Kind::kSession;
  std::string_view name;      // for an operation, without "_kernel_time"
  std::string_view op;        // "op_name": the type of the operation
  std::string_view provider;  // "CUDAExecutionProvider"
  std::string_view parent;    // of a kernel: its operation, "" if unknown
  std::string_view process;   // as the file writes it
  std::string_view thread;
  std::string_view stream;  // of a kernel
  int64_t start = 0;        // nanoseconds
  int64_t duration = 0;
  int64_t output_bytes = 0;
  int64_t bytes_in_use = -1;  // of the arena, after the operation; -1: unknown
  std::string_view input_shapes;  // JSON: [{"float": [4, 3]}, …]
  std::string_view output_shapes;
  uint64_t offset = 0;  // of the event
};

struct OrtEvents {
  std::vector<OrtEvent> events;  // by start, the longer one first
  std::deque<std::string> buffers;
  int64_t fences = 0;   // events that were dropped
  int64_t unknown = 0;  // events of other kinds, which were dropped
};

// Reads all events; damage is in the log. The file must outlive the result.
OrtEvents ReadOrtEvents(const loaders::InputFile& file,
                        loaders::ImportLog& log);

// Returns the dimensions in "input_type_shape"; scalars are [1].
std::vector<std::vector<int64_t>> ParseOrtShapes(std::string_view json);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_ORT_ORT_EVENTS_H_

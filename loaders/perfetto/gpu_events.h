// GPU events: work of GPUs that a driver or a profiler recorded, and the
// counters of GPUs.
//
// Work (GpuRenderStageEvent) is complete: it has a duration in nanoseconds. Its
// queue and its stage are texts of the sequence, or, in the deprecated form,
// positions in lists that the sequence sent. Its track is the queue; such
// tracks have uuids of GpuTrack(). Views are into the bytes of the trace.
//
// Source: perfetto/trace/gpu/gpu_render_stage_event.proto,
// perfetto/trace/gpu/gpu_counter_event.proto

#ifndef TFPROF_LOADERS_PERFETTO_GPU_EVENTS_H_
#define TFPROF_LOADERS_PERFETTO_GPU_EVENTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/perfetto/annotations.h"
#include "loaders/perfetto/trace_tables.h"

namespace tfprof::perfetto {

uint64_t GpuTrack(int64_t gpu, uint64_t queue);

struct GpuWork {
  // The packet has no work, but the deprecated names of queues and stages.
  std::string_view specifications;
  bool damaged = false;
  uint64_t queue = 0;
  std::string_view queue_name;
  std::string_view stage;  // "Kernel" if it is not known
  Slice slice;             // duration, name, correlation, device and bits
};

// Reads work. Appends its flows to `flows`.
GpuWork ReadGpuWork(std::string_view bytes, const TextFinder& texts,
                    std::vector<uint64_t>& flows);

// Replaces the deprecated names. Returns false if some are damaged.
bool ReadSpecifications(std::string_view bytes, Texts& texts);

// Appends the texts of the work, its stream and its device to a JSON object
// that is open.
void AppendWorkArguments(std::string_view bytes, const TextFinder& texts,
                         std::string& json);

// The values of the counters of one GPU at one time.
class GpuCounters {
 public:
  struct Value {
    uint64_t track = 0;
    std::string_view name;
    double value = 0;
    bool in_bytes = false;
  };
  // Returns false if the packet is damaged.
  bool Read(std::string_view bytes, std::vector<Value>& values);

 private:
  bool ReadNames(std::string_view bytes);

  struct Kind {
    std::string_view name;
    bool in_bytes = false;
  };
  absl::flat_hash_map<uint64_t, Kind> kinds_;  // by number
};

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_GPU_EVENTS_H_

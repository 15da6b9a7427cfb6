// TraceEvents: adds what AMD's profilers record to a GpuTrace.
//
// Kernels of RCCL and NCCL are communication, by their names. An empty name
// becomes "(no name)". Times are nanoseconds. The context must outlive this.

#ifndef TFPROF_LOADERS_ROCPROF_TRACE_EVENTS_H_
#define TFPROF_LOADERS_ROCPROF_TRACE_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/gpu_trace/gpu_trace.h"

namespace tfprof::rocprof {

class TraceEvents {
 public:
  TraceEvents(std::shared_ptr<const loaders::InputFile> file,
              loaders::LoadContext& context);

  // Add an event and return its number; nullopt: its times are wrong, which is
  // counted.
  std::optional<uint32_t> AddHost(const gpu_trace::Times& times,
                                  uint32_t thread, std::string_view name,
                                  gpu_trace::HostKind kind);
  std::optional<uint32_t> AddWork(const gpu_trace::Times& times,
                                  std::string_view name,
                                  gpu_trace::WorkLane lane, int64_t bytes = -1);
  // Says that the last work is a copy. `same_device`: from and to one device,
  // as far as that is known.
  void SetCopy(std::string_view direction, std::optional<bool> same_device);

  // Log that a text file has something unusable at `offset`, which is dropped.
  void Drop(std::string_view path, size_t offset, std::string_view kind,
            std::string_view found, std::string_view expected);
  void DropNumber(std::string_view path, size_t offset, std::string_view found);
  // Returns whether times are usable, and drops the event otherwise.
  bool Check(std::string_view path, size_t offset,
             const gpu_trace::Times& times);

  gpu_trace::GpuTrace& trace() { return trace_; }
  bool empty() const { return trace_.host.empty() && trace_.work.empty(); }
  // Logs what was counted, and returns the trace.
  gpu_trace::GpuTrace Take();

 private:
  bool IsCommunication(profile::StringId name);

  loaders::ImportLog& log_;
  profile::StringPool& strings_;
  gpu_trace::GpuTrace trace_;
  // Of the names of kernels so far.
  absl::flat_hash_map<profile::StringId, bool> communication_;
  int64_t dropped_ = 0;
};

}  // namespace tfprof::rocprof

#endif  // TFPROF_LOADERS_ROCPROF_TRACE_EVENTS_H_

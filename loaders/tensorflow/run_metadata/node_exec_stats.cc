#include "loaders/tensorflow/run_metadata/node_exec_stats.h"

#include <algorithm>
#include <vector>

#include "loaders/tensorflow/transfer_text.h"
#include "profile/attr_value.h"
#include "util/arithmetic.h"

namespace tfprof::tensorflow {
namespace {

// NodeExecStats.
constexpr uint32_t kNodeName = util::LengthTag(1);
constexpr uint32_t kAllStartMicros = util::VarintTag(2);
constexpr uint32_t kOpEndRelMicros = util::VarintTag(4);
constexpr uint32_t kMemory = util::LengthTag(6);
constexpr uint32_t kOutput = util::LengthTag(7);
constexpr uint32_t kTimelineLabel = util::LengthTag(8);
constexpr uint32_t kMemoryStats = util::LengthTag(12);
// NodeOutput, TensorDescription.
constexpr uint32_t kOutputSlot = util::VarintTag(1);
constexpr uint32_t kOutputTensor = util::LengthTag(3);
constexpr uint32_t kTensorShape = util::LengthTag(2);
// AllocatorMemoryUsed.
constexpr uint32_t kAllocatorName = util::LengthTag(1);
constexpr uint32_t kTotalBytes = util::VarintTag(2);
constexpr uint32_t kPeakBytes = util::VarintTag(3);
constexpr uint32_t kLiveBytes = util::VarintTag(4);
constexpr uint32_t kBytesInUse = util::VarintTag(5);
constexpr uint32_t kAllocationRecords = util::LengthTag(6);
// MemoryStats.
constexpr uint32_t kTempMemorySize = util::VarintTag(1);
constexpr uint32_t kPersistentMemorySize = util::VarintTag(3);

void AddTo(int64_t& sum, int64_t value) { sum = util::WrapAdd(sum, value); }

struct AllocatorMemory {
  std::string_view name;
  int64_t total = 0, peak = 0, live = 0, in_use = 0;
  bool on_gpu() const { return name.find("GPU") != name.npos; }
};

[[nodiscard]] bool ReadAllocatorMemory(
    std::string_view bytes, AllocatorMemory& memory,
    std::vector<profile::Allocation>* allocations = nullptr) {
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case kAllocatorName:
        memory.name = r.view();
        break;
      case kTotalBytes:
        memory.total = r.int64();
        break;
      case kPeakBytes:
        memory.peak = r.int64();
        break;
      case kLiveBytes:
        memory.live = r.int64();
        break;
      case kBytesInUse:
        memory.in_use = r.int64();
        break;
      case kAllocationRecords:
        if (allocations != nullptr) {
          profile::Allocation allocation;
          util::WireReader record(r.view());
          while (record.Next()) {
            if (record.tag() == util::VarintTag(1)) {
              allocation.micros = record.int64();
            } else if (record.tag() == util::VarintTag(2)) {
              allocation.bytes = record.int64();
            }
          }
          allocations->push_back(allocation);
        }
        break;
    }
  }
  return !r.damaged();
}

struct Output {
  int32_t slot = 0;
  bool allocated = false;  // has an allocation description
  int64_t bytes = 0;
  uint64_t ptr = 0;
};

[[nodiscard]] bool ReadOutput(std::string_view bytes, Output& output) {
  int64_t requested = 0, allocated = 0;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == kOutputSlot) output.slot = r.int32();
    if (r.tag() != kOutputTensor) continue;
    util::WireReader tensor(r.view());
    while (tensor.Next()) {
      if (tensor.tag() != util::LengthTag(4)) continue;
      output.allocated = true;
      util::WireReader allocation(tensor.view());
      while (allocation.Next()) {
        switch (allocation.tag()) {
          case util::VarintTag(1):
            requested = allocation.int64();
            break;
          case util::VarintTag(2):
            allocated = allocation.int64();
            break;
          case util::VarintTag(6):
            output.ptr = allocation.value();
            break;
        }
      }
      if (allocation.damaged()) return false;
    }
    if (tensor.damaged()) return false;
  }
  output.bytes = std::max(requested, allocated);
  return !r.damaged();
}

[[nodiscard]] bool ReadMemoryStats(std::string_view bytes, int64_t& temp,
                                   int64_t& persistent) {
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == kTempMemorySize) temp = r.int64();
    if (r.tag() == kPersistentMemorySize) persistent = r.int64();
  }
  return !r.damaged();
}

}  // namespace

bool ReadNodeExecSums(util::WireReader& r, NodeExecSums& sums) {
  int64_t temp = 0, persistent = 0;
  bool good = true;
  while (r.Next()) {
    switch (r.tag()) {
      case kNodeName:
        sums.node_name = r.view();
        break;
      case kAllStartMicros:
        sums.start_micros = r.int64();
        break;
      case kOpEndRelMicros:
        sums.duration_micros = r.int64();
        break;
      case kMemory: {
        AllocatorMemory memory;
        good &= ReadAllocatorMemory(r.view(), memory);
        AddTo(sums.requested_bytes, memory.total);
        AddTo(sums.peak_bytes, memory.peak);
        AddTo(sums.residual_bytes, memory.live);
        sums.gpu_allocators += memory.on_gpu();
        break;
      }
      case kOutput: {
        Output output;
        good &= ReadOutput(r.view(), output);
        if (output.allocated) AddTo(sums.output_bytes, output.bytes);
        break;
      }
      case kMemoryStats:
        good &= ReadMemoryStats(r.view(), temp, persistent);
        break;
    }
  }
  AddTo(sums.residual_bytes, persistent);
  AddTo(sums.requested_bytes, util::WrapAdd(temp, persistent));
  AddTo(sums.peak_bytes, util::WrapAdd(temp, persistent));
  return good && !r.damaged();
}

profile::RecordText ReadNodeExecText(std::string_view record) {
  profile::RecordText text;
  util::WireReader r(record);
  while (r.Next()) {
    if (r.tag() == kNodeName) text.name = r.view();
    if (r.tag() == kTimelineLabel) text.label = r.view();
  }
  text.op = OpOfLabel(text.label);
  return text;
}

// A record that is damaged here was dropped when it was loaded.
profile::ExecutionDetail ReadNodeExecDetail(std::string_view record,
                                            bool on_cpu) {
  profile::ExecutionDetail detail;
  profile::MemoryDetail m;
  int64_t start = 0, duration = 0, temp = 0, persistent = 0;
  util::WireReader r(record);
  while (r.Next()) {
    switch (r.tag()) {
      case kAllStartMicros:
        start = r.int64();
        break;
      case kOpEndRelMicros:
        duration = r.int64();
        break;
      case kMemory: {
        AllocatorMemory memory;
        std::vector<profile::Allocation> allocations;
        static_cast<void>(ReadAllocatorMemory(r.view(), memory, &allocations));
        AddTo(m.requested_bytes, memory.total);
        AddTo(m.peak_bytes, memory.peak);
        AddTo(m.residual_bytes, memory.live);
        if (memory.on_gpu()) {
          m.allocator_bytes_in_use =
              std::max(m.allocator_bytes_in_use, memory.in_use);
          detail.allocations.insert(detail.allocations.end(),
                                    allocations.begin(), allocations.end());
        }
        break;
      }
      case kOutput: {
        Output output;
        static_cast<void>(ReadOutput(r.view(), output));
        if (!output.allocated) break;
        AddTo(m.output_bytes, output.bytes);
        m.outputs.push_back({output.slot, output.bytes, output.ptr});
        break;
      }
      case kMemoryStats:
        static_cast<void>(ReadMemoryStats(r.view(), temp, persistent));
        break;
    }
  }
  m.micros = util::WrapAdd(start, duration);
  (on_cpu ? m.host_temp_bytes : m.accelerator_temp_bytes) = temp;
  (on_cpu ? m.host_persistent_bytes : m.accelerator_persistent_bytes) =
      persistent;
  AddTo(m.residual_bytes, persistent);
  AddTo(m.requested_bytes, util::WrapAdd(temp, persistent));
  AddTo(m.peak_bytes, util::WrapAdd(temp, persistent));
  detail.memory.push_back(std::move(m));
  return detail;
}

std::vector<profile::SeenShape> ReadNodeExecShapes(std::string_view record) {
  std::vector<profile::SeenShape> shapes;
  util::WireReader r(record);
  while (r.Next()) {
    if (r.tag() != kOutput) continue;
    profile::SeenShape seen;
    bool good = false;
    util::WireReader output(r.view());
    while (output.Next()) {
      if (output.tag() == kOutputSlot) seen.slot = output.int32();
      if (output.tag() != kOutputTensor) continue;
      util::WireReader tensor(output.view());
      while (tensor.Next()) {
        if (tensor.tag() == kTensorShape) {
          good = profile::ReadShape(tensor.view(), seen.dims);
        }
      }
    }
    if (good) shapes.push_back(std::move(seen));
  }
  return shapes;
}

}  // namespace tfprof::tensorflow

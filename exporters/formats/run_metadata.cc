#include "exporters/formats/run_metadata.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "util/arithmetic.h"
#include "util/files/wire_writer.h"

namespace tfprof::exporters {
namespace {
namespace run_metadata {

// Field numbers of proto/run_metadata.proto.
constexpr uint32_t kStepStats = 1;  // of RunMetadata
constexpr uint32_t kDevStats = 1;   // of StepStats
constexpr uint32_t kDevice = 1, kNodeStats = 2;
namespace stats_field {
constexpr uint32_t kNodeName = 1, kAllStartMicros = 2, kOpEndRelMicros = 4,
                   kAllEndRelMicros = 5, kMemory = 6, kOutput = 7,
                   kMemoryStats = 12;
}  // namespace stats_field
namespace allocator_field {
constexpr uint32_t kName = 1, kTotalBytes = 2, kPeakBytes = 3, kLiveBytes = 4,
                   kBytesInUse = 5, kRecords = 6;
constexpr uint32_t kMicros = 1, kBytes = 2;  // of AllocationRecord
}  // namespace allocator_field
namespace output_field {
constexpr uint32_t kSlot = 1, kTensorDescription = 3;
constexpr uint32_t kAllocationDescription = 4;  // of TensorDescription
constexpr uint32_t kRequestedBytes = 1, kAllocatedBytes = 2, kPtr = 6;
}  // namespace output_field
namespace memory_stats_field {
constexpr uint32_t kTempMemorySize = 1, kPersistentMemorySize = 3;
}  // namespace memory_stats_field

constexpr size_t kBufferBytes = 256 << 10;

// Only allocators with this part in their name have a history.
constexpr std::string_view kGpuAllocator = "GPU";
constexpr std::string_view kCpuAllocator = "cpu";

// The bytes of a length-delimited field with a number below 16.
size_t FieldSize(size_t length) {
  return 1 + util::VarintSize(length) + length;
}

class Writer {
 public:
  Writer(const profile::Profile& profile, const profile::Step& step,
         util::Sink& sink)
      : profile_(profile), nodes_(profile.nodes()), step_(step), sink_(sink) {}

  RunMetadataLosses Write() {
    Collect();
    // The lengths from the innermost to the outermost message.
    std::vector<size_t> device_sizes;
    size_t step_size = 0;
    ForDevices([&](profile::DeviceId device, std::span<const Item> items) {
      size_t size = FieldSize(profile_.devices().name(device).size());
      for (const Item& item : items) size += FieldSize(Encode(item).size());
      device_sizes.push_back(size);
      step_size += FieldSize(size);
    });
    const RunMetadataLosses losses = losses_;
    out_.Open(kStepStats, step_size);
    size_t d = 0, encoded = 0;
    ForDevices([&](profile::DeviceId device, std::span<const Item> items) {
      out_.Open(kDevStats, device_sizes[d++]);
      out_.Bytes(kDevice, profile_.devices().name(device));
      for (const Item& item : items) {
        out_.Bytes(kNodeStats, Encode(item));
        ++encoded;
        if (out_.size() <= kBufferBytes) continue;
        Flush();
        sink_.Reached(static_cast<double>(encoded) /
                      static_cast<double>(items_.size()));
      }
    });
    Flush();
    return losses;  // as counted in the first pass
  }

 private:
  // An execution.
  struct Item {
    uint32_t section;  // device; + number of devices: at the end
    uint32_t group;    // kNone: outside of groups
    uint32_t index;
  };

  void Flush() {
    sink_.Write(out_.bytes());
    out_.Truncate(0);
  }

  template <typename Visit>
  void ForDevices(Visit visit) {
    const size_t devices = profile_.devices().size();
    last_group_ = profile::kNone;
    for (size_t i = 0; i < items_.size();) {
      size_t end = i + 1;
      while (end < items_.size() && items_[end].section == items_[i].section) {
        ++end;
      }
      visit(static_cast<profile::DeviceId>(items_[i].section % devices),
            std::span<const Item>(items_.data() + i, end - i));
      i = end;
    }
  }

  void Collect() {
    for (size_t g = 0; g < step_.num_groups(); ++g) {
      const auto node = static_cast<profile::NodeId>(step_.node[g]);
      bool has_device = false;
      for (size_t e = step_.exec_begin(g); e < step_.exec_end(g); ++e) {
        const profile::DeviceId device = profile_.device_of(step_.LaneOf(e));
        if (device == profile::kNone) continue;
        has_device = true;
        items_.push_back({Section(node, device), static_cast<uint32_t>(g),
                          static_cast<uint32_t>(e)});
        losses_.other_devices += profile_.devices()[device].canonical &&
                                 nodes_.device[node] != device;
      }
      losses_.no_device += !has_device;
    }
    for (size_t e = step_.num_executions(); e < step_.num_records(); ++e) {
      const profile::DeviceId device = profile_.device_of(step_.LaneOf(e));
      if (device == profile::kNone) continue;
      items_.push_back({Section(nodes_.Find(step_.OutsideName(e)), device),
                        profile::kNone, static_cast<uint32_t>(e)});
    }
    std::stable_sort(
        items_.begin(), items_.end(),
        [](const Item& a, const Item& b) { return a.section < b.section; });
  }

  // Puts a device after all others, if it would become the node's canonical
  // device in an earlier position.
  uint32_t Section(profile::NodeId node, profile::DeviceId device) const {
    const profile::DeviceId canonical =
        node == profile::kNone ? profile::kNone : nodes_.device[node];
    const bool at_end = canonical != profile::kNone && device < canonical &&
                        profile_.devices()[device].canonical;
    return at_end ? static_cast<uint32_t>(profile_.devices().size()) + device
                  : device;
  }

  // A serialized NodeExecStats, valid until the next call.
  std::string_view Encode(const Item& item) {
    const auto record =
        static_cast<profile::RecordRef>(step_.exec_record[item.index]);
    const std::string_view known = profile_.NodeExecStats(record);
    if (known.data() != nullptr) return known;
    ++losses_.rebuilt;
    stats_.Truncate(0);
    if (item.group == profile::kNone) {
      AddTimes(profile_.strings().Get(step_.OutsideName(item.index)),
               StartOf(item.index), step_.exec_duration.Micros(item.index));
    } else {
      AddExecution(item, record);
    }
    return stats_.bytes();
  }

  bool HasMemory(size_t execution) const {
    const profile::DeviceId id = profile_.device_of(step_.LaneOf(execution));
    if (id == profile::kNone || !step_.HasStart(execution)) return false;
    const profile::Device& device = profile_.devices()[id];
    return device.canonical && !device.accelerator_stream;
  }

  // The format has 0 if there is no start.
  int64_t StartOf(size_t execution) const {
    return step_.HasStart(execution) ? step_.exec_start.Micros(execution) : 0;
  }

  void AddExecution(const Item& item, profile::RecordRef record) {
    const auto node = static_cast<profile::NodeId>(step_.node[item.group]);
    const int64_t start = StartOf(item.index);
    int64_t duration = step_.exec_duration.Micros(item.index);
    const profile::MemoryDetail* memory = nullptr;
    bool first = false;
    if (HasMemory(item.index)) {
      const size_t i = MemoryIndex(item, record, node);
      first = i == 0;
      if (i < detail_.memory.size()) memory = &detail_.memory[i];
    }
    // A duration of 0 was counted as 1. The time of the memory reveals it.
    if (memory != nullptr && duration == 1 && memory->micros == start) {
      duration = 0;
    }
    AddTimes(profile_.node_name(node), start, duration);
    if (memory == nullptr) return;
    AddMemory(*memory, first ? std::span(detail_.allocations)
                             : std::span<const profile::Allocation>());
  }

  // The index of an execution's memory in the details of its record, which this
  // call loads. A record of a ProfileProto has the memory of all executions of
  // the node.
  size_t MemoryIndex(const Item& item, profile::RecordRef record,
                     profile::NodeId node) {
    if (last_group_ != item.group || last_record_ != record ||
        item.index < counted_) {
      const profile::DeviceId canonical = nodes_.device[node];
      detail_ = profile_.RecordDetail(
          record,
          canonical != profile::kNone && profile_.devices()[canonical].on_cpu);
      last_group_ = item.group;
      last_record_ = record;
      counted_ = step_.exec_begin(item.group);
      num_memory_ = 0;
      losses_.unmatched_sums +=
          detail_.memory.size() != NumMemory(item, record);
    }
    for (; counted_ < item.index; ++counted_) {
      num_memory_ +=
          HasMemory(counted_) && static_cast<profile::RecordRef>(
                                     step_.exec_record[counted_]) == record;
    }
    return num_memory_;
  }

  size_t NumMemory(const Item& item, profile::RecordRef record) const {
    size_t count = 0;
    for (size_t e = step_.exec_begin(item.group);
         e < step_.exec_end(item.group); ++e) {
      count += HasMemory(e) &&
               static_cast<profile::RecordRef>(step_.exec_record[e]) == record;
    }
    return count;
  }

  void AddTimes(std::string_view name, int64_t start, int64_t duration) {
    stats_.BytesIfSet(stats_field::kNodeName, name);
    stats_.Int64IfSet(stats_field::kAllStartMicros, start);
    stats_.Int64IfSet(stats_field::kOpEndRelMicros, duration);
    stats_.Int64IfSet(stats_field::kAllEndRelMicros, duration);
  }

  void AddMemory(const profile::MemoryDetail& m,
                 std::span<const profile::Allocation> allocations) {
    const int64_t temp =
        util::WrapAdd(m.host_temp_bytes, m.accelerator_temp_bytes);
    const int64_t persistent =
        util::WrapAdd(m.host_persistent_bytes, m.accelerator_persistent_bytes);
    const int64_t both = util::WrapAdd(temp, persistent);
    const int64_t total = util::WrapSub(m.requested_bytes, both);
    const int64_t peak = util::WrapSub(m.peak_bytes, both);
    const int64_t live = util::WrapSub(m.residual_bytes, persistent);
    const bool on_gpu = m.allocator_bytes_in_use != 0 || !allocations.empty();
    if (on_gpu || total != 0 || peak != 0 || live != 0) {
      const util::WireMessage allocator(stats_, stats_field::kMemory);
      stats_.Bytes(allocator_field::kName,
                   on_gpu ? kGpuAllocator : kCpuAllocator);
      stats_.Int64IfSet(allocator_field::kTotalBytes, total);
      stats_.Int64IfSet(allocator_field::kPeakBytes, peak);
      stats_.Int64IfSet(allocator_field::kLiveBytes, live);
      stats_.Int64IfSet(allocator_field::kBytesInUse, m.allocator_bytes_in_use);
      for (const profile::Allocation& a : allocations) {
        const util::WireMessage allocation(stats_, allocator_field::kRecords);
        stats_.Int64IfSet(allocator_field::kMicros, a.micros);
        stats_.Int64IfSet(allocator_field::kBytes, a.bytes);
      }
    }
    AddOutputs(m);
    if (temp != 0 || persistent != 0) {
      const util::WireMessage memory_stats(stats_, stats_field::kMemoryStats);
      stats_.Int64IfSet(memory_stats_field::kTempMemorySize, temp);
      stats_.Int64IfSet(memory_stats_field::kPersistentMemorySize, persistent);
    }
  }

  void AddOutputs(const profile::MemoryDetail& m) {
    int64_t rest = m.output_bytes;
    for (const profile::MemoryDetail::Output& output : m.outputs) {
      rest = util::WrapSub(rest, output.bytes);
    }
    // A ProfileProto has only the last output of a slot, and the sum of all.
    if (rest != 0) {
      AddOutput({.slot = m.outputs.empty() ? 0 : m.outputs.front().slot,
                 .bytes = rest});
    }
    for (const profile::MemoryDetail::Output& output : m.outputs)
      AddOutput(output);
  }

  void AddOutput(const profile::MemoryDetail::Output& output) {
    const util::WireMessage message(stats_, stats_field::kOutput);
    stats_.Int64IfSet(output_field::kSlot, output.slot);
    const util::WireMessage tensor(stats_, output_field::kTensorDescription);
    const util::WireMessage allocation(stats_,
                                       output_field::kAllocationDescription);
    // The larger one is kept.
    stats_.Int64IfSet(output_field::kRequestedBytes, output.bytes);
    stats_.Int64IfSet(output_field::kAllocatedBytes, output.bytes);
    stats_.Uint64IfSet(output_field::kPtr, output.ptr);
  }

  const profile::Profile& profile_;
  const profile::NodeTable& nodes_;
  const profile::Step& step_;
  util::Sink& sink_;
  std::vector<Item> items_;
  util::WireWriter out_;
  util::WireWriter stats_;  // one NodeExecStats
  RunMetadataLosses losses_;
  // The last record that was read, and the number of executions of its group
  // before counted_ that have memory in it.
  uint32_t last_group_ = profile::kNone;
  profile::RecordRef last_record_ = profile::kNoRecord;
  profile::ExecutionDetail detail_;
  size_t counted_ = 0;
  size_t num_memory_ = 0;
};

}  // namespace run_metadata
}  // namespace

RunMetadataLosses WriteRunMetadata(const profile::Profile& profile,
                                   const profile::Step& step,
                                   util::Sink& sink) {
  return run_metadata::Writer(profile, step, sink).Write();
}

}  // namespace tfprof::exporters

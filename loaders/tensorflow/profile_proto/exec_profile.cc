#include "loaders/tensorflow/profile_proto/exec_profile.h"

#include <algorithm>
#include <utility>

#include "util/arithmetic.h"
#include "util/files/wire.h"
#include "util/text/ascii.h"

namespace tfprof {
namespace {

// ExecProfile.
constexpr uint32_t kRunCountField = VarintTag(1);
constexpr uint32_t kAllStartMicros = VarintTag(2);
constexpr uint32_t kLatestEndMicros = VarintTag(3);
constexpr uint32_t kAcceleratorExecs = LengthTag(4);
constexpr uint32_t kCpuExecs = LengthTag(5);
constexpr uint32_t kDevices = LengthTag(6);
constexpr uint32_t kMemoryExecs = LengthTag(7);
constexpr uint32_t kAllocations = LengthTag(11);

void AddTo(int64_t& sum, int64_t value) { sum = WrapAdd(sum, value); }

// Reads an entry of a map<string, ExecTime>: the [start, duration] pairs of a
// device.
[[nodiscard]] bool ReadTimes(std::string_view entry_bytes, DeviceTable& devices,
                             int64_t& micros, ExecutionRecord record,
                             std::vector<ExecutionRecord>& records) {
  MapEntry entry;
  if (!ReadMapEntry(entry_bytes, entry)) return false;
  record.lane = devices.Intern(LowerCase(entry.string_key));
  WireReader times(entry.value);
  std::vector<int64_t> tuple;
  while (times.Next()) {
    if (times.tag() != LengthTag(1)) continue;
    tuple.clear();
    WireReader values(times.view());
    while (values.Next()) {
      if (values.number() == 1 && !AppendInts(values, tuple)) return false;
    }
    if (values.damaged() || tuple.size() < 2) return false;
    record.start = tuple[0] > 0 ? tuple[0] : kNoStart;
    record.duration = tuple[1];
    AddTo(micros, tuple[1]);
    records.push_back(record);
  }
  return !times.damaged();
}

// Returns false if damaged; `m` then has what could be read.
[[nodiscard]] bool ReadMemory(std::string_view bytes, MemoryDetail& m) {
  bool good = true;
  WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case VarintTag(1):
        m.micros = r.int64();
        break;
      case VarintTag(2):
        m.host_temp_bytes = r.int64();
        break;
      case VarintTag(3):
        m.host_persistent_bytes = r.int64();
        break;
      case VarintTag(4):
        m.accelerator_temp_bytes = r.int64();
        break;
      case VarintTag(5):
        m.accelerator_persistent_bytes = r.int64();
        break;
      case VarintTag(6):
        m.requested_bytes = r.int64();
        break;
      case VarintTag(7):
        m.peak_bytes = r.int64();
        break;
      case VarintTag(8):
        m.residual_bytes = r.int64();
        break;
      case VarintTag(9):
        m.output_bytes = r.int64();
        break;
      case VarintTag(10):
        m.allocator_bytes_in_use = r.int64();
        break;
      case LengthTag(11): {
        MapEntry entry;
        if (!ReadMapEntry(r.view(), entry)) {
          good = false;
          break;
        }
        MemoryDetail::Output output;
        output.slot = static_cast<int32_t>(entry.int_key);
        WireReader memory(entry.value);
        while (memory.Next()) {
          if (memory.tag() == VarintTag(1)) output.bytes = memory.int64();
          if (memory.tag() == VarintTag(2)) output.ptr = memory.value();
        }
        good &= !memory.damaged();
        m.outputs.push_back(output);
        break;
      }
    }
  }
  return good && !r.damaged();
}

[[nodiscard]] bool ReadAllocation(std::string_view bytes,
                                  Allocation& allocation) {
  WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == VarintTag(1)) allocation.micros = r.int64();
    if (r.tag() == VarintTag(2)) allocation.bytes = r.int64();
  }
  return !r.damaged();
}

}  // namespace

bool ReadExecProfile(std::string_view bytes, RecordRef ref,
                     DeviceTable& devices, GroupSums& sums,
                     std::vector<ExecutionRecord>& records) {
  ExecutionRecord record;
  record.record = ref;
  const auto first = static_cast<ptrdiff_t>(records.size());
  std::vector<DeviceId> seen;
  bool good = true;
  WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case kRunCountField:
        sums.run_count = r.int64();
        break;
      case kAllStartMicros:
        sums.start = r.int64();
        break;
      case kLatestEndMicros:
        sums.end = std::max<int64_t>(0, r.int64());
        break;
      case kAcceleratorExecs:
        good &= ReadTimes(r.view(), devices, sums.accelerator_time, record,
                          records);
        break;
      case kCpuExecs:
        good &= ReadTimes(r.view(), devices, sums.cpu_time, record, records);
        break;
      case kDevices:
        seen.push_back(devices.Intern(LowerCase(r.view())));
        break;
      case kMemoryExecs: {
        MemoryDetail m;
        good &= ReadMemory(r.view(), m);
        AddTo(sums.requested_bytes, m.requested_bytes);
        AddTo(sums.peak_bytes, m.peak_bytes);
        AddTo(sums.residual_bytes, m.residual_bytes);
        AddTo(sums.output_bytes, m.output_bytes);
        break;
      }
      case kAllocations: {
        Allocation allocation;
        good &= ReadAllocation(r.view(), allocation);
        break;
      }
    }
  }
  // TensorFlow writes 0 if it has no start.
  sums.has_span = sums.start != 0;
  // A device without times (streams, copies) gets a record without a start, so
  // that nothing in the file is lost.
  std::vector<DeviceId> timed;
  for (auto r = records.begin() + first; r != records.end(); ++r) {
    if (timed.empty() || timed.back() != r->lane) timed.push_back(r->lane);
  }
  std::sort(timed.begin(), timed.end());
  for (const DeviceId device : seen) {
    if (std::binary_search(timed.begin(), timed.end(), device)) continue;
    record.lane = device;
    record.start = kNoStart;
    records.push_back(record);
  }
  if (records.begin() + first == records.end()) records.push_back(record);
  return good && !r.damaged();
}

ExecutionDetail ReadExecProfileDetail(std::string_view bytes) {
  ExecutionDetail detail;
  WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == kMemoryExecs) {
      // The damage was counted when the record was loaded.
      MemoryDetail m;
      static_cast<void>(ReadMemory(r.view(), m));
      detail.memory.push_back(std::move(m));
    } else if (r.tag() == kAllocations) {
      Allocation allocation;
      static_cast<void>(ReadAllocation(r.view(), allocation));
      detail.allocations.push_back(allocation);
    }
  }
  return detail;
}

}  // namespace tfprof

#include "loaders/tensorflow/profile_proto/exec_profile.h"

#include <algorithm>
#include <utility>

#include "util/arithmetic.h"
#include "util/files/wire.h"
#include "util/text/ascii.h"

namespace tfprof::tensorflow {
namespace {

// ExecProfile.
constexpr uint32_t kRunCountField = util::VarintTag(1);
constexpr uint32_t kAllStartMicros = util::VarintTag(2);
constexpr uint32_t kLatestEndMicros = util::VarintTag(3);
constexpr uint32_t kAcceleratorExecs = util::LengthTag(4);
constexpr uint32_t kCpuExecs = util::LengthTag(5);
constexpr uint32_t kOtherExecs = util::LengthTag(1000);
constexpr uint32_t kDevices = util::LengthTag(6);
constexpr uint32_t kMemoryExecs = util::LengthTag(7);
constexpr uint32_t kAllocations = util::LengthTag(11);

void AddTo(int64_t& sum, int64_t value) { sum = util::WrapAdd(sum, value); }

// Reads an entry of a map<string, ExecTime>: the [start, duration] pairs of a
// device.
[[nodiscard]] bool ReadTimes(std::string_view entry_bytes,
                             profile::DeviceTable& devices, int64_t& micros,
                             profile::ExecutionRecord record,
                             std::vector<profile::ExecutionRecord>& records) {
  util::MapEntry entry;
  if (!util::ReadMapEntry(entry_bytes, entry)) return false;
  record.lane = devices.Intern(util::LowerCase(entry.string_key));
  util::WireReader times(entry.value);
  std::vector<int64_t> tuple;
  while (times.Next()) {
    if (times.tag() != util::LengthTag(1)) continue;
    tuple.clear();
    util::WireReader values(times.view());
    while (values.Next()) {
      if (values.number() == 1 && !util::AppendInts(values, tuple))
        return false;
    }
    if (values.damaged() || tuple.size() < 2) return false;
    record.start = tuple[0] > 0 ? tuple[0] : profile::kNoStart;
    record.duration = tuple[1];
    AddTo(micros, tuple[1]);
    records.push_back(record);
  }
  return !times.damaged();
}

// Returns false if damaged; `m` then has what could be read.
[[nodiscard]] bool ReadMemory(std::string_view bytes,
                              profile::MemoryDetail& m) {
  bool good = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case util::VarintTag(1):
        m.micros = r.int64();
        break;
      case util::VarintTag(2):
        m.host_temp_bytes = r.int64();
        break;
      case util::VarintTag(3):
        m.host_persistent_bytes = r.int64();
        break;
      case util::VarintTag(4):
        m.accelerator_temp_bytes = r.int64();
        break;
      case util::VarintTag(5):
        m.accelerator_persistent_bytes = r.int64();
        break;
      case util::VarintTag(6):
        m.requested_bytes = r.int64();
        break;
      case util::VarintTag(7):
        m.peak_bytes = r.int64();
        break;
      case util::VarintTag(8):
        m.residual_bytes = r.int64();
        break;
      case util::VarintTag(9):
        m.output_bytes = r.int64();
        break;
      case util::VarintTag(10):
        m.allocator_bytes_in_use = r.int64();
        break;
      case util::LengthTag(11): {
        util::MapEntry entry;
        if (!util::ReadMapEntry(r.view(), entry)) {
          good = false;
          break;
        }
        profile::MemoryDetail::Output output;
        output.slot = static_cast<int32_t>(entry.int_key);
        util::WireReader memory(entry.value);
        while (memory.Next()) {
          if (memory.tag() == util::VarintTag(1)) output.bytes = memory.int64();
          if (memory.tag() == util::VarintTag(2)) output.ptr = memory.value();
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
                                  profile::Allocation& allocation) {
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::VarintTag(1)) allocation.micros = r.int64();
    if (r.tag() == util::VarintTag(2)) allocation.bytes = r.int64();
  }
  return !r.damaged();
}

}  // namespace

bool ReadExecProfile(std::string_view bytes, profile::RecordRef ref,
                     profile::DeviceTable& devices, profile::GroupSums& sums,
                     std::vector<profile::ExecutionRecord>& records) {
  profile::ExecutionRecord record;
  record.record = ref;
  const auto first = static_cast<ptrdiff_t>(records.size());
  std::vector<profile::DeviceId> seen;
  bool good = true;
  util::WireReader r(bytes);
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
      case kOtherExecs: {
        int64_t not_counted = 0;
        good &= ReadTimes(r.view(), devices, not_counted, record, records);
        break;
      }
      case kDevices:
        seen.push_back(devices.Intern(util::LowerCase(r.view())));
        break;
      case kMemoryExecs: {
        profile::MemoryDetail m;
        good &= ReadMemory(r.view(), m);
        AddTo(sums.requested_bytes, m.requested_bytes);
        AddTo(sums.peak_bytes, m.peak_bytes);
        AddTo(sums.residual_bytes, m.residual_bytes);
        AddTo(sums.output_bytes, m.output_bytes);
        break;
      }
      case kAllocations: {
        profile::Allocation allocation;
        good &= ReadAllocation(r.view(), allocation);
        break;
      }
    }
  }
  // TensorFlow writes 0 if it has no start.
  sums.has_span = sums.start != 0;
  // A device without times (streams, copies) gets a record without a start, so
  // that nothing in the file is lost.
  std::vector<profile::DeviceId> timed;
  for (auto r = records.begin() + first; r != records.end(); ++r) {
    if (timed.empty() || timed.back() != r->lane) timed.push_back(r->lane);
  }
  std::sort(timed.begin(), timed.end());
  for (const profile::DeviceId device : seen) {
    if (std::binary_search(timed.begin(), timed.end(), device)) continue;
    record.lane = device;
    record.start = profile::kNoStart;
    records.push_back(record);
  }
  if (records.begin() + first == records.end()) records.push_back(record);
  return good && !r.damaged();
}

profile::ExecutionDetail ReadExecProfileDetail(std::string_view bytes) {
  profile::ExecutionDetail detail;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == kMemoryExecs) {
      // The damage was counted when the record was loaded.
      profile::MemoryDetail m;
      static_cast<void>(ReadMemory(r.view(), m));
      detail.memory.push_back(std::move(m));
    } else if (r.tag() == kAllocations) {
      profile::Allocation allocation;
      static_cast<void>(ReadAllocation(r.view(), allocation));
      detail.allocations.push_back(allocation);
    }
  }
  return detail;
}

}  // namespace tfprof::tensorflow

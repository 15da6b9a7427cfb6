#include "exporters/formats/saved_counters.h"

#include <bit>
#include <string_view>
#include <vector>

#include "loaders/core/saved_counters.h"
#include "profile/tables/string_pool.h"

namespace tfprof {

void WriteSavedCounters(const Profile& profile, SavedLanes lanes,
                        uint32_t field, WireWriter& w) {
  const KernelCounters& counters = profile.kernel_counters();
  if (counters.kernels.empty()) return;
  StringPool texts;
  const auto text = [&](std::string_view of) -> int64_t {
    return int64_t{texts.Intern(of)} + 1;
  };
  const auto name = [&](StringId id) {
    return id == kNone ? 0 : text(profile.strings().Get(id));
  };
  const auto lane = [&](LaneId id) -> int64_t {
    if (id == kNone) return 0;
    if (lanes == SavedLanes::kNumbers) return int64_t{id} + 1;
    const DeviceId device = profile.device_of(id);
    return device == kNone ? 0 : text(profile.devices().name(device));
  };
  std::vector<std::vector<int64_t>> columns(saved_counters::kValueBits + 1);
  for (const KernelCounters::Counter& counter : counters.counters) {
    columns[saved_counters::kCounterName].push_back(name(counter.name));
    columns[saved_counters::kCounterKind].push_back(
        counter.kind == KernelCounters::Kind::kSum ? 0 : 1);
  }
  for (const KernelCounters::Kernel& kernel : counters.kernels) {
    columns[saved_counters::kKernelName].push_back(name(kernel.name));
    columns[saved_counters::kNode].push_back(
        kernel.node == kNone ? 0 : int64_t{kernel.node} + 1);
    columns[saved_counters::kStep].push_back(kernel.step);
    columns[saved_counters::kLane].push_back(lane(kernel.lane));
    columns[saved_counters::kStart].push_back(kernel.start);
    columns[saved_counters::kDuration].push_back(kernel.duration);
  }
  for (const double value : counters.values) {
    columns[saved_counters::kValueBits].push_back(
        std::bit_cast<int64_t>(value));
  }
  const WireMessage message(w, field);
  for (StringId t = 0; t < texts.size(); ++t) {
    w.Bytes(saved_counters::kText, texts.Get(t));
  }
  const WireMessage numbers(w, saved_counters::kColumns);
  for (uint32_t c = 1; c < columns.size(); ++c) {
    w.PackedInt64(c, columns[c]);
  }
}

}  // namespace tfprof

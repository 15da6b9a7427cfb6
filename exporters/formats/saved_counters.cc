#include "exporters/formats/saved_counters.h"

#include <bit>
#include <string_view>
#include <vector>

#include "loaders/core/saved_counters.h"
#include "profile/tables/string_pool.h"

namespace tfprof::exporters {

void WriteSavedCounters(const profile::Profile& profile, SavedLanes lanes,
                        uint32_t field, util::WireWriter& w) {
  const profile::KernelCounters& counters = profile.kernel_counters();
  if (counters.kernels.empty()) return;
  profile::StringPool texts;
  const auto text = [&](std::string_view of) -> int64_t {
    return int64_t{texts.Intern(of)} + 1;
  };
  const auto name = [&](profile::StringId id) {
    return id == profile::kNone ? 0 : text(profile.strings().Get(id));
  };
  const auto lane = [&](profile::LaneId id) -> int64_t {
    if (id == profile::kNone) return 0;
    if (lanes == SavedLanes::kNumbers) return int64_t{id} + 1;
    const profile::DeviceId device = profile.device_of(id);
    return device == profile::kNone ? 0 : text(profile.devices().name(device));
  };
  std::vector<std::vector<int64_t>> columns(
      loaders::saved_counters::kValueBits + 1);
  for (const profile::KernelCounters::Counter& counter : counters.counters) {
    columns[loaders::saved_counters::kCounterName].push_back(
        name(counter.name));
    columns[loaders::saved_counters::kCounterKind].push_back(
        counter.kind == profile::KernelCounters::Kind::kSum ? 0 : 1);
  }
  for (const profile::KernelCounters::Kernel& kernel : counters.kernels) {
    columns[loaders::saved_counters::kKernelName].push_back(name(kernel.name));
    columns[loaders::saved_counters::kNode].push_back(
        kernel.node == profile::kNone ? 0 : int64_t{kernel.node} + 1);
    columns[loaders::saved_counters::kStep].push_back(kernel.step);
    columns[loaders::saved_counters::kLane].push_back(lane(kernel.lane));
    columns[loaders::saved_counters::kStart].push_back(kernel.start);
    columns[loaders::saved_counters::kDuration].push_back(kernel.duration);
  }
  for (const double value : counters.values) {
    columns[loaders::saved_counters::kValueBits].push_back(
        std::bit_cast<int64_t>(value));
  }
  const util::WireMessage message(w, field);
  for (profile::StringId t = 0; t < texts.size(); ++t) {
    w.Bytes(loaders::saved_counters::kText, texts.Get(t));
  }
  const util::WireMessage numbers(w, loaders::saved_counters::kColumns);
  for (uint32_t c = 1; c < columns.size(); ++c) {
    w.PackedInt64(c, columns[c]);
  }
}

}  // namespace tfprof::exporters

// The memory in records of executions: bytes in use, and allocations.

#include <algorithm>
#include <utility>

#include "accounting/counted_memory.h"
#include "inspect/devices/device_labels.h"
#include "inspect/devices/memory_chart.h"
#include "timeline/activity.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {
namespace {

using Sample = MemoryChart::Sample;
using Series = MemoryChart::Series;

class Allocators {
 public:
  Allocators(views::Views& views,
             const std::vector<const profile::Step*>& steps)
      : views_(views), profile_(views.profile()), steps_(steps) {}

  void Fill(MemoryChart& chart) {
    std::vector<Device> devices(profile_.devices().size());
    for (const profile::Step* step : steps_) Add(*step, devices);
    const timeline::Activities& activities =
        views_.Kept<timeline::Activities>();
    std::vector<uint32_t> units;
    for (profile::DeviceId d = 0; d < devices.size(); ++d) {
      Device& device = devices[d];
      if (device.series.peak <= 0) continue;
      const uint32_t unit = activities.unit_of_device(d);
      if (unit == profile::kNone) continue;
      units.push_back(unit);
      Finish(d, device, chart);
      chart.series.push_back(std::move(device.series));
    }
    if (units.empty()) return;
    const std::vector<std::string> labels = DeviceLabels(activities, units);
    for (size_t i = 0; i < labels.size(); ++i) {
      chart.series[i].name = labels[i];
    }
  }

 private:
  struct Device {
    Series series;
    int64_t peak_micros = 0;
  };

  void Add(const profile::Step& step, std::vector<Device>& devices) const {
    if (step.aggregated) return;
    for (size_t g = 0; g < step.num_groups(); ++g) {
      const profile::DeviceId id = profile_.nodes().device[step.node[g]];
      if (id == profile::kNone) continue;
      Device& device = devices[id];
      for (const profile::MemoryDetail& m :
           accounting::CountedMemory(profile_, step, g).memory) {
        const int64_t bytes = m.allocator_bytes_in_use;
        // A record without the level also has 0.
        if (bytes <= 0) continue;
        if (m.micros > 0) device.series.samples.push_back({m.micros, bytes});
        if (bytes < device.series.peak ||
            (bytes == device.series.peak && device.peak_micros > 0 &&
             (m.micros <= 0 || m.micros >= device.peak_micros))) {
          continue;
        }
        device.series.peak = bytes;
        device.series.peak_step = step.id;
        device.peak_micros = std::max<int64_t>(m.micros, 0);
      }
    }
  }

  void Finish(profile::DeviceId id, Device& device, MemoryChart& chart) const {
    Series& series = device.series;
    std::stable_sort(
        series.samples.begin(), series.samples.end(),
        [](const Sample& a, const Sample& b) { return a.time < b.time; });
    const int64_t ticks = profile_.ticks_per_micro();
    if (!series.samples.empty()) {
      const int64_t origin = series.samples.front().time;
      for (Sample& sample : series.samples) {
        sample.time =
            util::SaturatingMul(util::WrapSub(sample.time, origin), ticks);
      }
      chart.length = std::max(chart.length, series.samples.back().time);
      if (device.peak_micros > 0) {
        series.peak_time = util::SaturatingMul(
            util::WrapSub(device.peak_micros, origin), ticks);
      }
    }
    AddHolders(id, device);
  }

  // Adds the bytes of each node at the peak of the allocator.
  void AddHolders(profile::DeviceId id, Device& device) const {
    const profile::Step* peak_step = nullptr;
    for (const profile::Step* step : steps_) {
      if (step->id == *device.series.peak_step) peak_step = step;
    }
    int64_t held = 0;
    for (size_t g = 0; g < peak_step->num_groups(); ++g) {
      const auto node = static_cast<profile::NodeId>(peak_step->node[g]);
      if (profile_.nodes().device[node] != id) continue;
      const profile::ExecutionDetail detail =
          accounting::CountedMemory(profile_, *peak_step, g);
      int64_t bytes = Persistent(detail);
      // Memory that a node keeps persists in later steps.
      for (const auto& step : profile_.steps()) {
        if (step.get() == peak_step || step->aggregated) continue;
        const uint32_t other = step->FindGroup(node);
        if (other == profile::kNone) continue;
        bytes = std::max(bytes, Persistent(accounting::CountedMemory(
                                    profile_, *step, other)));
      }
      for (const profile::Allocation& a : detail.allocations) {
        if (a.micros < device.peak_micros)
          bytes = util::WrapAdd(bytes, a.bytes);
      }
      if (bytes <= 0) continue;
      held = util::SaturatingAdd(held, bytes);
      device.series.holders.push_back(
          {std::string(profile_.node_name(node)), bytes});
    }
    SortHolders(device.series.holders);
    device.series.unknown = std::max<int64_t>(0, device.series.peak - held);
  }

  static int64_t Persistent(const profile::ExecutionDetail& detail) {
    int64_t sum = 0;
    for (const profile::MemoryDetail& m : detail.memory) {
      sum = util::WrapAdd(sum, m.accelerator_persistent_bytes);
    }
    return std::max<int64_t>(sum, 0);
  }

  views::Views& views_;
  const profile::Profile& profile_;
  const std::vector<const profile::Step*>& steps_;
};

}  // namespace

void AddAllocators(views::Views& views,
                   const std::vector<const profile::Step*>& steps,
                   MemoryChart& chart) {
  Allocators(views, steps).Fill(chart);
}

}  // namespace tfprof::inspect

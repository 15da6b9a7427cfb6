#include "loaders/xplane/lines/kernel_runs.h"

#include <algorithm>
#include <numeric>

namespace tfprof::xplane {
namespace {

// Returns the events in the order of their starts; empty if they are sorted.
std::vector<uint32_t> OrderOf(const std::vector<Event>& events) {
  const auto earlier = [](const Event& a, const Event& b) {
    return a.start < b.start;
  };
  if (std::is_sorted(events.begin(), events.end(), earlier)) return {};
  std::vector<uint32_t> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return earlier(events[a], events[b]);
  });
  return order;
}

}  // namespace

size_t PeriodOf(std::span<const uint32_t> names) {
  // border[i]: the length of the longest prefix of names[0..i] that is also its
  // suffix.
  std::vector<uint32_t> border(names.size(), 0);
  for (size_t i = 1; i < names.size(); ++i) {
    uint32_t length = border[i - 1];
    while (length > 0 && names[i] != names[length]) length = border[length - 1];
    border[i] = length + (names[i] == names[length] ? 1 : 0);
  }
  return names.empty() ? 0 : names.size() - border.back();
}

std::vector<uint32_t> LaterKernels(const FileLine& line) {
  std::vector<uint32_t> later;
  if (line.use != LineUse::kStream) return later;
  const std::vector<Event>& events = line.events.events;
  const std::vector<uint32_t> order = OrderOf(events);
  // The current run of kernels of one operation, and their names.
  std::vector<uint32_t> together, names;
  const auto finish = [&] {
    if (together.size() > 1) {
      const size_t period = PeriodOf(names);
      for (size_t i = 0; i < together.size(); ++i) {
        if (i % period != 0) later.push_back(together[i]);
      }
    }
    together.clear();
    names.clear();
  };
  profile::NodeId node = profile::kNone;
  for (uint32_t i = 0; i < events.size(); ++i) {
    const uint32_t at = order.empty() ? i : order[i];
    const Event& event = events[at];
    const EventTarget& target = line.targets[event.group];
    if (!target.joins_kernels) continue;
    if (target.node != node) finish();
    node = target.node;
    together.push_back(at);
    names.push_back(line.events.keys[event.key].metadata);
  }
  finish();
  if (!order.empty()) std::sort(later.begin(), later.end());
  return later;
}

}  // namespace tfprof::xplane

#include "loaders/chrome_json/chrome/chrome_flows.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace tfprof::chrome_json {
namespace {

using Place = std::pair<profile::RecordRef, profile::ExecutionRef>;

// Finds the executions of these records, which are in ascending order.
std::vector<Place> FindExecutions(
    const std::vector<profile::RecordRef>& records,
    const profile::ProfileBuilder& builder) {
  std::vector<Place> places;
  for (const auto& step : builder.finished_steps()) {
    for (size_t e = 0; e < step->num_executions(); ++e) {
      const auto record = static_cast<profile::RecordRef>(step->exec_record[e]);
      if (std::binary_search(records.begin(), records.end(), record)) {
        places.push_back({record, {step->id, static_cast<uint32_t>(e)}});
      }
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace

ChromeFlows::ChromeFlows(const ChromeEvents& events)
    : points_(events.flows),
      by_track_(events.flows.size()),
      record_(events.flows.size(), profile::kNoRecord) {
  std::iota(by_track_.begin(), by_track_.end(), 0);
  std::sort(by_track_.begin(), by_track_.end(), [&](uint32_t a, uint32_t b) {
    return std::tie(points_[a].track, points_[a].time, a) <
           std::tie(points_[b].track, points_[b].time, b);
  });
}

void ChromeFlows::BindTrack(uint32_t track, std::span<const ChromeSlice> slices,
                            const loaders::Nesting& nesting,
                            std::span<const profile::RecordRef> records) {
  const auto track_of = [&](uint32_t point) { return points_[point].track; };
  const auto begin =
      std::lower_bound(by_track_.begin(), by_track_.end(), track,
                       [&](uint32_t p, uint32_t t) { return track_of(p) < t; });
  if (begin == by_track_.end() || track_of(*begin) != track) return;
  loaders::Ancestors ancestors(nesting.parent);
  for (auto it = begin; it != by_track_.end() && track_of(*it) == track; ++it) {
    const ChromeFlowPoint& point = points_[*it];
    // Finds the first slice that starts after the point; for an end with
    // to_next it may also start at the point.
    const auto next = std::partition_point(
        nesting.order.begin(), nesting.order.end(), [&](uint32_t slice) {
          return point.to_next ? slices[slice].start < point.time
                               : slices[slice].start <= point.time;
        });
    uint32_t slice = profile::kNone;
    if (point.to_next) {
      if (next != nesting.order.end()) slice = *next;
    } else if (next != nesting.order.begin()) {
      slice = ancestors.First(*(next - 1), [&](uint32_t of) {
        return slices[of].start + slices[of].duration < point.time;
      });
    }
    if (slice != profile::kNone) record_[*it] = records[slice];
  }
}

int64_t ChromeFlows::AddLinks(profile::ProfileBuilder& builder) const {
  std::vector<uint32_t> chain;
  std::vector<profile::RecordRef> records;
  for (uint32_t p = 0; p < points_.size(); ++p) {
    if (record_[p] == profile::kNoRecord) continue;
    chain.push_back(p);
    records.push_back(record_[p]);
  }
  std::sort(records.begin(), records.end());
  const std::vector<Place> places = FindExecutions(records, builder);
  const auto place_of =
      [&](uint32_t point) -> std::optional<profile::ExecutionRef> {
    const auto it =
        std::lower_bound(places.begin(), places.end(), record_[point],
                         [](const Place& place, profile::RecordRef record) {
                           return place.first < record;
                         });
    if (it == places.end() || it->first != record_[point]) return std::nullopt;
    return it->second;
  };
  std::sort(chain.begin(), chain.end(), [&](uint32_t a, uint32_t b) {
    return std::tie(points_[a].id, points_[a].time, a) <
           std::tie(points_[b].id, points_[b].time, b);
  });
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    if (points_[chain[i]].id != points_[chain[i + 1]].id) continue;
    const auto from = place_of(chain[i]), to = place_of(chain[i + 1]);
    if (from && to && *from != *to) {
      builder.AddLink(
          {.from = *from, .to = *to, .kind = points_[chain[i]].kind});
    }
  }
  return static_cast<int64_t>(points_.size() - chain.size());
}

}  // namespace tfprof::chrome_json

#include "loaders/xplane/file_steps.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "loaders/xplane/planes/event_names.h"
#include "util/arithmetic.h"

namespace tfprof::xplane {
namespace {

std::string_view NameOf(const FileLine& line, uint32_t event) {
  return line.MetadataOf(line.events.keys[line.events.events[event].key]).name;
}

bool ReadStep(std::string_view name, int64_t& step) {
  const char* end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data(), end, step);
  return error == std::errc() && at == end && step >= 0;
}

// Returns the calls of a thread without steps, by start, an outer one first.
// Python frames may last as long as the thread.
std::vector<loaders::StepTime> CallsOf(const FileLine& line) {
  std::vector<loaders::StepTime> calls;
  if (!line.events.steps.empty()) return calls;
  std::vector<bool> is_call;
  for (const EventKey& key : line.events.keys) {
    const EventMetadata& metadata = line.MetadataOf(key);
    const EventKind kind = KindOfEvent(metadata.name, metadata.display_name);
    is_call.push_back(!key.is_launch &&
                      (kind == EventKind::kRange || kind == EventKind::kTfOp));
  }
  for (const Event& event : line.events.events) {
    if (!is_call[event.key]) continue;
    calls.push_back({.start = event.start,
                     .end = util::SaturatingAdd(event.start, event.duration)});
  }
  const auto before = [](const auto& a, const auto& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  };
  if (!std::ranges::is_sorted(calls, before)) std::ranges::sort(calls, before);
  return calls;
}

}  // namespace

FileSteps::FileSteps(std::span<const FileLine> lines, loaders::ImportLog& log) {
  for (const FileLine& line : lines) {
    if (!line.is_host()) continue;
    for (const auto& [event, step] : line.events.steps) {
      if (step < 0) {
        log.Count(loaders::ImportLog::kDamage, "step with a negative number",
                  1);
      } else {
        Add(line, event, step);
      }
    }
  }
  of_host_ = !spans_.empty();
  if (!of_host_) {
    for (const FileLine& line : lines) {
      if (line.use != LineUse::kSteps) continue;
      for (uint32_t i = 0; i < line.events.events.size(); ++i) {
        int64_t step = 0;
        if (ReadStep(NameOf(line, i), step)) Add(line, i, step);
      }
    }
  }
  std::ranges::stable_sort(spans_, {}, &StepSpan::start);
  for (uint32_t row = 0; row < spans_.size(); ++row) {
    if (spans_[row].group) row_of_group_.try_emplace(*spans_[row].group, row);
  }
  std::vector<StepSpan> rows = spans_;
  for (size_t row = 0; row < rows.size(); ++row) {
    rows[row].step = static_cast<int64_t>(row);
  }
  rows_ = StepMap(rows);
}

void FileSteps::SetDeviceTimes(std::span<const loaders::StepTime> times) {
  devices_behind_ = !times.empty();
  std::vector<StepSpan> rows;
  for (size_t row = 0; row < times.size(); ++row) {
    rows.push_back({.step = static_cast<int64_t>(row),
                    .start = times[row].start,
                    .end = times[row].end});
  }
  device_rows_ = StepMap(rows);
}

std::vector<uint32_t> FileSteps::RowsOfLaunches(const FileLine& line) const {
  const auto& launches = line.events.correlations;
  std::vector<uint32_t> rows(launches.size(), profile::kNone);
  if (spans_.empty() || launches.empty()) return rows;
  const std::vector<loaders::StepTime> calls = CallsOf(line);
  // Usually launches come in the order of their ids, each in the outermost call
  // that has not ended. If a line has the calls of several threads, they
  // overlap, and each of them has its ids in one piece.
  std::vector<uint32_t> order(launches.size());
  std::iota(order.begin(), order.end(), 0);
  const auto id = [&](uint32_t i) { return launches[i].second; };
  if (!std::ranges::is_sorted(order, {}, id)) {
    std::ranges::stable_sort(order, {}, id);
  }
  size_t call = 0, hint = 0;
  int64_t last = std::numeric_limits<int64_t>::min();
  for (const uint32_t i : order) {
    const int64_t time = line.events.events[launches[i].first].start;
    while (call < calls.size() && calls[call].end <= time) ++call;
    if (time < last && call + 1 < calls.size() &&
        calls[call + 1].start < calls[call].end) {
      ++call;
    }
    last = time;
    // A call from before the steps may be the loop of a thread.
    const bool in_call = call < calls.size() && calls[call].start <= time &&
                         calls[call].start >= spans_.front().start;
    const int64_t row = rows_.At(in_call ? calls[call].start : time, hint);
    if (row != profile::kOutsideSteps) rows[i] = static_cast<uint32_t>(row);
  }
  auto group = line.events.groups.begin();
  for (size_t i = 0; i < launches.size(); ++i) {
    for (;
         group != line.events.groups.end() && group->first <= launches[i].first;
         ++group) {
      const uint32_t row = RowOfGroup(group->second);
      if (group->first == launches[i].first && row != profile::kNone) {
        rows[i] = row;
      }
    }
  }
  return rows;
}

void FileSteps::Add(const FileLine& line, uint32_t event, int64_t step) {
  const Event& e = line.events.events[event];
  spans_.push_back({.step = step,
                    .start = e.start,
                    .end = util::SaturatingAdd(e.start, e.duration),
                    .name = NameOf(line, event)});
  const std::vector<std::pair<uint32_t, int64_t>>& groups = line.events.groups;
  const auto group = std::lower_bound(
      groups.begin(), groups.end(), event,
      [](const auto& entry, uint32_t number) { return entry.first < number; });
  if (group != groups.end() && group->first == event) {
    spans_.back().group = group->second;
  }
}

}  // namespace tfprof::xplane

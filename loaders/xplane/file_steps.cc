#include "loaders/xplane/file_steps.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

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
  if (spans_.empty()) {
    for (const FileLine& line : lines) {
      if (line.use != LineUse::kSteps) continue;
      for (uint32_t i = 0; i < line.events.events.size(); ++i) {
        int64_t step = 0;
        if (ReadStep(NameOf(line, i), step)) Add(line, i, step);
      }
    }
  }
  map_ = StepMap(spans_);
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
    step_of_group_.try_emplace(group->second, step);
  }
}

}  // namespace tfprof::xplane

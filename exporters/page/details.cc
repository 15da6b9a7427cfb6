#include "exporters/page/details.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "exporters/page/collect.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "util/arithmetic.h"

namespace tfprof::exporters {
namespace {

using Fields = std::vector<std::pair<profile::StringId, profile::StringId>>;

class DetailsOfEvents {
 public:
  DetailsOfEvents(const profile::Profile& profile,
                  std::span<const EventRecord> records,
                  const util::TaskOptions& work, Page& page)
      : profile_(profile), records_(records), work_(work), page_(page) {}

  void Add() {
    const int64_t shortest = ShortestDetailed();
    size_t left_out = 0, detailed = 0;
    for (uint32_t e = 0; e < records_.size(); ++e) {
      if (work_.cancelled()) return;
      AddTransfer(e);
      if (page_.events[e].duration < shortest || detailed >= kMaxDetailed) {
        ++left_out;
        continue;
      }
      ++detailed;
      const EventRecord& record = records_[e];
      // A record of several executions has no data about this one.
      const profile::ExecutionDetail memory =
          profile_.IsGroupRecord(record.record)
              ? profile::ExecutionDetail()
              : profile_.RecordDetail(record.record, record.on_cpu);
      AddFields(e, memory);
      AddMemory(e, memory);
    }
    for (auto& [device, counter] : memory_) {
      std::stable_sort(
          counter.samples.begin(), counter.samples.end(),
          [](const auto& a, const auto& b) { return a.time < b.time; });
      page_.counters.push_back(std::move(counter));
    }
    std::sort(page_.counters.begin(), page_.counters.end(),
              [](const PageCounter& a, const PageCounter& b) {
                return a.device < b.device;
              });
    if (left_out > 0) {
      page_.notes.push_back(
          fmt::format("Recorded fields are here for the {} longest of {} "
                      "events",
                      detailed, page_.events.size()));
    }
  }

 private:
  // The shortest duration of an event whose fields are kept.
  int64_t ShortestDetailed() const {
    if (page_.events.size() <= kMaxDetailed) return 0;
    std::vector<int64_t> durations;
    durations.reserve(page_.events.size());
    for (const PageEvent& e : page_.events) durations.push_back(e.duration);
    const auto nth = durations.begin() + kMaxDetailed;
    std::nth_element(durations.begin(), nth, durations.end(), std::greater());
    return *nth;
  }

  profile::StringId Intern(std::string_view text) {
    return text.empty() ? profile::kNone : page_.strings.Intern(text);
  }

  void AddTransfer(uint32_t e) {
    const PageKind kind = page_.lanes[page_.events[e].lane].kind;
    if (kind != PageKind::kCommunication && kind != PageKind::kCopy) return;
    const profile::Transfer moved = profile_.TransferOf(records_[e].record);
    std::string_view from = moved.from, to = moved.to;
    profile::CopyKind direction = profile_.lanes()[records_[e].lane].copies;
    if (direction == profile::CopyKind::kUnknown) direction = moved.kind;
    if (from.empty() && to.empty() && kind == PageKind::kCopy) {
      const PageLane& lane = page_.lanes[page_.events[e].lane];
      const std::string_view device = page_.devices[lane.device].name;
      switch (direction) {
        case profile::CopyKind::kToDevice:
          from = "host";
          to = device;
          break;
        case profile::CopyKind::kToHost:
          from = device;
          to = "host";
          break;
        case profile::CopyKind::kOnDevice:
          from = to = device;
          break;
        case profile::CopyKind::kToPeer:
          from = device;
          to = "peer";
          break;
        case profile::CopyKind::kUnknown:
          break;
      }
    }
    if (moved.bytes < 0 && moved.tensor.empty() && from.empty() && to.empty()) {
      return;
    }
    page_.transfers.push_back({.event = e,
                               .bytes = std::max<int64_t>(moved.bytes, -1),
                               .tensor = Intern(moved.tensor),
                               .from = Intern(from),
                               .to = Intern(to)});
  }

  void AddFields(uint32_t e, const profile::ExecutionDetail& memory) {
    const profile::RecordRef record = records_[e].record;
    Fields fields;
    const auto add = [&](std::string_view key, std::string_view value) {
      if (value.empty()) return;
      fields.emplace_back(page_.strings.Intern(key),
                          page_.strings.Intern(value));
    };
    const profile::RecordText text = profile_.Text(record);
    add("label", text.label);
    for (const auto& [key, value] : profile_.Arguments(record)) {
      add(key, value);
    }
    if (!profile_.IsGroupRecord(record)) {
      std::string shapes;
      for (const profile::SeenShape& shape : profile_.OutputShapes(record)) {
        if (!shapes.empty()) shapes += ", ";
        shapes +=
            fmt::format("{}: [{}]", shape.slot, fmt::join(shape.dims, ", "));
      }
      add("output shapes", shapes);
    }
    for (const profile::MemoryDetail& of : memory.memory) {
      const auto add_bytes = [&](std::string_view key, int64_t bytes) {
        if (bytes != 0) add(key, fmt::format("{}", bytes));
      };
      add_bytes("requested bytes", of.requested_bytes);
      add_bytes("peak bytes", of.peak_bytes);
      add_bytes("residual bytes", of.residual_bytes);
      add_bytes("output bytes", of.output_bytes);
      add_bytes(
          "temporary bytes",
          util::SaturatingAdd(of.host_temp_bytes, of.accelerator_temp_bytes));
      add_bytes("persistent bytes",
                util::SaturatingAdd(of.host_persistent_bytes,
                                    of.accelerator_persistent_bytes));
    }
    if (fields.empty()) return;
    const auto [it, is_new] = detail_ids_.try_emplace(
        fields, static_cast<uint32_t>(page_.details.size()));
    if (is_new) page_.details.push_back(std::move(fields));
    page_.events[e].detail = it->second;
  }

  // Adds counters of accelerator allocators: each change, or the level after an
  // op.
  void AddMemory(uint32_t e, const profile::ExecutionDetail& detail) {
    const int64_t ticks = page_.ticks_per_micro;
    const auto add = [&](bool is_change, int64_t micros, int64_t bytes) {
      const uint32_t device = page_.lanes[page_.events[e].lane].device;
      PageCounter& counter = memory_[{device, is_change}];
      counter.device = device;
      counter.process = page_.devices[device].process;
      counter.name = is_change ? "allocated by ops" : "allocator, in use";
      counter.unit = "bytes";
      counter.is_change = is_change;
      const int64_t time = util::SaturatingMul(micros, ticks);
      const int64_t at = time < page_.origin ? 0 : time - page_.origin;
      counter.samples.push_back(
          {std::min(at, page_.span), static_cast<double>(bytes), e});
    };
    for (const profile::Allocation& allocation : detail.allocations) {
      if (allocation.bytes != 0) {
        add(true, allocation.micros, allocation.bytes);
      }
    }
    for (const profile::MemoryDetail& memory : detail.memory) {
      if (memory.allocator_bytes_in_use > 0) {
        add(false, memory.micros, memory.allocator_bytes_in_use);
      }
    }
  }

  const profile::Profile& profile_;
  const std::span<const EventRecord> records_;
  const util::TaskOptions work_;
  Page& page_;
  absl::flat_hash_map<Fields, uint32_t> detail_ids_;
  absl::flat_hash_map<std::pair<uint32_t, bool>, PageCounter> memory_;
};

}  // namespace

void AddDetails(const profile::Profile& profile,
                std::span<const EventRecord> records,
                const util::TaskOptions& work, Page& page) {
  DetailsOfEvents(profile, records, work, page).Add();
}

}  // namespace tfprof::exporters

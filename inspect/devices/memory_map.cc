#include "inspect/devices/memory_map.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "accounting/allocator_levels.h"
#include "fmt/format.h"
#include "inspect/devices/device_words.h"
#include "inspect/devices/memory.h"
#include "inspect/time_cells.h"
#include "profile/steps/time_column.h"
#include "tables/table_builder.h"
#include "util/text/name_match.h"
#include "util/text/nearest.h"
#include "views/allocation_line.h"

namespace tfprof::inspect {
namespace {

using profile::AllocatorBlock;
using profile::AllocatorHistory;
using profile::AllocatorSegment;
using profile::kNanosPerMicro;

tables::DataCell NanosCell(int64_t nanos, bool known = true) {
  return TicksCell(nanos, kNanosPerMicro, known);
}

tables::DataCell StackTextCell(const profile::GraphTables& graph,
                               profile::StackId stack) {
  return stack == profile::kNoStack
             ? tables::DataCell()
             : tables::TextCell(views::StackText(graph, stack));
}

tables::DataCell LineCell(const profile::GraphTables& graph,
                          profile::StackId stack) {
  return tables::TextCell(views::AllocationLine(graph, stack));
}

// An allocator that a map can show.
struct MapSource {
  std::string name;
  size_t moments = 0;  // the last one
  int64_t peak = 0;
  std::optional<size_t> peak_moment;
  int64_t length = 0;  // nanoseconds; 0: no times
};

tables::DataTable SourceTable(const std::vector<MapSource>& sources) {
  tables::TableBuilder table("allocators",
                             {{"peak_bytes", "peak", util::Unit::kBytes, true},
                              {"peak_event", "after", util::Unit::kNumber},
                              {"events", "events", util::Unit::kCount},
                              {"length_micros", "length", util::Unit::kMicros},
                              {"name", "allocator"}});
  for (const MapSource& s : sources) {
    table.AddRow(
        {s.peak,
         tables::IntCell(static_cast<int64_t>(s.peak_moment.value_or(0)),
                         s.peak_moment.has_value()),
         static_cast<int64_t>(s.moments), NanosCell(s.length, s.length > 0),
         tables::TextCell(s.name)});
  }
  return std::move(table).Build();
}

// Whether a person who writes `name` means this allocator.
bool IsNamed(const std::string& allocator, std::string_view name) {
  return name.empty() || allocator.starts_with(name) ||
         name.starts_with(allocator + " ") ||
         util::NameMatches(allocator, name) || IsDeviceMeant(allocator, name);
}

absl::StatusOr<size_t> Find(const std::vector<MapSource>& sources,
                            std::string_view name) {
  for (size_t i = 0; i < sources.size(); ++i) {
    if (IsNamed(sources[i].name, name)) return i;
  }
  std::vector<std::string_view> known;
  for (const MapSource& source : sources) known.push_back(source.name);
  return absl::NotFoundError(
      fmt::format("no allocator {}{}", name, util::NearHint(name, known)));
}

// The tables of a map.
class MapTables {
 public:
  MapTables(const profile::Profile& profile, const AllocatorMap& map,
            const std::vector<int64_t>& times)
      : profile_(profile), map_(map), times_(times) {}

  tables::DataTable Layers() const {
    tables::TableBuilder table(
        "layers", {{"bytes", "at the peak", util::Unit::kBytes, true},
                   {"peak_share", "of it", util::Unit::kShare},
                   {"largest_bytes", "largest", util::Unit::kBytes},
                   {"count", "allocations", util::Unit::kCount},
                   {"made", "made in all", util::Unit::kCount},
                   {"freed", "freed in all", util::Unit::kCount},
                   {"life_micros", "mean life", util::Unit::kMicros},
                   {"name", "owner"},
                   {.name = "stack", .title = "stack", .data_only = true}});
    const int64_t peak = map_.columns[map_.peak_column].allocated;
    for (const AllocatorMap::Layer& layer : map_.layers) {
      table.AddRow(
          {layer.bytes, tables::ShareCell(layer.bytes, peak), layer.largest,
           layer.count, layer.made, layer.freed,
           layer.mean_life > 0
               ? tables::DataCell(layer.mean_life / double{kNanosPerMicro})
               : tables::DataCell(),
           LineCell(profile_.graph(), layer.stack),
           StackTextCell(profile_.graph(), layer.stack)});
    }
    table.SetTotalRows(map_.num_owners);
    return std::move(table).Build();
  }

  tables::DataTable Points(bool has_reserved) const {
    std::vector<tables::DataColumn> columns = {
        {"event", "event", util::Unit::kNumber},
        {"micros", "at", util::Unit::kMicros},
        {"from_event", "from event", util::Unit::kNumber},
        {"from_micros", "from", util::Unit::kMicros},
        {"allocated_bytes", "allocated", util::Unit::kBytes, /*heat=*/true},
        {"reserved_bytes", "reserved", util::Unit::kBytes}};
    for (size_t i = 1; i <= map_.layers.size(); ++i) {
      columns.push_back({.name = fmt::format("layer_{}_bytes", i),
                         .title = fmt::format("owner {}", i),
                         .unit = util::Unit::kBytes,
                         .rank = static_cast<int>(i)});
    }
    columns.push_back({"other_bytes", "others", util::Unit::kBytes});
    tables::TableBuilder table("points", std::move(columns));
    for (const AllocatorMap::Column& c : map_.columns) {
      std::vector<tables::DataCell> row = {
          static_cast<int64_t>(c.moment),
          At(c.moment),
          tables::IntCell(c.from, !map_.by_time),
          map_.by_time ? NanosCell(c.from) : At(static_cast<size_t>(c.from)),
          c.allocated,
          tables::IntCell(c.reserved, has_reserved)};
      row.insert(row.end(), c.layers.begin(), c.layers.end());
      row.emplace_back(c.other);
      table.AddRow(std::move(row));
    }
    return std::move(table).Build();
  }

  tables::DataTable Allocations() const {
    tables::TableBuilder table(
        "allocations",
        {{"bytes", "bytes", util::Unit::kBytes, true},
         {"address", "address", util::Unit::kNumber},
         {"made_event", "made", util::Unit::kNumber},
         {"freed_event", "freed", util::Unit::kNumber},
         {"made_micros", "made at", util::Unit::kMicros},
         {"life_micros", "life", util::Unit::kMicros},
         {"name", "owner"},
         {"operation", "operation"},
         {.name = "stack", .title = "stack", .data_only = true}});
    for (const AllocatorMap::Allocation& a : map_.allocations) {
      const bool lived = a.made && a.freed && !times_.empty();
      table.AddRow({a.bytes, static_cast<int64_t>(a.address), Moment(a.made),
                    Moment(a.freed), a.made ? At(*a.made) : tables::DataCell(),
                    lived ? NanosCell(times_[*a.freed] - times_[*a.made])
                          : tables::DataCell(),
                    LineCell(profile_.graph(), a.stack),
                    a.op == profile::kNone
                        ? tables::DataCell()
                        : tables::TextCell(profile_.strings().Get(a.op)),
                    StackTextCell(profile_.graph(), a.stack)});
    }
    table.SetTotalRows(map_.num_allocations);
    return std::move(table).Build();
  }

  tables::DataTable Failures() const {
    tables::TableBuilder table(
        "failures",
        {{"event", "event", util::Unit::kNumber},
         {"micros", "at", util::Unit::kMicros},
         {"requested_bytes", "requested", util::Unit::kBytes, true},
         {"device_free_bytes", "free on device", util::Unit::kBytes},
         {"allocated_bytes", "allocated", util::Unit::kBytes},
         {"reserved_bytes", "reserved", util::Unit::kBytes},
         {"name", "line"},
         {.name = "stack", .title = "stack", .data_only = true}});
    for (const AllocatorMap::Failure& f : map_.failures) {
      table.AddRow({static_cast<int64_t>(f.moment), At(f.moment), f.requested,
                    f.device_free, f.allocated, f.reserved,
                    LineCell(profile_.graph(), f.stack),
                    StackTextCell(profile_.graph(), f.stack)});
    }
    return std::move(table).Build();
  }

  tables::DataCell At(size_t moment) const {
    return times_.empty() ? tables::DataCell() : NanosCell(times_[moment]);
  }

 private:
  static tables::DataCell Moment(std::optional<size_t> moment) {
    return tables::IntCell(static_cast<int64_t>(moment.value_or(0)),
                           moment.has_value());
  }

  const profile::Profile& profile_;
  const AllocatorMap& map_;
  const std::vector<int64_t>& times_;
};

tables::DataDocument MakeDocument(const profile::Profile& profile,
                                  const AllocatorMap& map,
                                  const std::vector<int64_t>& times,
                                  const std::vector<MapSource>& sources,
                                  size_t chosen, std::string_view missing) {
  const bool is_snapshot = missing.empty();
  const MapTables made(profile, map, times);
  const AllocatorMap::Column& peak = map.columns[map.peak_column];
  tables::DataDocument document;
  document.kind = "memory";
  document.facts = {
      {{"allocator", "allocator"}, tables::TextCell(sources[chosen].name)},
      {{"peak_bytes", "largest in the window", util::Unit::kBytes},
       peak.allocated},
      {{"peak_event", "after event", util::Unit::kNumber},
       static_cast<int64_t>(peak.moment)},
      {{"peak_micros", "at", util::Unit::kMicros}, made.At(peak.moment)},
      {{"first_event", "first event", util::Unit::kNumber},
       static_cast<int64_t>(map.first)},
      {{"last_event", "last event", util::Unit::kNumber},
       static_cast<int64_t>(map.last)}};
  if (!is_snapshot) {
    document.facts.push_back(
        {{"missing", "missing"}, tables::TextCell(missing)});
  }
  document.parts.push_back({"Allocators", SourceTable(sources)});
  document.parts.push_back({"Owners in the window", made.Layers()});
  document.parts.push_back({"Allocations of the window", made.Allocations()});
  document.parts.push_back({"Failed requests", made.Failures()});
  document.parts.push_back({"Levels", made.Points(is_snapshot)});
  return document;
}

std::vector<MapSource> SnapshotSources(
    const std::vector<const AllocatorHistory*>& histories) {
  std::vector<MapSource> sources;
  for (const AllocatorHistory* history : histories) {
    const accounting::AllocatorLevels levels = accounting::LevelsOf(*history);
    MapSource& source = sources.emplace_back();
    source.name = history->name;
    source.moments = history->events.size();
    source.peak = levels.allocated.peak;
    source.peak_moment = levels.allocated.peak_event
                             ? *levels.allocated.peak_event + 1
                             : size_t{0};
    const std::vector<int64_t> times = MomentTimes(*history);
    if (!times.empty()) source.length = times.back();
  }
  return sources;
}

// The histories with the largest reserve first, as `memory` has them.
std::vector<const AllocatorHistory*> Sorted(const profile::Profile& profile) {
  std::vector<std::pair<int64_t, const AllocatorHistory*>> order;
  for (const AllocatorHistory& history : profile.allocators()) {
    order.emplace_back(-accounting::LevelsOf(history).reserved.peak, &history);
  }
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const AllocatorHistory*> sorted;
  sorted.reserve(order.size());
  for (const auto& [reserved, history] : order) sorted.push_back(history);
  return sorted;
}

absl::StatusOr<tables::DataDocument> SeriesMap(views::Views& views,
                                               int64_t step,
                                               std::string_view name,
                                               const MapRequest& request) {
  const absl::StatusOr<MemoryChart> chart = MakeMemoryChart(views, step, "");
  if (!chart.ok()) return chart.status();
  if (chart->series.empty()) {
    return absl::FailedPreconditionError(
        "the file has no memory over time, only the bytes of operations: the "
        "command memory lists them");
  }
  const auto nanos = [&](int64_t ticks) {
    return profile::TicksToNanos(ticks, chart->ticks_per_micro);
  };
  std::vector<MapSource> sources;
  for (const MemoryChart::Series& series : chart->series) {
    MapSource& source = sources.emplace_back();
    source.name = series.name;
    source.moments = series.samples.empty() ? 0 : series.samples.size() - 1;
    source.peak = series.peak;
    if (!series.samples.empty()) {
      source.length = nanos(series.samples.back().time);
    }
    for (size_t i = 0; i < series.samples.size(); ++i) {
      if (series.samples[i].bytes != series.peak) continue;
      source.peak_moment = i;
      break;
    }
  }
  const absl::StatusOr<size_t> chosen = Find(sources, name);
  if (!chosen.ok()) return chosen.status();
  std::vector<int64_t> levels;
  std::vector<int64_t> times;
  for (const MemoryChart::Sample& s : chart->series[*chosen].samples) {
    levels.push_back(s.bytes);
    times.push_back(std::max(times.empty() ? 0 : times.back(), nanos(s.time)));
  }
  const absl::StatusOr<AllocatorMap> map = MapOfLevel(levels, times, request);
  if (!map.ok()) return map.status();
  return MakeDocument(
      views.profile(), *map, times, sources, *chosen,
      "this file has levels of memory without their owners, reserved memory "
      "and segments; a memory snapshot of PyTorch has them "
      "(torch.cuda.memory._record_memory_history, then _dump_snapshot)");
}

std::string_view StateName(AllocatorBlock::State state) {
  switch (state) {
    case AllocatorBlock::State::kAllocated:
      return "allocated";
    case AllocatorBlock::State::kAwaitingFree:
      return "awaiting";
    case AllocatorBlock::State::kFree:
      break;
  }
  return "free";
}

}  // namespace

absl::StatusOr<tables::DataDocument> MemoryMapDocument(
    views::Views& views, int64_t step, std::string_view name,
    const MapRequest& request) {
  const profile::Profile& profile = views.profile();
  if (profile.allocators().empty()) {
    return SeriesMap(views, step, name, request);
  }
  const std::vector<const AllocatorHistory*> histories = Sorted(profile);
  const std::vector<MapSource> sources = SnapshotSources(histories);
  const absl::StatusOr<size_t> chosen = Find(sources, name);
  if (!chosen.ok()) return chosen.status();
  const AllocatorHistory& history = *histories[*chosen];
  const absl::StatusOr<AllocatorMap> map =
      MapOf(history, profile.graph().stacks.size(), request);
  if (!map.ok()) return map.status();
  return MakeDocument(profile, *map, MomentTimes(history), sources, *chosen,
                      "");
}

absl::StatusOr<tables::DataDocument> MemoryBlocksDocument(
    views::Views& views, std::string_view name) {
  const profile::Profile& profile = views.profile();
  if (profile.allocators().empty()) {
    return absl::FailedPreconditionError(
        "only memory snapshots of PyTorch have segments and blocks; to make "
        "one: torch.cuda.memory._dump_snapshot(FILE)");
  }
  const std::vector<const AllocatorHistory*> histories = Sorted(profile);
  std::vector<MapSource> sources;
  for (const AllocatorHistory* history : histories) {
    sources.push_back({.name = history->name});
  }
  const absl::StatusOr<size_t> chosen = Find(sources, name);
  if (!chosen.ok()) return chosen.status();
  const AllocatorHistory& history = *histories[*chosen];
  tables::TableBuilder segments(
      "segments", {{"segment", "segment", util::Unit::kNumber},
                   {"reserved_bytes", "reserved", util::Unit::kBytes, true},
                   {"allocated_bytes", "allocated", util::Unit::kBytes},
                   {"internal_bytes", "rounding", util::Unit::kBytes},
                   {"external_bytes", "free", util::Unit::kBytes},
                   {"awaiting_bytes", "awaiting", util::Unit::kBytes},
                   {"largest_free_bytes", "largest free", util::Unit::kBytes},
                   {"address", "address", util::Unit::kNumber},
                   {"pool", "pool"},
                   {"stream", "stream", util::Unit::kNumber}});
  tables::TableBuilder blocks(
      "blocks", {{"segment", "segment", util::Unit::kNumber},
                 {"bytes", "bytes", util::Unit::kBytes, true},
                 {"requested_bytes", "requested", util::Unit::kBytes},
                 {"address", "address", util::Unit::kNumber},
                 {"state", "state"},
                 {"name", "owner"},
                 {.name = "stack", .title = "stack", .data_only = true}});
  std::vector<const AllocatorSegment*> order;
  for (const AllocatorSegment& segment : history.segments) {
    order.push_back(&segment);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const AllocatorSegment* a, const AllocatorSegment* b) {
                     return a->bytes > b->bytes;
                   });
  accounting::SegmentSums all;
  int64_t number = 0;
  for (const AllocatorSegment* segment : order) {
    ++number;
    const accounting::SegmentSums sums = accounting::SumsOf(history, *segment);
    all.Add(sums);
    segments.AddRow({number, sums.reserved, sums.allocated, sums.internal,
                     sums.external, sums.awaiting, sums.largest_free,
                     static_cast<int64_t>(segment->address),
                     tables::TextCell(segment->small ? "small" : "large"),
                     segment->stream});
    uint64_t address = segment->address;
    for (const AllocatorBlock& block :
         std::span(history.blocks)
             .subspan(segment->first_block, segment->num_blocks)) {
      const bool is_free = block.state == AllocatorBlock::State::kFree;
      blocks.AddRow({number, block.bytes,
                     tables::IntCell(block.requested, !is_free),
                     static_cast<int64_t>(address),
                     tables::TextCell(StateName(block.state)),
                     is_free ? tables::DataCell()
                             : LineCell(profile.graph(), block.stack),
                     is_free ? tables::DataCell()
                             : StackTextCell(profile.graph(), block.stack)});
      address += static_cast<uint64_t>(block.bytes);
    }
  }
  tables::DataDocument document;
  document.kind = "memory";
  document.facts = {
      {{"allocator", "allocator"}, tables::TextCell(history.name)},
      {{"reserved_bytes", "reserved", util::Unit::kBytes}, all.reserved},
      {{"allocated_bytes", "allocated", util::Unit::kBytes}, all.allocated},
      {{"internal_bytes", "rounding", util::Unit::kBytes}, all.internal},
      {{"external_bytes", "free", util::Unit::kBytes}, all.external},
      {{"awaiting_bytes", "awaiting", util::Unit::kBytes}, all.awaiting}};
  document.parts.push_back(
      {"Segments at the end", std::move(segments).Build()});
  document.parts.push_back({"Blocks", std::move(blocks).Build()});
  return document;
}

}  // namespace tfprof::inspect

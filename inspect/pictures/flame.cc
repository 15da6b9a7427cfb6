#include "inspect/pictures/flame.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "accounting/statistics.h"
#include "fmt/format.h"
#include "inspect/steps/step_facts.h"
#include "tables/numbers.h"
#include "tables/stat_column.h"
#include "tables/table_builder.h"

namespace tfprof::inspect {
namespace {

views::Report ReportOf(views::Views& views, views::View tree,
                       const views::ViewOptions& options,
                       accounting::Stat stat) {
  views::ViewOptions sorted = options;
  // Sorting by runs would sort by name, as in the reference.
  sorted.order = views::ViewOptions::Order::kStat;
  sorted.order_stat = stat;
  return views.Show(tree, sorted);
}

// The rows at and below a row of the view: [first, last). Empty if the row is
// not shown.
std::pair<size_t, size_t> RowsBelow(const views::Report& report,
                                    uint32_t view_row) {
  size_t first = 0;
  while (first < report.rows.size() &&
         report.rows[first].view_row != view_row) {
    ++first;
  }
  size_t last = first;
  while (
      last < report.rows.size() &&
      (last == first || report.rows[last].depth > report.rows[first].depth)) {
    ++last;
  }
  return {first, last};
}

// Sets the positions of the children of a frame, which come after it.
void PlaceParts(Flame& flame, size_t at) {
  Flame::Frame& frame = flame.frames[at];
  double sum = 0;
  for (size_t part = at + 1; part < frame.end; part = flame.frames[part].end) {
    sum += static_cast<double>(flame.frames[part].total);
  }
  const auto total = static_cast<double>(frame.total);
  flame.overfull += sum > total;
  const double scale = frame.width / std::max(sum, total);
  double start = frame.start;
  for (size_t part = at + 1; part < frame.end; part = flame.frames[part].end) {
    Flame::Frame& below = flame.frames[part];
    below.start = start;
    below.width = scale * static_cast<double>(below.total);
    start += below.width;
  }
}

bool HasLevels(const Flame& flame) {
  return std::any_of(flame.frames.begin(), flame.frames.end(),
                     [](const Flame::Frame& f) { return f.depth > 1; });
}

}  // namespace

std::optional<accounting::Stat> FlameCost(views::Views& views,
                                          const views::ViewOptions& options,
                                          std::vector<std::string>& notes) {
  views::ViewOptions root = options;
  root.max_depth = 0;
  const accounting::Stats sums =
      views.Show(views::View::kScope, root).root_total;
  if (accounting::HasBothTimes(sums)) {
    accounting::Stat most = accounting::kAcceleratorMicros;
    accounting::Stat other = accounting::kCpuMicros;
    if (sums[other] > sums[most]) std::swap(most, other);
    const auto where = [](accounting::Stat stat) {
      return stat == accounting::kCpuMicros ? "CPUs" : "accelerators";
    };
    notes.push_back(fmt::format(
        "widths are the time on {}; -select {} shows the {} on {}", where(most),
        accounting::StatisticOf(other).name,
        tables::FormatTime(sums[other], views.profile().ticks_per_micro()),
        where(other)));
    return most;
  }
  if (sums[accounting::kMicros] > 0) return accounting::kMicros;
  for (const accounting::Stat stat :
       {accounting::kFloatOps, accounting::kParameters,
        accounting::kRequestedBytes}) {
    if (sums[stat] <= 0) continue;
    notes.push_back(fmt::format("no times were recorded: widths are {}",
                                accounting::StatisticOf(stat).title));
    return stat;
  }
  return std::nullopt;
}

Flame MakeFlame(views::Views& views, const Place& place,
                const views::ViewOptions& options, accounting::Stat stat) {
  Flame flame;
  flame.profile = &views.profile();
  flame.tree = place.tree;
  flame.place = PlaceText(views, place);
  flame.stat = stat;
  flame.step = options.step;
  const views::Report report = ReportOf(views, place.tree, options, stat);
  const auto [first, last] = RowsBelow(report, place.row());
  if (first == last) return flame;
  // The numbers of the frames that are open.
  std::vector<uint32_t> open;
  uint32_t hidden_below = std::numeric_limits<uint32_t>::max();
  for (size_t r = first; r < last; ++r) {
    const views::Report::Row& row = report.rows[r];
    const uint32_t depth = row.depth - report.rows[first].depth;
    if (depth > hidden_below) continue;
    hidden_below = std::numeric_limits<uint32_t>::max();
    const int64_t total = row.total[stat];
    if (total <= 0) {
      hidden_below = depth;
      continue;
    }
    const auto number = static_cast<uint32_t>(flame.frames.size());
    while (!open.empty() && flame.frames[open.back()].depth >= depth) {
      flame.frames[open.back()].end = number;
      open.pop_back();
    }
    open.push_back(number);
    flame.frames.push_back(
        {.name = row.view_row == views::kRootRow
                     ? std::string_view()
                     : RowLabel(views, place.tree, row.view_row),
         .depth = depth,
         .total = total,
         // The root of a view is no node and has no own cost.
         .self = std::max<int64_t>(0, row.self[stat])});
  }
  for (const uint32_t number : open) {
    flame.frames[number].end = static_cast<uint32_t>(flame.frames.size());
  }
  if (!flame.frames.empty()) flame.frames[0].width = 1;
  for (size_t at = 0; at < flame.frames.size(); ++at) PlaceParts(flame, at);
  return flame;
}

Place PlaceWithLevels(views::Views& views, const Place& place,
                      const views::ViewOptions& options,
                      accounting::Stat stat) {
  if (place.tree != views::View::kScope || !place.rows.empty() ||
      !views.profile().graph().has_code_traces ||
      HasLevels(MakeFlame(views, place, options, stat))) {
    return place;
  }
  const Place code = {views::View::kCode, {}};
  return HasLevels(MakeFlame(views, code, options, stat)) ? code : place;
}

tables::DataTable FlameTable(const Flame& flame) {
  tables::DataColumn total = tables::StatColumn(flame.stat, "total_");
  total.heat = true;
  tables::DataColumn self = tables::StatColumn(flame.stat, "self_");
  self.title += " (self)";
  tables::DataTable table;
  table.kind = "flame";
  table.columns = {{"name", "name"},
                   std::move(total),
                   std::move(self),
                   {"share", "share", util::Unit::kShare},
                   {"start_share", "start", util::Unit::kShare}};
  table.facts.push_back(
      {{"tree", "tree"},
       tables::TextCell(flame.tree == views::View::kCode ? "code" : "scope")});
  table.facts.push_back({{"place", "in"}, tables::TextCell(flame.place)});
  AddStepFacts("of", flame.step, &table.facts);
  table.num_rows = table.total_rows = flame.frames.size();
  table.cells = [&flame](size_t row, std::vector<tables::DataCell>& cells) {
    const Flame::Frame& frame = flame.frames[row];
    cells = {tables::TextCell(frame.name.empty() ? std::string_view(flame.place)
                                                 : frame.name),
             tables::StatCell(*flame.profile, flame.stat, frame.total),
             tables::StatCell(*flame.profile, flame.stat, frame.self),
             tables::ShareCell(frame.total, flame.whole()), frame.start};
  };
  table.depth = [&flame](size_t row) { return flame.frames[row].depth; };
  return table;
}

}  // namespace tfprof::inspect

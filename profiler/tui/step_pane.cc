#include "profiler/tui/step_pane.h"

#include <algorithm>

#include "inspect/steps/step_facts.h"
#include "profiler/commands/commands.h"
#include "tables/cell_text.h"
#include "timeline/account/step_wall.h"
#include "util/text/text_layout.h"

namespace tfprof::tui {
namespace {

constexpr size_t kFirstStep = 2;  // behind the average and the sum

}  // namespace

StepPane::StepPane(commands::Workspace& workspace) {
  entries_.push_back({.step = accounting::kAverageOfSteps, .label = "average"});
  entries_.push_back({.step = accounting::kAllSteps, .label = "all"});
  commands::Command command;
  command.info = commands::FindCommand("steps");
  answer_ = commands::Run(command, workspace);
  if (!answer_.status.ok() || answer_.data.parts.empty()) return;
  const tables::DataTable& table = answer_.data.parts[0].table;
  size_t wall = 0;  // its column; the first one is the step
  for (size_t c = 1; c < table.columns.size() && wall == 0; ++c) {
    if (table.columns[c].unit == util::Unit::kMicros) wall = c;
  }
  if (wall > 0) title_ = table.columns[wall].title;
  const int64_t usual =
      timeline::MedianWall(timeline::StepWalls(workspace.views()));
  const double usual_micros =
      static_cast<double>(usual) /
      static_cast<double>(workspace.profile().ticks_per_micro());
  double longest = 0;
  std::vector<double> walls;
  std::vector<tables::DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    Entry entry;
    if (const auto* step = std::get_if<int64_t>(&cells[0])) entry.step = *step;
    entry.label = tables::NumberText(cells[0], table.columns[0]);
    if (wall > 0 && !tables::IsNothing(cells[wall])) {
      entry.wall = tables::NumberText(cells[wall], table.columns[wall]);
    }
    walls.push_back(wall > 0 ? tables::NumberOf(cells[wall]) : 0);
    longest = std::max(longest, walls.back());
    label_columns_ = std::max(label_columns_, util::Columns(entry.label));
    wall_columns_ = std::max(wall_columns_, util::Columns(entry.wall));
    entries_.push_back(std::move(entry));
  }
  for (size_t i = 0; i < walls.size(); ++i) {
    Entry& entry = entries_[kFirstStep + i];
    entry.length = longest > 0 ? walls[i] / longest : 0;
    entry.odd = walls.size() > 2 && usual_micros > 0 &&
                walls[i] >= timeline::kOddStep * usual_micros;
  }
}

size_t StepPane::Find(int64_t step) const {
  const auto at =
      std::find_if(entries_.begin(), entries_.end(),
                   [&](const Entry& entry) { return entry.step == step; });
  return at == entries_.end() ? 0 : static_cast<size_t>(at - entries_.begin());
}

tables::DataDocument StepPane::Details(size_t entry) const {
  tables::DataDocument document;
  document.kind = "steps";
  const auto add = [&](tables::DataColumn column, tables::DataCell cell) {
    document.facts.emplace_back(std::move(column), std::move(cell));
  };
  if (entry < kFirstStep) {
    add({.name = "step", .title = "step"}, entries_[entry].label);
    add({.name = "times", .title = "times"},
        tables::TextCell(inspect::StepText(entries_[entry].step)));
    add({.name = "steps", .title = "steps", .unit = util::Unit::kCount},
        static_cast<int64_t>(entries_.size() - kFirstStep));
    return document;
  }
  const tables::DataTable& table = answer_.data.parts[0].table;
  std::vector<tables::DataCell> cells;
  table.cells(entry - kFirstStep, cells);
  for (size_t c = 0; c < cells.size(); ++c) {
    if (!table.columns[c].data_only) add(table.columns[c], cells[c]);
  }
  return document;
}

}  // namespace tfprof::tui

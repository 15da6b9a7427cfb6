// The rows of a comparison. They come from the answer of a view's command.

#include <algorithm>
#include <limits>
#include <utility>

#include "profiler/commands/commands.h"
#include "profiler/tui/tree_rows.h"

namespace tfprof::tui {
namespace {

// The table of an answer with differences. In a tree, row 0 is the first row of
// the table; in op it is the sum of all rows.
class DiffRows : public TreeRows {
 public:
  DiffRows(tables::Answer answer, views::View view, accounting::Stat stat)
      : answer_(std::move(answer)), view_(view), stat_(stat) {
    const size_t offset = table().depth ? 0 : 1;
    const size_t rows = table().num_rows + offset;
    names_.resize(std::max<size_t>(rows, 1));
    parent_.assign(names_.size(), kTopRow);
    std::vector<uint32_t> above;  // by depth
    std::vector<tables::DataCell> cells;
    for (size_t i = 0; i < table().num_rows; ++i) {
      const auto row = static_cast<uint32_t>(i + offset);
      table().cells(i, cells);
      if (const auto* name = std::get_if<std::string>(&cells[0])) {
        names_[row] = *name;
      }
      if (offset == 1) continue;
      above.resize(table().depth(i), kTopRow);
      if (!above.empty()) parent_[row] = above.back();
      above.push_back(row);
    }
    LinkChildren();
    for (size_t c = 0; c < table().columns.size(); ++c) {
      const tables::DataColumn& column = table().columns[c];
      if (column.unit != util::Unit::kText && !column.data_only) {
        numbers_.push_back(c);
      }
    }
  }

  size_t size() const override { return names_.size(); }
  std::vector<uint32_t> Children(uint32_t row) const override {
    return {children_.begin() + begin_[row],
            children_.begin() + begin_[row + 1]};
  }
  bool HasChildren(uint32_t row) const override {
    return begin_[row] != begin_[row + 1];
  }
  std::string_view Label(uint32_t row) const override {
    std::string_view label = names_[row];
    const std::string& above = names_[parent_[row]];
    if (view_ == views::View::kScope && parent_[row] != kTopRow &&
        label.size() > above.size() && label.starts_with(above)) {
      label.remove_prefix(above.size() + 1);
    }
    return label;
  }
  std::string_view Name(uint32_t row) const override { return names_[row]; }

  // People want the change and the value afterwards first.
  std::vector<tables::DataColumn> Columns(const Measure&) const override {
    std::vector<tables::DataColumn> columns;
    for (const size_t c : numbers_) {
      columns.push_back(table().columns[c]);
      const std::string& name = columns.back().name;
      columns.back().rank = name.ends_with("_delta")    ? 0
                            : name.ends_with("_after")  ? 1
                            : name.ends_with("_change") ? 2
                                                        : 3;
    }
    return columns;
  }
  void Cells(uint32_t row, const Measure&,
             std::vector<tables::DataCell>& cells) const override {
    const std::vector<tables::DataCell> all = RowCells(row);
    cells.clear();
    for (const size_t c : numbers_) {
      cells.push_back(c < all.size() ? all[c] : tables::DataCell());
    }
  }
  // The table has the largest change first.
  int64_t Key(uint32_t row, const Measure&) const override {
    return -static_cast<int64_t>(row);
  }
  double Share(uint32_t, const Measure&) const override { return 0; }

  tables::DataDocument Details(std::span<const uint32_t> path) const override {
    const uint32_t row = path.empty() ? kTopRow : path.back();
    tables::DataDocument document;
    document.kind = "diff";
    const std::vector<tables::DataCell> cells = RowCells(row);
    for (size_t c = 0; c < cells.size(); ++c) {
      if (table().columns[c].data_only) continue;
      document.facts.push_back({table().columns[c], cells[c]});
    }
    for (const auto& [column, cell] : answer_.data.facts) {
      if (column.name != "base" && column.name != "unchanged_rows") continue;
      document.facts.push_back({column, cell});
      document.facts.back().first.title =
          column.name == "base" ? "base" : "unchanged rows";
    }
    return document;
  }

  std::vector<Measure> Measures() const override {
    return {{.stat = stat_}, {.stat = stat_, .by_name = true}};
  }

 private:
  const tables::DataTable& table() const { return answer_.data.parts[0].table; }

  void LinkChildren() {
    begin_.assign(size() + 1, 0);
    for (size_t row = 1; row < size(); ++row) ++begin_[parent_[row] + 1];
    for (size_t row = 0; row < size(); ++row) {
      begin_[row + 1] += begin_[row];
    }
    children_.resize(begin_.back());
    std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (size_t row = 1; row < size(); ++row) {
      children_[next[parent_[row]]++] = static_cast<uint32_t>(row);
    }
  }

  // Returns nothing for a diff without a row.
  std::vector<tables::DataCell> RowCells(uint32_t row) const {
    std::vector<tables::DataCell> cells;
    if (table().depth) {
      if (row < table().num_rows) table().cells(row, cells);
    } else if (row == kTopRow) {
      cells = table().totals;
    } else {
      table().cells(row - 1, cells);
    }
    return cells;
  }

  const tables::Answer answer_;
  const views::View view_;
  const accounting::Stat stat_;
  std::vector<std::string> names_;
  std::vector<uint32_t> parent_;
  std::vector<uint32_t> begin_, children_;  // as in AccountedTree
  std::vector<size_t> numbers_;             // columns with numbers
};

std::string_view CommandName(views::View view) {
  for (const commands::CommandInfo* command : commands::CommandTable()) {
    if (command->view == view) return command->name;
  }
  return "";
}

}  // namespace

absl::StatusOr<std::unique_ptr<TreeRows>> MakeDiffRows(
    views::View view, const views::ViewOptions& options, accounting::Stat stat,
    commands::Workspace& workspace) {
  commands::Command command;
  command.info = commands::FindCommand(CommandName(view));
  views::ViewOptions& all = command.options.view;
  all.step = options.step;
  all.flops = options.flops;
  all.account_types = options.account_types;
  command.options.max_depth = std::numeric_limits<int32_t>::max();
  all.select = {};
  all.select.Add(stat);
  tables::Answer answer = commands::Run(command, workspace);
  if (!answer.status.ok()) return answer.status;
  return std::make_unique<DiffRows>(std::move(answer), view, stat);
}

}  // namespace tfprof::tui

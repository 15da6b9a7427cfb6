#include "profiler/tui/draw.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "accounting/statistics.h"
#include "fmt/format.h"
#include "inspect/steps/step_facts.h"
#include "tables/bar_text.h"
#include "tables/cell_text.h"
#include "util/text/counted.h"
#include "util/text/text_layout.h"
#include "util/text/utf8.h"

namespace tfprof::tui {
namespace {

// A row is hot or warm from these shares on, and dim below the last one, as in
// tables (tables/writers/render_table.h).
constexpr double kHot = 0.20;
constexpr double kWarm = 0.05;
constexpr double kCold = 0.005;

constexpr size_t kBarColumns = 10;
constexpr size_t kStepBarColumns = 8;

constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
    {"arrows, pages, j k g G", "move; the space bar: a page down"},
    {"Enter, Right", "open the row; of a node, read its details"},
    {"Left", "close the row, or go to the row above"},
    {"Tab, Shift-Tab", "next pane: steps, tree, details"},
    {"Enter in the steps", "show this step; average and all are there too"},
    {"/, n, N", "search in all names; next, previous"},
    {"f", "show only rows with a text in their names"},
    {"s, S", "sort by the next number, or by the one before"},
    {"v, V", "next view: scope, graph, op, code; previous"},
    {"d", "compare with the base, or ask for its file"},
    {"mouse", "click: go there; again: open or close; wheel"},
    {"?", "this help"},
    {"q, Ctrl-C", "leave"},
};

class Painter {
 public:
  Painter(const Browser& browser, bool unicode)
      : browser_(browser), unicode_(unicode), layout_(browser.layout()) {
    picture_.width = browser.width();
    picture_.height = browser.height();
    picture_.lines.resize(picture_.height);
  }

  Picture Paint() && {
    if (!layout_.fits) {
      TooSmall();
      return std::move(picture_);
    }
    Title();
    if (browser_.help()) {
      Help();
    } else {
      Steps();
      if (browser_.has_tree()) Tree();
      Details();
      Borders();
    }
    Status();
    Keys();
    return std::move(picture_);
  }

 private:
  std::string Fit(std::string_view text, size_t columns) const {
    return InColumns(text, columns, unicode_);
  }
  std::string Safe(std::string_view text) const {
    return ScreenText(text, unicode_);
  }

  void TooSmall() {
    const std::string text =
        fmt::format("This window is {}x{}; tui needs {}x{}. q leaves.",
                    picture_.width, picture_.height, kLeastWidth, kLeastHeight);
    size_t y = 0;
    for (std::string_view rest = text; !rest.empty() && picture_.width > 0;) {
      const std::string_view line = rest.substr(0, picture_.width);
      picture_.Put(0, y++, std::string(line), Style::kPlain);
      rest.remove_prefix(line.size());
    }
  }

  // The name of the view, of the step, and of the order.
  std::string What() const {
    const Browser::Shown& shown = browser_.shown();
    constexpr std::string_view kNames[] = {"scope", "graph", "op", "code"};
    const std::string_view stat =
        accounting::StatisticOf(shown.measure.stat).title;
    const std::string order =
        shown.measure.by_name ? "by name"
        : shown.diff
            ? fmt::format("by change of {}", stat)
            : fmt::format("by {}{}", shown.measure.self ? "self " : "", stat);
    return fmt::format("{}, {}, {}{}", kNames[static_cast<size_t>(shown.view)],
                       order, inspect::StepText(shown.step),
                       shown.diff ? ", difference to the base" : "");
  }

  void Title() {
    const std::string what = browser_.has_tree() ? What() : "";
    const size_t room = picture_.width - 2;
    const size_t right = std::min(util::Columns(what), room);
    const size_t left = room - right;
    std::string line = " ";
    line += Fit(left > 2 ? Safe("tfprof  " + browser_.files()) : "",
                left > 2 ? left - 2 : left);
    if (left > 2) line += "  ";
    line += Fit(what, right);
    line += ' ';
    picture_.Put(0, 0, std::move(line), Style::kTitle);
  }

  Style HeadingStyle(Pane pane) const {
    return browser_.focus() == pane ? Style::kActive : Style::kHeading;
  }

  Style CursorStyle(Pane pane) const {
    return browser_.focus() == pane ? Style::kSelected : Style::kMarked;
  }

  void Steps() {
    const Layout::Columns& at = layout_.of(Pane::kSteps);
    if (at.width == 0) return;
    const StepPane& steps = browser_.steps();
    const bool bars = at.width > steps.label_columns() + steps.wall_columns() +
                                     kStepBarColumns + 3;
    const size_t numbers = bars ? at.width - kStepBarColumns - 1 : at.width;
    std::string heading = " step";
    heading += AtRight(steps.title(), numbers - heading.size());
    picture_.Put(at.begin, 1, Fit(heading, at.width),
                 HeadingStyle(Pane::kSteps));
    for (size_t i = 0; i < layout_.rows; ++i) {
      const size_t line = browser_.top(Pane::kSteps) + i;
      if (line >= steps.entries().size()) break;
      const StepPane::Entry& entry = steps.entries()[line];
      const bool current = entry.step == browser_.shown().step;
      std::string text = current ? (unicode_ ? "●" : "*") : " ";
      const bool words = entry.wall.empty() && entry.length == 0;
      text += words ? entry.label : AtRight(entry.label, steps.label_columns());
      const size_t used = util::Columns(text);
      if (used < numbers) text += AtRight(entry.wall, numbers - used);
      if (bars && entry.length > 0) {
        text += ' ';
        text += tables::BarText(entry.length, kStepBarColumns, unicode_);
      }
      const Style style = line == browser_.step_cursor()
                              ? CursorStyle(Pane::kSteps)
                          : entry.odd ? Style::kHot
                                      : Style::kPlain;
      picture_.Put(at.begin, Layout::kFirstRow + i, Fit(text, at.width), style);
    }
  }

  // A column of numbers of the tree.
  struct Column {
    size_t index = 0;
    size_t width = 0;
  };

  std::string CellText(const tables::DataCell& cell,
                       const tables::DataColumn& column) const {
    if (column.delta) return tables::DeltaText(cell, column.unit);
    return tables::IsNothing(cell) ? column.nothing
                                   : tables::NumberText(cell, column);
  }

  void Tree() {
    const Layout::Columns& at = layout_.of(Pane::kTree);
    if (at.width == 0) return;
    const TreePane& tree = browser_.tree();
    const size_t top = browser_.top(Pane::kTree);
    const size_t end = std::min(top + layout_.rows, tree.lines().size());
    const std::vector<tables::DataColumn> columns =
        tree.rows().Columns(tree.measure());
    // The texts of the lines on the screen.
    std::vector<std::vector<std::string>> texts;
    std::vector<size_t> widths;
    for (const tables::DataColumn& column : columns) {
      widths.push_back(util::Columns(column.title));
    }
    std::vector<tables::DataCell> cells;
    for (size_t line = top; line < end; ++line) {
      tree.rows().Cells(tree.lines()[line].row, tree.measure(), cells);
      std::vector<std::string>& row = texts.emplace_back();
      for (size_t c = 0; c < columns.size(); ++c) {
        row.push_back(c < cells.size() ? CellText(cells[c], columns[c]) : "");
        widths[c] = std::max(widths[c], util::Columns(row[c]));
      }
    }
    const std::vector<Column> fitting =
        FittingColumns(columns, widths, at.width);
    size_t used = 0;
    for (const Column& column : fitting) used += column.width + 1;
    // A bar shows a share; differences have none.
    constexpr size_t kNameColumns = 24;
    const bool bar = !browser_.shown().diff &&
                     at.width > used + kBarColumns + 1 + kNameColumns;
    if (bar) used += kBarColumns + 1;
    const size_t name = at.width - std::min(used, at.width);

    constexpr std::string_view kTitles[] = {"scope", "graph", "op", "code"};
    std::string heading =
        Fit(kTitles[static_cast<size_t>(browser_.shown().view)], name);
    for (const Column& column : fitting) {
      heading += ' ';
      heading += AtRight(columns[column.index].title, column.width);
    }
    picture_.Put(at.begin, 1, Fit(heading, at.width),
                 HeadingStyle(Pane::kTree));
    for (size_t line = top; line < end; ++line) {
      const TreePane::Line& of = tree.lines()[line];
      std::string text = NameText(of, name);
      for (const Column& column : fitting) {
        text += ' ';
        text += AtRight(texts[line - top][column.index], column.width);
      }
      const double share = tree.rows().Share(of.row, tree.measure());
      if (bar) {
        text += ' ';
        text += tables::BarText(share, kBarColumns, unicode_);
      }
      picture_.Put(at.begin, Layout::kFirstRow + line - top,
                   Fit(text, at.width), LineStyle(of, line, share));
    }
  }

  Style LineStyle(const TreePane::Line& of, size_t line, double share) const {
    const TreePane& tree = browser_.tree();
    if (line == tree.cursor()) return CursorStyle(Pane::kTree);
    if (browser_.shown().diff || of.row == kTopRow) return Style::kPlain;
    return share >= kHot    ? Style::kHot
           : share >= kWarm ? Style::kWarm
           : share < kCold  ? Style::kDim
                            : Style::kPlain;
  }

  // The columns of the lowest ranks for which there is room beside the names.
  static std::vector<Column> FittingColumns(
      const std::vector<tables::DataColumn>& columns,
      const std::vector<size_t>& widths, size_t width) {
    const size_t names = std::clamp<size_t>(width / 2, 10, 32);
    std::vector<size_t> by_rank(columns.size());
    for (size_t c = 0; c < columns.size(); ++c) by_rank[c] = c;
    std::stable_sort(by_rank.begin(), by_rank.end(), [&](size_t a, size_t b) {
      return columns[a].rank < columns[b].rank;
    });
    std::vector<Column> fitting;
    size_t used = names;
    for (const size_t c : by_rank) {
      if (used + widths[c] + 1 > width) break;
      used += widths[c] + 1;
      fitting.push_back({c, widths[c]});
    }
    std::sort(
        fitting.begin(), fitting.end(),
        [](const Column& a, const Column& b) { return a.index < b.index; });
    return fitting;
  }

  std::string NameText(const TreePane::Line& line, size_t columns) const {
    if (line.row == kTopRow) return Fit("total", columns);
    // Even deep rows keep room for their names.
    const size_t depth = line.depth - 1;
    std::string text(std::min<size_t>(2 * depth, columns / 3), ' ');
    text += !line.has_children ? "  "
            : line.open        ? (unicode_ ? "▾ " : "- ")
                               : (unicode_ ? "▸ " : "+ ");
    const size_t used = util::Columns(text);
    if (used < columns) {
      const std::string_view label = browser_.tree().rows().Label(line.row);
      text += Fit(label.empty() ? "\"\"" : Safe(label), columns - used);
    }
    return Fit(text, columns);
  }

  void Details() {
    const Layout::Columns& at = layout_.of(Pane::kDetails);
    if (at.width == 0) return;
    picture_.Put(at.begin, 1, Fit("details", at.width),
                 HeadingStyle(Pane::kDetails));
    const std::vector<std::string>& lines = browser_.details();
    for (size_t i = 0; i < layout_.rows; ++i) {
      const size_t line = browser_.top(Pane::kDetails) + i;
      if (line >= lines.size()) break;
      picture_.Put(at.begin, Layout::kFirstRow + i, Fit(lines[line], at.width),
                   Style::kPlain);
    }
    if (lines.size() <= layout_.rows) return;
    const std::string position =
        fmt::format("{}/{}", browser_.top(Pane::kDetails) + 1, lines.size());
    if (position.size() + 8 > at.width) return;
    picture_.Put(at.begin + at.width - position.size(), 1, position,
                 HeadingStyle(Pane::kDetails));
  }

  void Borders() {
    for (const Pane pane : {Pane::kTree, Pane::kDetails}) {
      const Layout::Columns& at = layout_.of(pane);
      if (at.begin == 0) continue;
      for (size_t y = 1; y < Layout::kFirstRow + layout_.rows; ++y) {
        picture_.Put(at.begin - 1, y, unicode_ ? "│" : "|", Style::kDim);
      }
    }
  }

  void Help() {
    size_t columns = 0;
    for (const auto& [keys, text] : kKeys) {
      columns = std::max(columns, keys.size());
    }
    size_t y = 2;
    for (const auto& [keys, text] : kKeys) {
      if (y >= Layout::kFirstRow + layout_.rows) break;
      std::string line = " ";
      util::AppendPadded(keys, columns + 2, &line);
      line += text;
      picture_.Put(0, y++, Fit(line, picture_.width), Style::kPlain);
    }
  }

  // The typed text, a message, or the whole name at the cursor.
  void Status() {
    const size_t y = picture_.height - 2;
    if (browser_.prompt() != Browser::Prompt::kNone) {
      Prompt(y);
      return;
    }
    if (browser_.HasWork()) {
      Message(y, unicode_ ? "Working… Ctrl-C cancels."
                          : "Working... Ctrl-C cancels.");
    } else if (!browser_.message().empty()) {
      Message(y, Safe(browser_.message()));
    } else if (browser_.has_tree()) {
      const TreePane& tree = browser_.tree();
      const uint32_t row = tree.current().row;
      const RowMarks& filter = tree.filter();
      const std::string filtered =
          filter.active()
              ? Safe(fmt::format("  filter \"{}\": {}", filter.text(),
                                 util::Counted(filter.count(), "row")))
              : "";
      const size_t right =
          std::min(util::Columns(filtered), picture_.width / 2);
      std::string line = Fit(
          row == kTopRow ? "the whole profile" : Safe(tree.rows().Name(row)),
          picture_.width - right);
      line += Fit(filtered, right);
      picture_.Put(0, y, std::move(line), Style::kPlain);
    }
  }

  void Message(size_t y, const std::string& text) {
    picture_.Put(0, y, Fit(text, picture_.width), Style::kMessage);
  }

  void Prompt(size_t y) {
    std::string_view question = "Search: ";
    if (browser_.prompt() == Browser::Prompt::kFilter) {
      question = "Only rows with: ";
    } else if (browser_.prompt() == Browser::Prompt::kBase) {
      question = "Compare with the file: ";
    }
    const size_t room = picture_.width - question.size() - 1;
    // A person types at the end of a long text.
    std::string typed = Safe(browser_.typed());
    while (util::Columns(typed) > room) {
      typed.erase(0, util::FirstUtf8(typed).size);
    }
    picture_.cursor = true;
    picture_.cursor_y = y;
    picture_.cursor_x = question.size() + util::Columns(typed);
    picture_.Put(0, y, std::string(question) + typed, Style::kPlain);
  }

  void Keys() {
    std::string_view keys =
        "Enter open  Left up  Tab pane  / search  s sort  v view  f filter  "
        "d diff  ? help  q quit";
    if (browser_.help()) {
      keys = "Any key goes back, q leaves.";
    } else if (browser_.prompt() != Browser::Prompt::kNone) {
      keys = "Enter: do it   Esc: do nothing   Ctrl-U: clear";
    } else if (picture_.width < keys.size() + 2) {
      keys = "Enter open  Tab pane  / search  s sort  v view  ? help  q quit";
    }
    std::string line = " ";
    line += keys.substr(0, picture_.width - 1);
    picture_.Put(0, picture_.height - 1, Fit(line, picture_.width),
                 Style::kTitle);
  }

  const Browser& browser_;
  const bool unicode_;
  const Layout layout_;
  Picture picture_;
};

}  // namespace

Picture Draw(const Browser& browser, bool unicode) {
  return Painter(browser, unicode).Paint();
}

}  // namespace tfprof::tui

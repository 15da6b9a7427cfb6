#include "tables/writers/render_table.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "tables/bar_text.h"
#include "tables/cell_text.h"
#include "tables/writers/kernel_texts.h"
#include "tables/writers/row_indents.h"
#include "tables/writers/short_names.h"
#include "util/text/ansi.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::tables {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kBarColumns = 10;
// The maximum width of a text column without a window: the few longer texts
// exceed it instead of moving all numbers far to the right.
constexpr size_t kWideText = 64;
// Other columns are dropped before a text column becomes narrower than
// kGoodText or a third of the window. kLeastText is its minimum width.
constexpr size_t kGoodText = 28;
constexpr size_t kLeastText = 8;
// The bar of shares gives way to names that it would make narrower than this.
constexpr size_t kTextBesideBar = 40;
constexpr size_t kBufferBytes = 1 << 16;
// If a table has more rows than anybody reads, names are shortened without
// comparing them.
constexpr size_t kComparedRows = 50000;

// A row is red or yellow from these shares on, and dim below the last one.
constexpr double kHot = 0.20;
constexpr double kWarm = 0.05;
constexpr double kCold = 0.005;

// Appends sentences in one line: newlines between them become "; ".
void AppendOneLine(std::string_view text, std::string* out) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (at > 0) *out += "; ";
    util::AppendSafeText(text.substr(at, end - at), out);
    at = end + 1;
  }
}

class Renderer {
 public:
  Renderer(const DataTable& table, const TextLook& look, util::Sink& sink)
      : table_(table), look_(look), sink_(sink) {
    shown_ = table.num_rows;
    const size_t lines = TableLines(table);
    if (look.height > 0 && lines > look.height) {
      // One more line is needed for the number of missing rows.
      const size_t frame = lines - table.num_rows + 1;
      // Show at least one row, if there is one.
      shown_ = std::min(look.height > frame ? look.height - frame : 1,
                        table.num_rows);
    }
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].heat && heat_ == kNoColumn) heat_ = c;
    }
    FindUnits();
    FindWhole();
  }

  void Render() {
    if (shown_ <= kComparedRows) kernels_ = KernelTexts(table_, shown_);
    Measure();
    Fit();
    ShortenNames();
    Header();
    for (size_t row = 0; row < shown_; ++row) Row(row);
    if (shown_ < table_.num_rows) {
      Line(util::kDim,
           fmt::format("{} {} more", Ellipsis(), table_.num_rows - shown_));
    }
    if (!table_.totals.empty()) {
      begun_ = false;
      Cells(table_.totals, kNoRow, util::kBold);
    }
    Footer();
    sink_.Write(out_);
  }

 private:
  static constexpr size_t kNoColumn = SIZE_MAX;
  static constexpr size_t kNoRow = RowIndents::kNoRow;  // the totals

  // In all rows, `column` has the same numbers as `of`.
  struct Repeat {
    size_t column, of;
  };

  std::string_view Ellipsis() const { return look_.unicode ? "…" : "..."; }

  // Without a width, every row is a single line.
  bool IsBroken(size_t c) const {
    return look_.width > 0 && table_.columns[c].prose;
  }
  bool IsText(size_t c) const {
    return table_.columns[c].unit == util::Unit::kText;
  }

  // Finds, for each column, the column with its units, if there is one.
  void FindUnits() {
    for (const DataColumn& column : table_.columns) {
      size_t from = kNoColumn;
      for (size_t c = 0; c < table_.columns.size(); ++c) {
        if (!column.unit_column.empty() &&
            table_.columns[c].name == column.unit_column) {
          from = c;
        }
      }
      unit_columns_.push_back(from);
    }
  }

  // Finds the value that is 100 % in the heat column: its total, or the value
  // of the root.
  void FindWhole() {
    if (heat_ == kNoColumn) return;
    if (!table_.totals.empty()) {
      whole_ = NumberOf(table_.totals[heat_]);
    } else if (table_.depth && table_.num_rows > 0) {
      table_.cells(0, cells_);
      whole_ = NumberOf(cells_[heat_]);
    }
  }

  double ShareOf(const std::vector<DataCell>& cells) const {
    return heat_ == kNoColumn || !(whole_ > 0)
               ? 0
               : NumberOf(cells[heat_]) / whole_;
  }

  bool has_bar() const { return look_.bars && whole_ > 0; }

  // Returns the unit of a number, which may depend on the row.
  util::Unit UnitOf(const std::vector<DataCell>& cells, size_t c) const {
    const size_t from = unit_columns_[c];
    if (from == kNoColumn) return table_.columns[c].unit;
    const auto* name = std::get_if<std::string>(&cells[from]);
    return name == nullptr ? util::Unit::kNumber : util::UnitNamed(*name);
  }

  std::string CellText(const std::vector<DataCell>& cells, size_t c) const {
    const DataColumn& column = table_.columns[c];
    const DataCell& cell = cells[c];
    if (!IsText(c)) {
      const util::Unit unit = UnitOf(cells, c);
      if (column.delta) return DeltaText(cell, unit);
      return unit == column.unit ? NumberText(cell, column)
                                 : NumberText(cell, unit);
    }
    std::string text;
    if (const auto* s = std::get_if<std::string>(&cell)) {
      if (IsBroken(c)) return util::SafeLines(*s);
      if (column.prose) {
        AppendOneLine(*s, &text);
      } else {
        util::AppendSafeText(kernels_.Shown(*s), &text);
      }
    } else if (IsNothing(cell)) {
      text += column.nothing;
    } else {
      text += NumberText(cell, util::Unit::kText);
    }
    return text;
  }

  void Measure() {
    widths_.clear();
    indents_ = RowIndents(table_, shown_, look_.width);
    FindCandidates();
    blank_.assign(table_.columns.size(), true);
    lines_.resize(table_.columns.size());
    for (const DataColumn& column : table_.columns) {
      widths_.push_back(util::Columns(column.title));
    }
    const auto measure = [&](const std::vector<DataCell>& cells, size_t row) {
      for (size_t c = 0; c < cells.size(); ++c) {
        Break(c, CellText(cells, c), TextLimit());
        const size_t lead = c == 0 ? indents_.Lead(row).size() : 0;
        for (const std::string& line : lines_[c]) {
          widths_[c] = std::max(widths_[c], lead + util::Columns(line));
        }
        if (IsText(c) ? !IsNothing(cells[c]) : NumberOf(cells[c]) != 0) {
          blank_[c] = false;
        }
      }
      std::erase_if(repeats_, [&](const Repeat& repeat) {
        return cells[repeat.column] != cells[repeat.of];
      });
    };
    for (size_t row = 0; row < shown_; ++row) {
      table_.cells(row, cells_);
      measure(cells_, row);
    }
    if (!table_.totals.empty()) measure(table_.totals, kNoRow);
    for (size_t c = 0; c < widths_.size(); ++c) {
      if (IsText(c)) widths_[c] = std::min(widths_[c], TextLimit());
    }
  }

  // Makes the lines of a cell: one, or several for prose. Reuses memory,
  // because tables may have a million rows.
  void Break(size_t c, std::string text, size_t width) {
    std::vector<std::string>& lines = lines_[c];
    lines.clear();
    if (!IsBroken(c) || text.empty()) {
      lines.push_back(std::move(text));
      return;
    }
    std::string broken;
    util::AppendWrapped(text, 0, &broken, width);
    for (size_t at = 0; at < broken.size();) {
      const size_t end = std::min(broken.find('\n', at), broken.size());
      lines.push_back(broken.substr(at, end - at));
      at = end + 1;
    }
  }

  size_t TextLimit() const {
    return look_.width == 0 ? kWideText : look_.width;
  }

  size_t Sum() const {
    size_t sum = 0;
    for (const size_t c : columns_) sum += widths_[c] + kGap;
    if (bar_) sum += kBarColumns + kGap;
    return sum > 0 ? sum - kGap : 0;
  }

  // Returns the minimum width of a text column. In a tree, the names need it in
  // addition to their indentation.
  size_t LeastOf(size_t c, size_t least) const {
    return c != 0 ? least
                  : std::max(least, std::min(look_.width / 2,
                                             least + indents_.deepest()));
  }

  // Returns how much the text columns can shrink if each keeps `least`.
  size_t Slack(size_t least) const {
    size_t slack = 0;
    for (const size_t c : columns_) {
      const size_t kept = LeastOf(c, least);
      if (IsText(c) && widths_[c] > kept) slack += widths_[c] - kept;
    }
    return slack;
  }

  // Finds pairs of columns that may have the same number in every row.
  void FindCandidates() {
    repeats_.clear();
    if (look_.width == 0 || shown_ < 2) return;
    for (size_t c = 1; c < table_.columns.size(); ++c) {
      const DataColumn& column = table_.columns[c];
      if (IsText(c) || column.data_only || c == heat_) continue;
      for (size_t of = 0; of < table_.columns.size(); ++of) {
        const DataColumn& other = table_.columns[of];
        if ((of < c || of == heat_) && of != c && !other.data_only &&
            other.unit == column.unit && other.delta == column.delta &&
            unit_columns_[of] == unit_columns_[c]) {
          repeats_.push_back({c, of});
        }
      }
    }
  }

  // Drops columns that repeat another one. The footer names them.
  void DropRepeats() {
    std::vector<Repeat> dropped;
    for (const Repeat& repeat : repeats_) {
      const auto is_gone = [&](size_t c) {
        return std::find(columns_.begin(), columns_.end(), c) == columns_.end();
      };
      if (blank_[repeat.column] || is_gone(repeat.column) ||
          is_gone(repeat.of)) {
        continue;
      }
      std::erase(columns_, repeat.column);
      dropped.push_back(repeat);
    }
    repeats_ = std::move(dropped);
  }

  // Shortens the names that are too wide for their columns.
  void ShortenNames() {
    short_.assign(table_.columns.size(), {});
    if (look_.width == 0 || shown_ > kComparedRows) return;
    std::vector<size_t> narrow;
    for (const size_t c : columns_) {
      if (IsText(c) && !table_.columns[c].prose && widths_[c] < natural_[c]) {
        narrow.push_back(c);
      }
    }
    if (narrow.empty()) return;
    std::vector<std::vector<LongName>> names(table_.columns.size());
    std::vector<size_t> above;  // the last row at each depth
    for (size_t row = 0; row < shown_; ++row) {
      size_t parent = LongName::kNoParent;
      if (table_.depth) {
        const size_t depth = std::min<size_t>(table_.depth(row), above.size());
        above.resize(depth + 1);
        above[depth] = row;
        if (depth > 0) parent = above[depth - 1];
      }
      table_.cells(row, cells_);
      for (const size_t c : narrow) {
        const size_t lead = c == 0 ? LeadIn(row).size() : 0;
        names[c].push_back({CellText(cells_, c),
                            widths_[c] - std::min(widths_[c], lead),
                            c == 0 ? parent : LongName::kNoParent});
      }
    }
    for (const size_t c : narrow) short_[c] = ShortNames(names[c], Ellipsis());
  }

  // Returns a row's indentation, cut to the final width of the column.
  std::string LeadIn(size_t row) const {
    std::string lead = indents_.Lead(row);
    if (widths_[0] >= natural_[0]) return lead;
    const size_t room = widths_[0] - std::min(kLeastText, widths_[0] / 2);
    if (lead.size() > room) lead.erase(0, lead.size() - room);
    return lead;
  }

  // Returns true for a minor number. The main numbers are the first column, the
  // differences, and the heat column or else the first number.
  bool IsSideNumber(size_t c) const {
    if (IsText(c) || table_.columns[c].delta || c == heat_ || c == 0) {
      return false;
    }
    const auto first = std::find_if(columns_.begin(), columns_.end(),
                                    [&](size_t n) { return !IsText(n); });
    return c != *first || heat_ != kNoColumn ||
           std::any_of(columns_.begin(), columns_.end(),
                       [&](size_t n) { return table_.columns[n].delta; });
  }

  // Drops columns for which `may` is true until the rest fits with `least` for
  // each text. The highest rank goes first, and the last column among equals.
  template <typename May>
  void Drop(size_t least, May may) {
    while (Sum() > look_.width + Slack(least)) {
      auto worst = columns_.end();
      for (auto it = columns_.begin(); it != columns_.end(); ++it) {
        if (may(*it) && (worst == columns_.end() || Rank(*it) >= Rank(*worst)))
          worst = it;
      }
      if (worst == columns_.end()) break;
      ++dropped_;
      columns_.erase(worst);
    }
  }

  // Columns that only have zeros are dropped first.
  int Rank(size_t c) const {
    constexpr int kNothing = 1000;
    return table_.columns[c].rank + (blank_[c] ? kNothing : 0);
  }

  // Drops columns and narrows texts until a line fits.
  void Fit() {
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      if (!table_.columns[c].data_only) columns_.push_back(c);
    }
    bar_ = has_bar();
    natural_ = widths_;
    if (look_.width == 0 || Sum() <= look_.width) {
      repeats_.clear();
      return;
    }
    DropRepeats();
    const size_t good = std::clamp(look_.width / 3, kLeastText, kGoodText);
    Drop(good, [&](size_t c) { return table_.columns[c].rank > 0; });
    if (Sum() > look_.width + Slack(kTextBesideBar)) bar_ = false;
    // Drop whole columns: a number cut by the margin would be wrong, and half a
    // name is useless. Names are in the first and last columns.
    Drop(kLeastText, [&](size_t c) { return IsSideNumber(c); });
    while (Sum() > look_.width + Slack(kLeastText) && columns_.size() > 2) {
      const auto text = std::find_if(columns_.begin() + 1, columns_.end() - 1,
                                     [&](size_t c) { return IsText(c); });
      if (text == columns_.end() - 1) break;
      ++dropped_;
      columns_.erase(text);
    }
    const auto first = std::find_if(columns_.begin(), columns_.end(),
                                    [&](size_t c) { return !IsText(c); });
    const size_t last = first == columns_.end() ? kNoColumn : *first;
    Drop(kLeastText, [&](size_t c) { return !IsText(c) && c != last; });
    // Shrink the widest text first.
    while (Sum() > look_.width) {
      size_t widest = kNoColumn;
      for (const size_t c : columns_) {
        if (IsText(c) && widths_[c] > LeastOf(c, kLeastText) &&
            (widest == kNoColumn || widths_[c] > widths_[widest])) {
          widest = c;
        }
      }
      if (widest == kNoColumn) break;
      const size_t gives = std::min(
          Sum() - look_.width, widths_[widest] - LeastOf(widest, kLeastText));
      // Use small steps, so that texts of similar width shrink together.
      widths_[widest] -= std::min<size_t>(gives, 4);
    }
  }

  // Puts a cell into the line, `columns` wide.
  void Put(size_t c, std::string_view text, bool last) {
    if (begun_) line_.append(kGap, ' ');
    begun_ = true;
    const size_t width = widths_[c];
    if (!IsText(c)) {
      line_.append(width - std::min(width, util::Columns(text)), ' ');
      line_ += text;
    } else if (look_.width > 0) {
      util::AppendPadded(util::Shortened(text, width, Ellipsis()),
                         last ? 0 : width, &line_);
    } else {
      util::AppendPadded(text, last ? 0 : width, &line_);
    }
  }

  void Bar(double share) {
    line_.append(kGap, ' ');
    line_ += BarText(share, kBarColumns, look_.unicode);
  }

  void Header() {
    begun_ = false;
    for (const size_t c : columns_) {
      Put(c, table_.columns[c].title, c == columns_.back() && !BarAfter(c));
      if (BarAfter(c)) line_.append(kGap + kBarColumns, ' ');
    }
    Flush(util::kBold);
  }

  bool BarAfter(size_t c) const { return bar_ && c == heat_; }

  void Row(size_t row) {
    table_.cells(row, cells_);
    const double share = ShareOf(cells_);
    const std::string_view color = !(whole_ > 0)    ? ""
                                   : share >= kHot  ? util::kRed
                                   : share >= kWarm ? util::kYellow
                                   : share < kCold  ? util::kDim
                                                    : "";
    Cells(cells_, row, color);
  }

  // Returns the text of a cell in a row, without its indentation.
  std::string Fitted(const std::vector<DataCell>& cells, size_t row,
                     size_t c) const {
    if (row != kNoRow && !short_[c].empty()) return short_[c][row];
    return CellText(cells, c);
  }

  void Cells(const std::vector<DataCell>& cells, size_t row,
             std::string_view color) {
    size_t height = 1;
    for (const size_t c : columns_) {
      const std::string lead = c == 0 ? LeadIn(row) : "";
      Break(c, Fitted(cells, row, c),
            widths_[c] - std::min(widths_[c], lead.size()));
      for (std::string& line : lines_[c]) line.insert(0, lead);
      height = std::max(height, lines_[c].size());
    }
    for (size_t line = 0; line < height; ++line) {
      begun_ = false;
      for (const size_t c : columns_) {
        Put(c, line < lines_[c].size() ? lines_[c][line] : "",
            c == columns_.back() && !BarAfter(c));
        if (BarAfter(c)) Bar(line == 0 ? ShareOf(cells) : 0);
      }
      Flush(color);
    }
  }

  void Line(std::string_view color, std::string_view text) {
    line_ += look_.width > 0 ? util::Shortened(text, look_.width, Ellipsis())
                             : std::string(text);
    Flush(color);
  }

  void Footer() {
    if (table_.num_rows < table_.total_rows) {
      const std::string count =
          fmt::format("{} of {} rows", table_.num_rows, table_.total_rows);
      Line(util::kDim, table_.rest.empty()
                           ? count + " are within the limits and filters"
                           : fmt::format("{}; all of them: {}", count,
                                         util::SafeText(table_.rest)));
    }
    if (const std::string missing = Missing(); !missing.empty()) {
      Line(util::kDim, missing);
    }
  }

  // Describes the missing columns: names those that repeat another one, if
  // there is space for it, and counts the others.
  std::string Missing() const {
    size_t others = dropped_;
    std::string same;
    for (const Repeat& repeat : repeats_) {
      if (std::find(columns_.begin(), columns_.end(), repeat.of) ==
          columns_.end()) {
        ++others;
        continue;
      }
      same += fmt::format("{}{} = {}", same.empty() ? "" : ", ",
                          table_.columns[repeat.column].title,
                          table_.columns[repeat.of].title);
    }
    const auto wider = [](size_t columns) {
      return fmt::format("{} more column{} in a wider window", columns,
                         columns == 1 ? "" : "s");
    };
    if (same.empty()) return others == 0 ? "" : wider(others);
    const std::string named =
        others == 0 ? same + " in each row"
                    : fmt::format("{} in each row; {}", same, wider(others));
    return util::Columns(named) <= look_.width
               ? named
               : wider(dropped_ + repeats_.size());
  }

  // Ends the current line.
  void Flush(std::string_view color) {
    while (!line_.empty() && line_.back() == ' ') line_.pop_back();
    if (look_.width > 0)
      line_.resize(util::PrefixInColumns(line_, look_.width));
    const bool colors = look_.color && !color.empty();
    if (colors) out_ += color;
    out_ += line_;
    if (colors) out_ += util::kReset;
    out_ += '\n';
    line_.clear();
    if (out_.size() < kBufferBytes) return;
    sink_.Write(out_);
    out_.clear();
  }

  const DataTable& table_;
  const TextLook& look_;
  util::Sink& sink_;
  size_t shown_ = 0;
  size_t heat_ = kNoColumn;
  double whole_ = 0;
  bool bar_ = false;
  std::vector<size_t> unit_columns_;  // by column of the table
  std::vector<size_t> widths_;        // by column of the table
  std::vector<size_t> natural_;       // widths without a window, by column
  std::vector<size_t> columns_;       // the columns that fit
  // Shortened names, by column and row; empty if none is too wide.
  std::vector<std::vector<std::string>> short_;
  KernelTexts kernels_;
  std::vector<Repeat> repeats_;
  RowIndents indents_;
  std::vector<std::vector<std::string>> lines_;  // lines of one row, by column
  std::vector<bool> blank_;                      // by column: has only zeros
  size_t dropped_ = 0;                           // number of dropped columns
  std::vector<DataCell> cells_;
  bool begun_ = false;
  std::string line_, out_;
};

}  // namespace

size_t TableLines(const DataTable& table) {
  // The header, the totals, and the two lines that a footer may have.
  return table.num_rows + 1 + (table.totals.empty() ? 0 : 1) +
         (table.num_rows < table.total_rows ? 1 : 0) + 1;
}

void RenderTable(const DataTable& table, const TextLook& look,
                 util::Sink& sink) {
  Renderer(table, look, sink).Render();
}

}  // namespace tfprof::tables

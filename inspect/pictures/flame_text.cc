// The flame graph as text: the place at the top, its children below it.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/statistics.h"
#include "fmt/format.h"
#include "inspect/pictures/flame.h"
#include "inspect/steps/step_facts.h"
#include "tables/cell_text.h"
#include "tables/stat_column.h"
#include "util/text/ansi.h"
#include "util/text/counted.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::inspect {
namespace {

// A narrower frame has no room for a name: it is merged into "+ N others".
constexpr size_t kLeastColumns = 4;
// A name with fewer columns is useless next to a number.
constexpr size_t kNameAndShare = 16;
constexpr size_t kNameAndCost = 34;
// The largest number of frames with one child each that share a label.
constexpr size_t kMaxChain = 12;

// A cell of a line: a frame, or several others merged.
struct Cell {
  uint32_t frame = 0;  // of others: their parent
  size_t begin = 0;    // columns
  size_t end = 0;
  size_t others = 0;  // 0 for a frame
  int64_t cost = 0;   // of the others
  size_t place = 0;   // neighbours differ in colour
};

class FlamePicture {
 public:
  FlamePicture(const Flame& flame, const tables::TextLook& look)
      : flame_(flame), look_(look), page_(std::max<size_t>(look.page(), 20)) {}

  std::string Draw() && {
    Sentence(Title());
    std::vector<Cell> line = {{.begin = 0, .end = page_}};
    size_t drawn = 0;
    while (!line.empty() && drawn < Room()) {
      ++drawn;
      line = DrawLine(line);
    }
    Sentence(Footer(line));
    return std::move(text_);
  }

 private:
  // The number of lines for frames: the title and the footer take two each.
  size_t Room() const {
    constexpr size_t kFrameLines = 4;
    if (look_.height == 0) return flame_.frames.size();
    return look_.height > kFrameLines ? look_.height - kFrameLines : 1;
  }

  std::string Cost(int64_t cost) const {
    return tables::NumberText(
        tables::StatCell(*flame_.profile, flame_.stat, cost),
        accounting::StatisticOf(flame_.stat).unit);
  }
  std::string Share(int64_t cost) const {
    return fmt::format("{:.1f}%", 100.0 * static_cast<double>(cost) /
                                      static_cast<double>(flame_.whole()));
  }

  // Appends a sentence on at most two lines.
  void Sentence(const std::string& sentence) {
    if (sentence.empty()) return;
    std::string lines;
    util::AppendWrapped(sentence, 0, &lines, page_);
    const size_t first = lines.find('\n');
    const size_t second = lines.find('\n', first + 1);
    text_ += second == lines.npos ? lines : lines.substr(0, second + 1);
  }

  std::string CostName() const {
    switch (flame_.stat) {
      case accounting::kMicros:
        return "sum of op times";
      case accounting::kAcceleratorMicros:
        return "time on accelerators";
      case accounting::kCpuMicros:
        return "time on CPUs";
      default:
        break;
    }
    const accounting::Statistic& statistic =
        accounting::StatisticOf(flame_.stat);
    return fmt::format("{}{}", statistic.title,
                       statistic.unit == util::Unit::kBytes ? " bytes" : "");
  }

  std::string Title() const {
    return fmt::format(
        "Flame graph of {}, {}: each part is as wide as its {}. Free space "
        "below is its own cost.",
        flame_.tree == views::View::kCode ? "code" : "scopes",
        StepText(flame_.step), CostName());
  }

  std::string Footer(const std::vector<Cell>& below) const {
    std::string text;
    uint32_t levels = 0;
    for (const Cell& cell : below) {
      if (cell.others > 0) continue;
      const Flame::Frame& top = flame_.frames[cell.frame];
      for (uint32_t f = cell.frame; f < top.end; ++f) {
        levels = std::max(levels, flame_.frames[f].depth - top.depth + 1);
      }
    }
    if (levels > 0) {
      text = fmt::format(
          "{} more levels below do not fit: flame {}NODE shows "
          "one part, cd NODE goes there. ",
          levels, flame_.tree == views::View::kCode ? "code " : "");
    } else if (merged_ > 0) {
      text = fmt::format(
          "+N: N parts too narrow to draw ({} in all); flame "
          "{}NODE shows one part in full width. ",
          merged_, flame_.tree == views::View::kCode ? "code " : "");
    }
    if (flame_.overfull > 0) {
      text += fmt::format(
          "{} less than {} parts (some cost counts twice); the parts are "
          "drawn narrower.",
          flame_.overfull == 1 ? "1 row costs"
                               : fmt::format("{} rows cost", flame_.overfull),
          flame_.overfull == 1 ? "its" : "their");
    }
    return text;
  }

  std::string_view NameOf(uint32_t frame) const {
    const std::string_view name = flame_.frames[frame].name;
    return name.empty() ? "all" : name;
  }

  // The only child of a frame if it has all of its cost; 0 if there is none.
  uint32_t OnlyPart(uint32_t frame) const {
    const Flame::Frame& above = flame_.frames[frame];
    const uint32_t part = frame + 1;
    return part < above.end && flame_.frames[part].end == above.end &&
                   flame_.frames[part].total == above.total
               ? part
               : 0;
  }

  std::string Label(const std::vector<uint32_t>& chain, size_t columns) const {
    const Flame::Frame& frame = flame_.frames[chain.back()];
    std::string number;
    if (columns >= kNameAndCost) {
      number = fmt::format(" {} {}", Cost(frame.total), Share(frame.total));
    } else if (columns >= kNameAndShare) {
      number = fmt::format(" {}", Share(frame.total));
    }
    std::string name;
    const bool slashes = flame_.tree == views::View::kScope;
    // The root adds no information to its only child.
    const bool root = chain.size() > 1 && flame_.frames[chain[0]].name.empty();
    for (size_t i = root ? 1 : 0; i < chain.size(); ++i) {
      if (!name.empty()) {
        name += slashes ? "/" : look_.unicode ? " › " : " > ";
      }
      util::AppendSafeText(NameOf(chain[i]), &name);
    }
    return util::Shortened(name, columns - number.size(),
                           look_.unicode ? "…" : "..") +
           number;
  }

  std::string OthersLabel(const Cell& cell, size_t columns) const {
    std::string label =
        fmt::format("+ {} {} {}", util::Counted(cell.others, "other"),
                    Cost(cell.cost), Share(cell.cost));
    if (label.size() > columns) {
      label = fmt::format("+ {} {}", util::Counted(cell.others, "other"),
                          Share(cell.cost));
    }
    if (label.size() > columns) {
      label = fmt::format("+{} {}", cell.others, Share(cell.cost));
    }
    if (label.size() > columns) label = fmt::format("+{}", cell.others);
    if (label.size() > columns) label = "+";
    return label;
  }

  // Appends a frame or others in their columns, the first of which is their
  // edge.
  void Append(const Cell& cell, const std::string& label, std::string& line) {
    const size_t columns = cell.end - cell.begin;
    std::string content(
        util::PrefixInColumns(label, columns - 1) == label.size()
            ? label
            : label.substr(0, util::PrefixInColumns(label, columns - 1)));
    const size_t rest = columns - 1 - util::Columns(content);
    if (look_.color) {
      content.append(rest, ' ');
      line += fmt::format("{} {}{}",
                          cell.others > 0       ? util::kOnWhite
                          : cell.place % 2 == 0 ? util::kOnYellow
                                                : util::kOnCyan,
                          content, util::kReset);
      return;
    }
    line += look_.unicode ? "▌" : "|";
    line += content;
    for (size_t i = 0; i < rest; ++i) {
      line += !look_.unicode    ? (cell.others > 0 ? "." : "=")
              : cell.others > 0 ? "░"
                                : "▒";
    }
  }

  // Draws a line and returns the cells of the next one.
  std::vector<Cell> DrawLine(const std::vector<Cell>& cells) {
    std::vector<Cell> below;
    std::string line;
    size_t column = 0;
    for (const Cell& cell : cells) {
      line.append(cell.begin - column, ' ');
      column = cell.end;
      const size_t columns = cell.end - cell.begin;
      if (cell.others > 0) {
        Append(cell, OthersLabel(cell, columns - 1), line);
        continue;
      }
      std::vector<uint32_t> chain = {cell.frame};
      for (uint32_t part = OnlyPart(cell.frame);
           part != 0 && chain.size() < kMaxChain; part = OnlyPart(part)) {
        chain.push_back(part);
      }
      Append(cell, Label(chain, columns - 1), line);
      AddParts(chain.back(), cell, below);
    }
    while (line.ends_with(' ')) line.pop_back();
    text_ += line;
    text_ += '\n';
    return below;
  }

  void AddParts(uint32_t number, const Cell& cell, std::vector<Cell>& below) {
    const Flame::Frame& frame = flame_.frames[number];
    const auto columns = static_cast<double>(cell.end - cell.begin);
    const auto width = [&](const Flame::Frame& part) {
      return part.width / frame.width * columns;
    };
    Cell rest = {.frame = number};
    double rest_width = 0;
    double at = static_cast<double>(cell.begin);
    uint32_t only = 0;
    size_t place = 0;
    const auto end_of = [&](double end) {
      return std::min(cell.end, static_cast<size_t>(std::lround(end)));
    };
    for (uint32_t p = number + 1; p < frame.end; p = flame_.frames[p].end) {
      const Flame::Frame& part = flame_.frames[p];
      if (width(part) < kLeastColumns) {
        ++rest.others;
        rest.cost += part.total;
        rest_width += width(part);
        only = p;
        continue;
      }
      const size_t begin = end_of(at);
      at += width(part);
      below.push_back({.frame = p,
                       .begin = begin,
                       .end = end_of(at),
                       .place = place++ + cell.place});
    }
    merged_ += rest.others;
    rest.begin = end_of(at);
    rest.end = end_of(at + rest_width);
    if (rest.end <= rest.begin + 1) return;
    if (rest.others == 1) {
      --merged_;
      rest = {.frame = only,
              .begin = rest.begin,
              .end = rest.end,
              .place = place + cell.place};
    }
    below.push_back(rest);
  }

  const Flame& flame_;
  const tables::TextLook& look_;
  const size_t page_;
  size_t merged_ = 0;  // rows merged into others, or too narrow
  std::string text_;
};

}  // namespace

std::string FlameText(const Flame& flame, const tables::TextLook& look) {
  if (flame.frames.empty()) return "";
  return FlamePicture(flame, look).Draw();
}

}  // namespace tfprof::inspect

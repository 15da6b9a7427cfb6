// The lanes as a picture: one row for each device, its kinds of work and its
// lanes, one column for each slice of time.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "inspect/devices/lanes.h"
#include "inspect/time_cells.h"
#include "tables/blocks.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/text/ansi.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::inspect {
namespace {

constexpr size_t kMostLabel = 26;
constexpr size_t kShownGaps = 3;
// The number of rows if the output has no window.
constexpr size_t kMostRows = 60;
// The columns of the numbers after a row: "  12.30ms   45%".
constexpr size_t kNumbers = 16;
// The lines of a picture that are not rows, at most.
constexpr size_t kFrameLines = 11;

enum class BarKind { kAll, kCompute, kCommunication, kCopies, kOther };

struct Row {
  const LaneChart::Device* device = nullptr;
  std::string label;
  const timeline::Intervals* busy = nullptr;
  BarKind kind = BarKind::kAll;
  int64_t total = 0;
  int rank = 0;  // 0: a device, 1: a kind of work, 2: a lane
};

std::string_view ColorOf(BarKind kind) {
  return kind == BarKind::kCommunication ? util::kMagenta
         : kind == BarKind::kCopies      ? util::kCyan
         : kind == BarKind::kCompute     ? util::kGreen
                                         : std::string_view();
}

class LanesPicture {
 public:
  LanesPicture(const LaneChart& chart, const tables::TextLook& look)
      : chart_(chart), look_(look), page_(std::max<size_t>(look.page(), 40)) {}

  std::string Draw() && {
    MakeRows();
    ChooseRows();
    size_t label = 6;
    for (const Row& row : rows_)
      label = std::max(label, util::Columns(row.label));
    label_ = std::min({label, kMostLabel, page_ / 3});
    columns_ = page_ - label_ - 1 - kNumbers;
    Line(Title());
    Marks();
    for (const Row& row : rows_) Draw(row);
    Axis();
    Legend();
    Hidden();
    Gaps();
    return std::move(text_);
  }

 private:
  std::string Time(int64_t ticks) const {
    constexpr size_t kMost = 9;
    constexpr double kMicrosPerSecond = 1e6;
    std::string time = tables::FormatTime(ticks, chart_.ticks_per_micro);
    // Damaged files may span centuries.
    return time.size() <= kMost
               ? time
               : fmt::format("{:.1e}s",
                             TicksAsMicros(ticks, chart_.ticks_per_micro) /
                                 kMicrosPerSecond);
  }
  std::string_view Ellipsis() const { return look_.unicode ? "…" : ".."; }

  // Appends a line, cut at the end of the window.
  void Line(const std::string& line) {
    const size_t fits = util::PrefixInColumns(line, page_);
    text_ +=
        fits == line.size() ? line : util::Shortened(line, page_, Ellipsis());
    text_ += '\n';
  }
  void Dim(const std::string& line) {
    const std::string cut = util::Columns(line) > page_
                                ? util::Shortened(line, page_, Ellipsis())
                                : line;
    text_ += look_.color
                 ? fmt::format("{}{}{}\n", util::kDim, cut, util::kReset)
                 : cut + "\n";
  }

  std::string Title() const {
    const std::string of = chart_.step == accounting::kAllSteps
                               ? "Everything in the file"
                               : fmt::format("Step {}", chart_.step);
    return fmt::format(
        "{}: {}; each column is {}", of, Time(chart_.length),
        tables::AxisTime(TicksAsMicros(chart_.length, chart_.ticks_per_micro) /
                         static_cast<double>(columns_)));
  }

  // ---- Rows.

  void MakeRows() {
    for (const LaneChart::Device& device : chart_.devices) {
      const size_t first = rows_.size();
      rows_.push_back({.device = &device,
                       .label = util::SafeText(device.name),
                       .busy = &device.work,
                       .total = device.busy,
                       .rank = 0});
      AddKinds(device);
      if (device.lanes.size() < 2) continue;
      const size_t end = rows_.size();
      for (const LaneChart::Lane& lane : device.lanes) {
        // A lane with all work of a kind needs no row next to the row of the
        // kind.
        const bool is_kind =
            std::any_of(rows_.begin() + static_cast<long>(first),
                        rows_.begin() + static_cast<long>(end),
                        [&](const Row& row) { return *row.busy == lane.busy; });
        if (is_kind) continue;
        rows_.push_back({.device = &device,
                         .label = "  " + util::SafeText(lane.name),
                         .busy = &lane.busy,
                         .total = timeline::Length(lane.busy),
                         .rank = 2});
      }
    }
  }

  void AddKinds(const LaneChart::Device& device) {
    struct Part {
      std::string_view label;
      const timeline::Intervals* busy;
      BarKind kind;
    };
    const Part parts[] = {
        {"compute", &device.compute, BarKind::kCompute},
        {"communication", &device.communication, BarKind::kCommunication},
        {"copies", &device.copies, BarKind::kCopies}};
    size_t kinds = 0;
    for (const Part& part : parts) kinds += !part.busy->empty();
    const auto add = [&](const Part& part) {
      if (part.busy->empty()) return;
      rows_.push_back({.device = &device,
                       .label = fmt::format("  {}", part.label),
                       .busy = part.busy,
                       .kind = part.kind,
                       .total = timeline::Length(*part.busy),
                       .rank = 1});
    };
    if (kinds > 1) {
      for (const Part& part : parts) add(part);
    }
    add({device.accelerator ? "launches (host)" : "launches", &device.launches,
         BarKind::kOther});
  }

  // Keeps the rows that fit: devices before kinds of work before lanes.
  void ChooseRows() {
    size_t room = kMostRows;
    if (look_.height > 0) {
      const size_t frame = kFrameLines + (chart_.several_clocks ? 1 : 0);
      room = look_.height > frame + 1 ? look_.height - frame : 1;
    }
    if (rows_.size() <= room) return;
    std::vector<bool> shown(rows_.size());
    for (int rank = 0; rank <= 2; ++rank) {
      for (size_t r = 0; r < rows_.size(); ++r) {
        if (rows_[r].rank != rank) continue;
        if (room > 0) {
          shown[r] = true;
          --room;
          continue;
        }
        ++hidden_[rank];
        hidden_busy_[rank] =
            util::SaturatingAdd(hidden_busy_[rank], rows_[r].total);
      }
    }
    std::vector<Row> rows;
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (shown[r]) rows.push_back(std::move(rows_[r]));
    }
    rows_ = std::move(rows);
  }

  // ---- Lines.

  // A character of the row of a device.
  void AppendSlice(double compute, double communication, double copies,
                   double busy, double other, std::string& line) {
    if (other > busy) {
      line += !look_.unicode ? "o" : other > 0.5 ? "▒" : "░";
      other_ = true;
      return;
    }
    const BarKind kind = communication > compute && communication >= copies
                             ? BarKind::kCommunication
                         : copies > compute ? BarKind::kCopies
                                            : BarKind::kCompute;
    if (busy > 0) seen_[static_cast<size_t>(kind)] = true;
    if (look_.color) {
      line += fmt::format("{}{}{}", ColorOf(kind),
                          tables::BlockOf(busy, look_.unicode), util::kReset);
    } else if (busy > 0 && kind != BarKind::kCompute) {
      const bool large = busy > 0.5;
      line +=
          kind == BarKind::kCopies ? (large ? 'C' : 'c') : (large ? 'N' : 'n');
    } else {
      line += tables::BlockOf(busy, look_.unicode);
    }
  }

  void Draw(const Row& row) {
    const LaneChart::Device& device = *row.device;
    std::string line;
    const std::string label = util::Shortened(row.label, label_, Ellipsis());
    if (look_.color && row.rank == 0) line += util::kBold;
    util::AppendPadded(label, label_, &line);
    if (look_.color && row.rank == 0) line += util::kReset;
    line += look_.unicode ? "▕" : "|";
    timeline::Overlap busy(*row.busy), compute(device.compute),
        communication(device.communication), copies(device.copies),
        other(device.other_steps);
    const bool colored = look_.color && !ColorOf(row.kind).empty();
    if (colored) line += ColorOf(row.kind);
    for (size_t i = 0; i < columns_; ++i) {
      const int64_t start =
          util::SaturatingAdd(device.origin, SliceStart(chart_, i, columns_));
      const int64_t end = util::SaturatingAdd(
          device.origin, SliceStart(chart_, i + 1, columns_));
      const auto share = [&](timeline::Overlap& of) {
        // A slice shorter than a tick shows the work at its start.
        const int64_t last = std::max(end, util::SaturatingAdd(start, 1));
        return static_cast<double>(of.Length(start, last)) /
               static_cast<double>(last - start);
      };
      if (row.rank == 0) {
        AppendSlice(share(compute), share(communication), share(copies),
                    share(busy), share(other), line);
      } else {
        line += tables::BlockOf(share(busy), look_.unicode);
      }
    }
    if (colored) line += util::kReset;
    line += look_.unicode ? "▏" : "|";
    line +=
        fmt::format("{:>9} {:>4.0f}%", Time(row.total),
                    100.0 * static_cast<double>(timeline::Length(*row.busy)) /
                        static_cast<double>(chart_.length));
    text_ += line;
    text_ += '\n';
  }

  size_t ColumnAt(int64_t time) const {
    const double share =
        static_cast<double>(time) / static_cast<double>(chart_.length);
    return static_cast<size_t>(std::clamp(share, 0.0, 1.0) *
                               static_cast<double>(columns_ - 1));
  }

  // Appends the marks of the starts of the steps.
  void Marks() {
    if (chart_.marks.empty()) return;
    const bool whole = chart_.marks.size() == 1 && chart_.marks[0].start == 0 &&
                       chart_.marks[0].end >= chart_.length;
    if (whole && chart_.step != accounting::kAllSteps) return;
    std::string line;
    util::AppendPadded("steps", label_ + 1, &line);
    size_t column = 0;
    for (const LaneChart::Mark& mark : chart_.marks) {
      const size_t at = ColumnAt(mark.start);
      const std::string number = fmt::format("{}", mark.step);
      if (at < column || at + 1 + number.size() > columns_) continue;
      line.append(at - column, ' ');
      line += look_.unicode ? "▏" : "|";
      line += number;
      column = at + 1 + number.size();
      const size_t end = ColumnAt(mark.end);
      if (chart_.marks.size() == 1 && end > column) {
        line.append(end - column, ' ');
        line += look_.unicode ? "▕" : "|";
        column = end + 1;
      }
    }
    text_ += line + "\n";
  }

  void Axis() {
    const tables::TimeAxis axis = tables::MakeTimeAxis(
        TicksAsMicros(chart_.length, chart_.ticks_per_micro), columns_,
        look_.unicode);
    std::string line(label_ + 1, ' ');
    text_ += line + axis.ruler + "     busy share\n";
    text_ += line + axis.numbers + "\n";
  }

  void Legend() {
    std::string legend = look_.unicode ? "▁…█" : ".:-=+*#%";
    legend += " busy part of a column";
    const bool communication =
        seen_[static_cast<size_t>(BarKind::kCommunication)];
    const bool copies = seen_[static_cast<size_t>(BarKind::kCopies)];
    if (look_.color) {
      legend += fmt::format("; {}compute{}", util::kGreen, util::kReset);
      if (communication) {
        legend +=
            fmt::format(", {}communication{}", util::kMagenta, util::kReset);
      }
      if (copies)
        legend += fmt::format(", {}copies{}", util::kCyan, util::kReset);
    } else if (communication || copies) {
      legend += fmt::format("; mostly {}{}{} (capital: over half)",
                            communication ? "n communication" : "",
                            communication && copies ? ", " : "",
                            copies ? "c copies" : "");
    }
    if (other_) {
      legend += look_.unicode ? "; ░▒ other steps" : "; o other steps";
    }
    if (look_.color) {
      // This legend fits into any window.
      text_ += legend + "\n";
    } else {
      util::AppendWrapped(legend, 0, &text_, page_);
    }
    if (chart_.several_clocks) {
      Dim("Tasks have their own clocks: each begins at its own start.");
    }
  }

  void Hidden() {
    // The kinds of work are parts of their devices.
    std::string text;
    const auto add = [&](int rank, std::string_view noun) {
      if (hidden_[rank] == 0) return;
      text += fmt::format("{}{} {} ({})", text.empty() ? "+ " : ", ",
                          hidden_[rank], noun, Time(hidden_busy_[rank]));
    };
    add(0, "devices");
    add(2, "lanes");
    if (text.empty()) return;
    Dim(text + "; lanes DEVICE shows one");
  }

  void Gaps() {
    if (chart_.gaps.empty()) return;
    Line(fmt::format(
        "Longest of {} gaps:",
        tables::FormatCount(static_cast<int64_t>(chart_.num_gaps))));
    const bool names = chart_.devices.size() > 1;
    for (size_t i = 0; i < std::min(kShownGaps, chart_.gaps.size()); ++i) {
      const LaneChart::Gap& gap = chart_.gaps[i];
      std::string line = fmt::format(
          "  {:>8} at {:<8} {}", Time(gap.length),
          tables::AxisTime(TicksAsMicros(gap.start, chart_.ticks_per_micro)),
          names
              ? util::Shortened(util::SafeText(chart_.devices[gap.device].name),
                                16, Ellipsis()) +
                    ": "
              : std::string());
      const auto side = [](const std::string& name, std::string_view none) {
        return name.empty() ? std::string(none) : util::SafeText(name);
      };
      const size_t rest = page_ - std::min(page_, util::Columns(line) + 15);
      const size_t half = std::max<size_t>(rest / 2, 8);
      line += fmt::format(
          "after {}, before {}",
          util::Shortened(side(gap.before, "the start"), half, Ellipsis()),
          util::Shortened(side(gap.after, "the end"), half, Ellipsis()));
      Line(line);
    }
  }

  const LaneChart& chart_;
  const tables::TextLook& look_;
  const size_t page_;
  size_t label_ = 0;
  size_t columns_ = 1;
  std::vector<Row> rows_;
  size_t hidden_[3] = {};
  int64_t hidden_busy_[3] = {};
  bool seen_[5] = {};   // by kind: shown in a row of a device
  bool other_ = false;  // work of other steps
  std::string text_;
};

}  // namespace

std::string LanesText(const LaneChart& chart, const tables::TextLook& look) {
  return LanesPicture(chart, look).Draw();
}

}  // namespace tfprof::inspect

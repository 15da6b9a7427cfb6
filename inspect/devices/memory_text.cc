// The memory as a picture: a curve for each series, and below it the holders of
// the memory at the peak.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "inspect/devices/memory.h"
#include "inspect/time_cells.h"
#include "tables/blocks.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/text/ansi.h"
#include "util/text/counted.h"
#include "util/text/percent.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::inspect {
namespace {

constexpr size_t kScale = 10;  // the width of "130.34MB │"
constexpr size_t kMostHeight = 6;
constexpr size_t kLeastHeight = 3;
constexpr size_t kMostHolders = 8;
constexpr size_t kLeastHolders = 3;
constexpr size_t kMostOperations = 10;
// The title, the axis, and the line above the holders; the lines for the
// remaining holders, the start and the unknown part.
constexpr size_t kFrame = 7;
constexpr size_t kMostCurves = 4;
// The allocators of a memory snapshot that are described.
constexpr size_t kMostAllocators = 4;
constexpr size_t kMostGrowing = 3;
constexpr size_t kMostHeld = 5;
// The number of lines if the output has no window.
constexpr size_t kMostLines = 60;

std::string_view Plural(int64_t count) { return count == 1 ? "" : "s"; }

class MemoryPicture {
 public:
  MemoryPicture(const MemoryChart& chart, const tables::TextLook& look)
      : chart_(chart), look_(look), page_(std::max<size_t>(look.page(), 40)) {}

  std::string Draw() && {
    size_t room = look_.height == 0 ? kMostLines : look_.height;
    std::string at_the_end = Snapshots();
    room -= std::min(room, NumLines(at_the_end));
    if (chart_.series.empty() && chart_.is_snapshot) return at_the_end;
    if (chart_.series.empty()) {
      Wrap(
          "No allocator reported its bytes in use (in TensorFlow 1, only GPU "
          "allocators do). The operations with the most memory of their own:");
      const size_t shown = std::min(
          {chart_.operations.size(), kMostOperations, room > 5 ? room - 4 : 1});
      for (size_t i = 0; i < shown; ++i) {
        text_ += fmt::format("  {:>9}  {}\n",
                             tables::BytesText(chart_.operations[i].bytes),
                             Short(chart_.operations[i].name, page_ - 13));
      }
      if (shown < chart_.num_operations) {
        Line(
            fmt::format("  + {} more: op -select peak_bytes -order_by "
                        "peak_bytes",
                        chart_.num_operations - shown));
      }
      return std::move(text_);
    }
    // Adds curves as long as each fits at its smallest size.
    constexpr size_t kLeast = kFrame + kLeastHeight + kLeastHolders;
    const size_t others_line = chart_.series.size() > 1 ? 2 : 0;
    size_t curves = 0, flat = 0;
    while (curves < chart_.series.size() && curves < kMostCurves) {
      const bool is_flat = IsFlat(chart_.series[curves]);
      if (curves > 0 && !is_flat && curves > flat &&
          (curves - flat + 1) * kLeast + flat + others_line > room) {
        break;
      }
      ++curves;
      flat += is_flat;
    }
    const size_t lines_left = room - std::min(room, others_line + flat);
    const size_t each = lines_left / std::max<size_t>(1, curves - flat);
    const size_t extra = each > kLeast ? each - kLeast : 0;
    const size_t height = std::min(kMostHeight, kLeastHeight + extra / 2);
    const size_t holders =
        std::min(kMostHolders, kLeastHolders + extra - (height - kLeastHeight));
    for (size_t s = 0; s < curves; ++s) {
      if (IsFlat(chart_.series[s])) {
        Line(fmt::format("{}: {} all the time",
                         Short(chart_.series[s].name, page_ / 2),
                         tables::BytesText(chart_.series[s].peak)));
        continue;
      }
      Curve(chart_.series[s], height);
      AtPeak(chart_.series[s], holders);
    }
    const size_t lines = NumLines(text_);
    Others(curves, room > lines + 1 ? room - lines : 1);
    return std::move(text_) + at_the_end;
  }

 private:
  static size_t NumLines(std::string_view text) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::string_view Ellipsis() const { return look_.unicode ? "…" : ".."; }
  std::string Time(int64_t ticks) const {
    return tables::FormatTime(ticks, chart_.ticks_per_micro);
  }
  std::string Short(std::string_view name, size_t columns) const {
    return util::Shortened(util::SafeText(name), columns, Ellipsis());
  }
  void Line(std::string_view line) {
    text_ += util::Shortened(line, page_, Ellipsis());
    text_ += '\n';
  }
  void Wrap(std::string_view sentence) {
    util::AppendWrapped(sentence, 0, &text_, page_);
  }

  std::string PeakText(const MemoryChart::Series& series) const {
    std::string text = tables::BytesText(series.peak);
    if (series.peak_time)
      text += fmt::format(" at {}", Time(*series.peak_time));
    if (series.peak_step && chart_.step == accounting::kAllSteps) {
      text += fmt::format(" (step {})", *series.peak_step);
    }
    return text;
  }

  static bool IsFlat(const MemoryChart::Series& series) {
    return series.samples.size() > 1 && series.from_start == series.peak &&
           std::all_of(series.samples.begin(), series.samples.end(),
                       [&](const MemoryChart::Sample& sample) {
                         return sample.bytes == series.peak;
                       });
  }

  // The share of the peak in each column: the highest level in it.
  std::vector<double> Shares(const MemoryChart::Series& series,
                             size_t columns) const {
    std::vector<int64_t> most(columns);
    const auto column_of = [&](int64_t time) {
      const double share =
          chart_.length <= 0
              ? 0.0
              : static_cast<double>(time) / static_cast<double>(chart_.length);
      return static_cast<size_t>(std::clamp(share, 0.0, 1.0) *
                                 static_cast<double>(columns - 1));
    };
    int64_t level = 0;
    size_t at = 0;
    for (const MemoryChart::Sample& sample : series.samples) {
      const size_t column = column_of(sample.time);
      for (; at < column; ++at) most[at] = std::max(most[at], level);
      most[at] = std::max(most[at], sample.bytes);
      level = sample.bytes;
    }
    if (!series.samples.empty()) {
      // The clocks of devices differ, so a series ends with its last sample.
      const size_t end =
          series.raised ? columns : column_of(series.samples.back().time) + 1;
      for (; at < end; ++at) most[at] = std::max(most[at], level);
    }
    std::vector<double> shares;
    for (const int64_t bytes : most) {
      shares.push_back(static_cast<double>(bytes) /
                       static_cast<double>(series.peak));
    }
    return shares;
  }

  void Curve(const MemoryChart::Series& series, size_t height) {
    Line(fmt::format("{}: peak {}", Short(series.name, page_ / 2),
                     PeakText(series)));
    if (series.samples.empty()) return;
    const size_t columns = page_ - kScale;
    const std::vector<std::string> lines =
        tables::BlockLines(Shares(series, columns), height, look_.unicode);
    for (size_t line = 0; line < lines.size(); ++line) {
      std::string scale;
      if (line == 0) scale = tables::BytesText(series.peak);
      text_ +=
          fmt::format("{:>{}}{}", scale, kScale - 1, look_.unicode ? "│" : "|");
      if (look_.color) text_ += util::kGreen;
      text_ += lines[line];
      if (look_.color) text_ += util::kReset;
      text_ += '\n';
    }
    const tables::TimeAxis axis = tables::MakeTimeAxis(
        TicksAsMicros(chart_.length, chart_.ticks_per_micro), columns + 1,
        look_.unicode);
    text_ += fmt::format("{:>{}}{}\n", "0", kScale - 1, axis.ruler);
    text_ += std::string(kScale - 1, ' ');
    text_ += axis.numbers + "\n";
  }

  // Appends rows for holders, and one for the remaining holders.
  void Holders(const std::vector<MemoryChart::Holder>& holders, size_t most,
               int64_t whole) {
    const size_t shown = std::min(most, holders.size());
    for (size_t i = 0; i < shown; ++i) {
      text_ += fmt::format("  {:>9} {:>6.1f}%  {}\n",
                           tables::BytesText(holders[i].bytes),
                           100.0 * static_cast<double>(holders[i].bytes) /
                               static_cast<double>(whole),
                           Short(holders[i].name, page_ - 21));
    }
    int64_t rest = 0;
    for (size_t i = shown; i < holders.size(); ++i) {
      rest = util::SaturatingAdd(rest, holders[i].bytes);
    }
    if (rest > 0) {
      Rest(rest, whole, "+ " + util::Counted(holders.size() - shown, "other"));
    }
  }

  void Rest(int64_t bytes, int64_t whole, std::string_view what) {
    const std::string line = fmt::format(
        "  {:>9} {:>6.1f}%  {}", tables::BytesText(bytes),
        100.0 * static_cast<double>(bytes) / static_cast<double>(whole),
        util::Shortened(what, page_ - 21, Ellipsis()));
    text_ += look_.color
                 ? fmt::format("{}{}{}\n", util::kDim, line, util::kReset)
                 : line + "\n";
  }

  void AtPeak(const MemoryChart::Series& series, size_t most) {
    if (series.end) return OwnersAtPeak(series, most);
    if (series.holders.empty()) {
      Line("The recording does not contain its holders.");
    } else {
      Line(series.raised
               ? "Operations that raised it to the peak (its owners are "
                 "not recorded):"
               : "Held at the peak by:");
      Holders(series.holders, most, series.peak);
    }
    if (series.from_start > 0) {
      Rest(series.from_start, series.peak, "in use at the beginning");
    }
    if (series.unknown > 0 && !series.holders.empty()) {
      Rest(series.unknown, series.peak,
           series.raised ? "raised outside of recorded operations"
                         : "held by no recorded operation");
    }
  }

  // The holders of a memory snapshot by line. Reserved memory has none.
  void OwnersAtPeak(const MemoryChart::Series& series, size_t most) {
    if (series.holders.empty()) return;
    Line("Held at the peak by:");
    Holders(ByName(series.holders), most, series.peak);
    if (series.from_start > 0) {
      Line(fmt::format("  {:>9} was allocated before the recording began.",
                       tables::BytesText(series.from_start)));
    }
  }

  // Adds up the holders of one name. The largest is first.
  static std::vector<MemoryChart::Holder> ByName(
      const std::vector<MemoryChart::Holder>& holders) {
    std::map<std::string_view, MemoryChart::Holder> sums;
    for (const MemoryChart::Holder& holder : holders) {
      MemoryChart::Holder& sum = sums[holder.name];
      sum.name = holder.name;
      sum.bytes = util::SaturatingAdd(sum.bytes, holder.bytes);
      sum.count += holder.count;
    }
    std::vector<MemoryChart::Holder> sorted;
    for (auto& [name, sum] : sums) sorted.push_back(std::move(sum));
    std::stable_sort(
        sorted.begin(), sorted.end(),
        [](const MemoryChart::Holder& a, const MemoryChart::Holder& b) {
          return a.bytes > b.bytes;
        });
    return sorted;
  }

  // What the allocators of a memory snapshot hold at the end.
  std::string Snapshots() const {
    std::string text;
    const auto add = [&](std::string_view sentence) {
      util::AppendWrapped(sentence, 2, &text, page_);
    };
    const size_t shown = std::min(chart_.allocators.size(), kMostAllocators);
    for (size_t i = 0; i < shown; ++i) {
      const MemoryChart::Allocator& allocator = chart_.allocators[i];
      const accounting::SegmentSums& sums = allocator.sums;
      add(fmt::format(
          "{} at the end: {} reserved in {} segment{} = {} allocated + {} "
          "rounding + {} free, at most {} of it in one piece.",
          util::SafeText(allocator.name), tables::BytesText(sums.reserved),
          sums.segments, Plural(sums.segments),
          tables::BytesText(sums.allocated), tables::BytesText(sums.internal),
          tables::BytesText(sums.external),
          tables::BytesText(sums.largest_free)));
      if (sums.awaiting > 0) {
        add(fmt::format(
            "  {} of the free memory was released by the program, and waits "
            "for another stream.",
            tables::BytesText(sums.awaiting)));
      }
      if (!allocator.has_events) {
        add("  Events were not recorded, so the peak and its owners are not "
            "known: torch.cuda.memory._record_memory_history().");
        HeldAtEnd(allocator, text);
      }
      NeverFreed(allocator, text);
      Growth(allocator, text);
      Failures(allocator, text);
    }
    if (shown < chart_.allocators.size()) {
      add(fmt::format("+ {} more allocators: memory -output json",
                      chart_.allocators.size() - shown));
    }
    return text;
  }

  void HeldAtEnd(const MemoryChart::Allocator& allocator,
                 std::string& text) const {
    const std::vector<MemoryChart::Holder> lines =
        ByName(allocator.held_at_end);
    if (lines.empty()) return;
    text += "  Held at the end by:\n";
    const size_t shown = std::min(lines.size(), kMostHeld);
    for (size_t i = 0; i < shown; ++i) {
      text +=
          fmt::format("  {:>9} {:>6}  {}\n", tables::BytesText(lines[i].bytes),
                      util::Percent(lines[i].bytes, allocator.sums.allocated),
                      Short(lines[i].name, page_ - 21));
    }
    if (shown < lines.size()) {
      text += fmt::format("  + {} other lines\n", lines.size() - shown);
    }
  }

  void NeverFreed(const MemoryChart::Allocator& allocator,
                  std::string& text) const {
    int64_t bytes = 0, count = 0;
    for (const MemoryChart::Holder& holder : allocator.never_freed) {
      bytes = util::SaturatingAdd(bytes, holder.bytes);
      count += holder.count;
    }
    if (count == 0) return;
    const MemoryChart::Holder most = ByName(allocator.never_freed)[0];
    util::AppendWrapped(
        fmt::format("  {} in {} allocation{} was never freed; most of it, {}, "
                    "in {}",
                    tables::BytesText(bytes), count, Plural(count),
                    tables::BytesText(most.bytes), Short(most.name, page_ / 2)),
        2, &text, page_);
  }

  void Growth(const MemoryChart::Allocator& allocator,
              std::string& text) const {
    const size_t shown = std::min(allocator.growing.size(), kMostGrowing);
    for (size_t i = 0; i < shown; ++i) {
      const MemoryChart::Allocator::Growing& row = allocator.growing[i];
      util::AppendWrapped(
          fmt::format("  Grows in {} of {} {}: {} each, {} in {}; in {}",
                      row.parts, allocator.parts,
                      allocator.parts_are_steps
                          ? "steps"
                          : "equal parts of the recording",
                      tables::BytesText(row.bytes_per_part),
                      tables::BytesText(row.holder.bytes),
                      util::Counted(row.holder.count, "allocation"),
                      Short(row.holder.name, page_ / 2)),
          2, &text, page_);
    }
    if (shown < allocator.growing.size()) {
      util::AppendWrapped(
          fmt::format(
              "  + {} that grow: memory -output json",
              util::Counted(allocator.growing.size() - shown, "more line")),
          2, &text, page_);
    }
  }

  void Failures(const MemoryChart::Allocator& allocator,
                std::string& text) const {
    if (allocator.failures.empty()) return;
    const MemoryChart::Allocator::OutOfMemory& first = allocator.failures[0];
    util::AppendWrapped(
        fmt::format("  Out of memory, {} time{}. First: {} requested with {} "
                    "free on the device, {} allocated, {} more reserved; in {}",
                    allocator.failures.size(),
                    Plural(static_cast<int64_t>(allocator.failures.size())),
                    tables::BytesText(first.requested),
                    tables::BytesText(first.device_free),
                    tables::BytesText(first.allocated),
                    tables::BytesText(first.reserved - first.allocated),
                    Short(first.name, page_ / 2)),
        2, &text, page_);
  }

  void Others(size_t first, size_t room) {
    if (first >= chart_.series.size()) return;
    const size_t left = chart_.series.size() - first;
    const size_t shown = left <= room ? left : room - 1;
    size_t name = 8;
    for (size_t s = first; s < first + shown; ++s) {
      name =
          std::max(name, util::Columns(util::SafeText(chart_.series[s].name)));
    }
    name = std::min(name, page_ / 3);
    for (size_t s = first; s < first + shown; ++s) {
      const MemoryChart::Series& series = chart_.series[s];
      std::string line;
      util::AppendPadded(Short(series.name, name), name + 1, &line);
      const std::string peak = fmt::format("  peak {}", PeakText(series));
      const size_t taken = name + 1 + util::Columns(peak);
      if (page_ > taken + 8) {
        line += tables::BlockLines(Shares(series, page_ - taken), 1,
                                   look_.unicode)[0];
      }
      Line(line + peak);
    }
    if (shown < left) {
      Line(fmt::format("+ {} more; the next peak is {}; memory NAME shows one",
                       left - shown,
                       tables::BytesText(chart_.series[first + shown].peak)));
    }
  }

  const MemoryChart& chart_;
  const tables::TextLook& look_;
  const size_t page_;
  std::string text_;
};

}  // namespace

std::string MemoryText(const MemoryChart& chart, const tables::TextLook& look) {
  return MemoryPicture(chart, look).Draw();
}

}  // namespace tfprof::inspect

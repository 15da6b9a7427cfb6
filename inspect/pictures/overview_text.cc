// The overview as text: one screen of 80 columns and kOverviewLines lines.

#include <algorithm>
#include <cstdlib>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "accounting/counter_levels.h"
#include "fmt/format.h"
#include "inspect/pictures/overview.h"
#include "inspect/steps/steps.h"
#include "tables/numbers.h"
#include "timeline/account/work_classes.h"
#include "util/text/ansi.h"
#include "util/text/counted.h"
#include "util/text/kernel_names.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::inspect {
namespace {

constexpr size_t kLabel = 10;  // the width of "Steps" and the blanks after it
constexpr size_t kDevices = 3;
constexpr size_t kBars = 30;
constexpr size_t kRecordLines = 3;
constexpr size_t kLeastBars = 3;

std::string Share(int64_t part, int64_t whole) {
  if (whole <= 0) return "-";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) /
                                    static_cast<double>(whole));
}

// The room for less important parts, reduced until the problem fits in full.
struct Room {
  bool notes;
  size_t ops;
  size_t parts;
};
constexpr Room kRooms[] = {{true, 5, 5},  {true, 4, 5},  {true, 3, 5},
                           {false, 3, 5}, {false, 3, 4}, {false, 2, 4},
                           {false, 2, 3}, {false, 1, 3}};

class Writer {
 public:
  Writer(const Overview& overview, const tables::TextLook& look,
         const Room& room)
      : o_(overview),
        look_(look),
        room_(room),
        page_(std::max<size_t>(look.page(), 40)) {}

  // Whether the last Write() had to cut the problem.
  bool is_cut() const { return is_cut_; }

  std::string Write() {
    Header();
    for (const Overview::Record& record : o_.records) {
      Wrapped(record.label, record.text, kRecordLines);
    }
    if (o_.nodes == 0 && !o_.records.empty()) {
      // The records are all that there is.
    } else if (o_.nodes == 0) {
      Line("",
           "No operation was recorded or defined in this input: nothing to "
           "show.");
    } else if (o_.executions == 0) {
      Graph();
    } else {
      Steps();
      Base();
      Devices();
      Account();
      Ops();
      Memory();
    }
    Problem();
    Next();
    return std::move(text_);
  }

 private:
  std::string Time(int64_t ticks) const {
    return tables::FormatTime(ticks, o_.ticks_per_micro);
  }
  std::string Short(std::string_view name, size_t columns) const {
    return util::Shortened(util::SafeText(util::ShortKernelName(name)), columns,
                           look_.unicode ? "…" : "...");
  }
  // `text`, cut at the end of the window.
  void Line(std::string_view label, std::string_view text) {
    std::string line;
    util::AppendPadded(label, label.empty() ? 0 : kLabel, &line);
    if (label.empty()) line.append(kLabel, ' ');
    line += text;
    if (util::Columns(line) > page_) {
      line.resize(util::PrefixInColumns(line, page_ - 3));
      line += "...";
    }
    if (look_.color && !label.empty()) {
      text_ +=
          fmt::format("{}{}{}{}", util::kBold, line.substr(0, label.size()),
                      util::kReset, line.substr(label.size()));
    } else {
      text_ += line;
    }
    text_ += '\n';
  }

  void Header() {
    const std::string path =
        o_.inputs.empty() ? "(no file)" : o_.inputs[0].path;
    const std::string format = o_.inputs.empty() ? "" : o_.inputs[0].format;
    std::string what = format;
    if (!o_.framework.empty() && !format.starts_with(o_.framework)) {
      what = fmt::format("{}, {}", o_.framework, format);
    }
    if (o_.inputs.size() > 1) {
      what += fmt::format(" and {} more", o_.inputs.size() - 1);
    }
    what += fmt::format("; {} node{}",
                        tables::FormatCount(static_cast<int64_t>(o_.nodes)),
                        o_.nodes == 1 ? "" : "s");
    const size_t room = page_ - kLabel;
    const size_t columns = util::Columns(what) + 3;
    Line("File",
         fmt::format("{} ({})",
                     Short(path, room > columns + 12 ? room - columns : 12),
                     what));
  }

  void Steps() {
    std::vector<int64_t> ticks;
    int64_t least = 0, most = 0;
    for (const timeline::StepWall& wall : o_.walls) {
      if (!wall.known) continue;
      least = ticks.empty() ? wall.ticks : std::min(least, wall.ticks);
      most = std::max(most, wall.ticks);
      ticks.push_back(wall.ticks);
    }
    // A memory snapshot or a log has no steps, and its records have a line.
    if (ticks.empty() && !o_.records.empty()) return;
    if (ticks.empty()) {
      return Line("Steps",
                  o_.walls.empty()
                      ? "none: times are of the whole file"
                      : fmt::format("{} without wall time: samples, or "
                                    "sums only",
                                    o_.walls.size()));
    }
    if (o_.walls.size() == 1) {
      const timeline::StepWall& only = o_.walls[0];
      return Line(
          "Steps",
          fmt::format("1: step {}, wall time {}{}", only.step->id,
                      Time(only.ticks),
                      only.done > only.ticks
                          ? fmt::format("; until its devices are done {}",
                                        Time(only.done))
                          : ""));
    }
    std::string line =
        fmt::format("{} ({} to {})", o_.walls.size(), o_.walls.front().step->id,
                    o_.walls.back().step->id);
    const std::string times = fmt::format(
        "  wall {} to {}, median {}", Time(least), Time(most), Time(o_.median));
    const size_t taken =
        kLabel + util::Columns(line) + 2 + util::Columns(times);
    if (look_.unicode && taken + kLeastBars <= page_) {
      line += "  " + SparkLine(ticks, std::min(kBars, page_ - taken));
    }
    Line("Steps", line + times);
    if (o_.typical->done > o_.typical->ticks) {
      Line("", fmt::format("until its devices are done, step {} takes {}",
                           o_.typical->step->id, Time(o_.typical->done)));
    }
    if (!o_.odd) return;
    const double ratio = static_cast<double>(o_.odd->ticks) /
                         static_cast<double>(std::max<int64_t>(1, o_.median));
    std::string odd = fmt::format("step {} took {}, {:.1f} times the median",
                                  o_.odd->step->id, Time(o_.odd->ticks), ratio);
    if (o_.num_odd > 1) {
      odd += fmt::format("; {} steps above {:.1f}", o_.num_odd,
                         timeline::kOddStep);
    }
    Line("", odd);
  }

  // What changed since the base.
  void Base() {
    if (!o_.base) return;
    const std::string_view text = o_.base->text;
    const size_t room =
        page_ - kLabel - std::min(page_ - kLabel, util::Columns(text) + 2);
    constexpr size_t kLeastName = 8;
    Line("Base", room < kLeastName
                     ? std::string(text)
                     : fmt::format("{}; {}", text, Short(o_.base->name, room)));
    if (!o_.base->because.empty()) {
      Line("", fmt::format("because of {}", o_.base->because));
    }
  }

  bool PassesWall(int64_t Overview::Op::*time) const {
    return o_.ops_wall > 0 && !o_.shares_wall(time);
  }

  void Devices() {
    if (!o_.typical || o_.split.empty()) return;
    const size_t name = 16;
    std::string title = fmt::format("step {}: {}", o_.typical->step->id,
                                    Time(o_.typical->done));
    if (title.size() > name) {
      title = fmt::format("step {}", o_.typical->step->id);
    }
    std::string head;
    util::AppendPadded(title, name, &head);
    Line("Wall", fmt::format("{} {:>9} {:>9} {:>9} {:>9} {:>13}", head, "busy",
                             "compute", "communic.", "copies", "idle"));
    // The last line reports the number of devices that are not shown.
    const size_t shown =
        o_.split.size() <= kDevices ? o_.split.size() : kDevices - 1;
    const std::vector<std::string> names = DeviceNames(name);
    for (size_t i = 0; i < shown; ++i) {
      const DeviceSplit& d = o_.split[i];
      std::string label;
      util::AppendPadded(Short(names[i], name), name, &label);
      Line("",
           fmt::format(
               "{} {:>9} {:>9} {:>9} {:>9} {:>13}", label, Time(d.busy),
               Time(d.compute), Time(d.communication), Time(d.copies),
               fmt::format("{} {:>3.0f}%", Time(d.idle),
                           d.wall <= 0 ? 0
                                       : 100.0 * static_cast<double>(d.idle) /
                                             static_cast<double>(d.wall))));
    }
    if (shown == o_.split.size()) return;
    int64_t least = o_.split[shown].busy, most = least;
    for (size_t i = shown; i < o_.split.size(); ++i) {
      least = std::min(least, o_.split[i].busy);
      most = std::max(most, o_.split[i].busy);
    }
    Line("", fmt::format("+ {} devices, each busy {} to {} (devices -step {})",
                         o_.split.size() - shown, Time(least), Time(most),
                         o_.typical->step->id));
  }

  // The names of the devices in the order of `split`. Where one is too long,
  // names of ranks ("node0_rank1.sqlite gpu:0") lose what all of them begin and
  // end with, which would hide in what they differ.
  std::vector<std::string> DeviceNames(size_t columns) const {
    std::vector<std::string> names;
    std::set<std::string_view> ranks;
    bool is_long = false;
    for (const DeviceSplit& d : o_.split) {
      const std::string_view whole = d.name;
      is_long |= util::Columns(whole) > columns;
      ranks.insert(whole.substr(0, whole.rfind(' ')));
      names.push_back(d.name);
    }
    if (!is_long || ranks.size() < 2) return names;
    const auto is_name = [](char c) {
      return absl::ascii_isalnum(static_cast<unsigned char>(c));
    };
    // Whole words are cut: the sorted first and last name differ first.
    const std::string_view a = *ranks.begin(), b = *ranks.rbegin();
    size_t front = 0, back = a.size();
    const auto same = static_cast<size_t>(
        std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
        a.begin());
    for (size_t i = 0; i < same; ++i) {
      if (!is_name(a[i])) front = i + 1;
    }
    for (const std::string_view rank : ranks) {
      size_t alike = 0, cut = 0;
      while (alike < std::min(rank.size(), a.size()) - front &&
             rank[rank.size() - 1 - alike] == a[a.size() - 1 - alike]) {
        if (!is_name(rank[rank.size() - 1 - alike])) cut = alike + 1;
        ++alike;
      }
      back = std::min(back, cut);
    }
    for (std::string& name : names) {
      const size_t end = std::min(name.rfind(' '), name.size());
      if (end < front + back) continue;
      name = name.substr(front, end - back - front) + name.substr(end);
    }
    return names;
  }

  // The parts of the wall time, the largest first.
  void Account() {
    const timeline::DeviceAccount& account = o_.account.sum;
    const size_t devices = o_.account.devices;
    if (devices == 0 || account.wall <= 0) return;
    std::vector<const timeline::PartInfo*> parts;
    for (const timeline::PartInfo& info : timeline::AllParts()) {
      if (account[info.part].ticks > 0) parts.push_back(&info);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [&](const auto* a, const auto* b) {
                       return account[a->part].ticks > account[b->part].ticks;
                     });
    const size_t shown =
        parts.size() <= room_.parts + 1 ? parts.size() : room_.parts;
    const auto row = [&](std::string_view label, std::string_view title,
                         int64_t ticks, std::string_view most) {
      std::string line;
      util::AppendPadded(title, 24, &line);
      line += fmt::format(" {:>9} {:>6}",
                          Time(ticks / static_cast<int64_t>(devices)),
                          Share(ticks, account.wall));
      const size_t room = page_ - kLabel - util::Columns(line);
      if (!most.empty() && room > 12) {
        line += fmt::format("  {}", Short(most, room - 2));
      }
      Line(label, line);
    };
    for (size_t i = 0; i < shown; ++i) {
      const timeline::PartTime& part = account[parts[i]->part];
      row(i == 0 ? "Account" : "", parts[i]->title, part.ticks,
          part.details.empty() ? "" : part.details[0].name);
    }
    if (shown == parts.size()) return;
    int64_t rest = 0;
    for (size_t i = shown; i < parts.size(); ++i) {
      rest += account[parts[i]->part].ticks;
    }
    row("", fmt::format("+ {} parts", parts.size() - shown), rest,
        devices > 1 ? fmt::format("mean of {} devices", devices) : "");
  }

  // A number of `ops`.
  std::string Measured(int64_t value) const {
    if (o_.measure == Overview::Measure::kTime) return Time(value);
    return o_.measure == Overview::Measure::kBytes ? tables::BytesText(value)
                                                   : tables::FormatCount(value);
  }

  // A column of times: its title, and which times.
  struct TimeColumn {
    std::string_view title;
    int64_t Overview::Op::*time;
  };
  // Time on accelerators and on CPUs are two columns: both pass at once.
  std::vector<TimeColumn> TimeColumns() const {
    if (!o_.both_times()) return {{"", &Overview::Op::ticks}};
    return {{"accelerator", &Overview::Op::accelerator},
            {"cpu", &Overview::Op::cpu}};
  }

  // The whole of the shares of a column. Sums that are more than the wall time,
  // of lanes that work at the same time, are no shares of it.
  int64_t WholeOf(int64_t Overview::Op::*time) const {
    const int64_t work = o_.work(time);
    return o_.shares_wall(time) ? std::max(o_.ops_wall, work) : work;
  }
  std::string_view ShareTitle(int64_t Overview::Op::*time) const {
    return o_.shares_wall(time) ? "of wall"
           : o_.both_times()    ? "of all"
                                : "of all ops";
  }
  size_t ShareWidth() const { return o_.both_times() ? 7 : 10; }

  // A number and its share for each column.
  std::string Numbers(const Overview::Op& op) const {
    std::string text;
    for (const TimeColumn& column : TimeColumns()) {
      const int64_t value = op.*column.time;
      text += fmt::format(" {:>11} {:>{}}", Measured(value),
                          Share(value, WholeOf(column.time)), ShareWidth());
    }
    return text;
  }

  // "1.20ms", or "1.20ms accelerator, 3.40ms cpu" without zeros.
  std::string Times(const Overview::Op& op) const {
    std::string text;
    for (const TimeColumn& column : TimeColumns()) {
      if (op.*column.time <= 0) continue;
      text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ",
                          Time(op.*column.time),
                          column.title.empty() ? "" : " ", column.title);
    }
    return text;
  }

  size_t NameColumns() const {
    return page_ - kLabel - TimeColumns().size() * (13 + ShareWidth());
  }

  // Appends the rows of `ops`, and one for the rest. Waits are beside them.
  void OpRows(std::string_view rest_noun) {
    Overview::Op rest = o_.all_ops;
    const auto subtract = [&](const Overview::Op& op) {
      for (const auto time : {&Overview::Op::ticks, &Overview::Op::accelerator,
                              &Overview::Op::cpu}) {
        rest.*time -= op.*time;
      }
    };
    const auto row = [&](std::string_view name, const Overview::Op& op) {
      std::string label;
      util::AppendPadded(Short(name, NameColumns()), NameColumns(), &label);
      Line("", label + Numbers(op));
    };
    const size_t rows = std::min(room_.ops, o_.ops.size());
    for (const Overview::Op& op : std::span(o_.ops).first(rows)) {
      subtract(op);
      row(op.name, op);
    }
    subtract(o_.waits.sum);
    subtract(o_.frames.sum);
    const size_t others = o_.num_ops - rows - o_.waits.types - o_.frames.types;
    if (others > 0) {
      const std::string name = "+ " + util::Counted(others, rest_noun);
      if (o_.both_times()) {
        row(name, rest);
      } else {
        Line("", fmt::format("{}, {} ({})", name, Measured(rest.ticks),
                             Share(rest.ticks, WholeOf(&Overview::Op::ticks))));
      }
    }
    if (!room_.notes) return;
    NoWorkRow("waits, no work", o_.waits);
    NoWorkRow("markers and ranges", o_.frames);
  }

  void NoWorkRow(std::string_view title, const Overview::NoWork& of) {
    if (of.types == 0) return;
    std::string text = fmt::format("{}: {}", title, Times(of.sum));
    const size_t room = page_ - kLabel - util::Columns(text) - 2;
    if (room > 12) {
      text += fmt::format(
          "  {}", Short(of.types == 1 ? of.sum.name
                                      : fmt::format("{} and {} more",
                                                    of.sum.name, of.types - 1),
                        room));
    }
    Line("", text);
  }

  // What the numbers of the operations are. Two columns leave little room.
  std::string OpsTitle() const {
    const bool several = o_.walls.size() > 1;
    if (o_.both_times()) {
      const bool waits = o_.waits.types > 0, ranges = o_.frames.types > 0;
      return fmt::format("{}op times{}{}", several && o_.average ? "mean " : "",
                         waits && ranges          ? ", no waits/ranges"
                         : ranges                 ? " without ranges"
                         : !waits                 ? ""
                         : several && !o_.average ? ", no waits"
                                                  : " without waits",
                         several && !o_.average ? ", all steps" : "");
    }
    std::string title = o_.measure == Overview::Measure::kBytes
                            ? "sums of bytes"
                            : "sums of op times";
    if (o_.waits.types > 0) title += " without waits";
    if (several) {
      title += o_.average
                   ? fmt::format(", average of {} steps", o_.walls.size())
                   : fmt::format(", all {} steps", o_.walls.size());
    }
    return title;
  }

  void Ops() {
    const std::string title = OpsTitle();
    std::string line;
    util::AppendPadded(Short(title, NameColumns()), NameColumns(), &line);
    for (const TimeColumn& column : TimeColumns()) {
      line += fmt::format(" {:>11} {:>{}}", column.title,
                          ShareTitle(column.time), ShareWidth());
    }
    Line("Ops", line);
    OpRows("more type");
    if (!room_.notes) return;
    for (const TimeColumn& column : TimeColumns()) {
      if (!PassesWall(column.time)) continue;
      Line("", fmt::format("{} {} in {} of wall time: {} overlap",
                           column.title.empty() ? "all ops" : column.title,
                           Time(o_.work(column.time)), Time(o_.ops_wall),
                           column.title.empty()    ? "devices and threads"
                           : column.title == "cpu" ? "threads"
                                                   : "streams and devices"));
    }
    if (o_.unnamed_replays > 0) {
      Line("", fmt::format("{:.1f}% of accelerator time is graphs without "
                           "names (advise all)",
                           100 * o_.unnamed_replays));
    }
    if (o_.outside.ticks > 0 && o_.typical) {
      Line("", Times(o_.outside) +
                   (o_.average ? " more ran in no step (-step all has it)"
                               : " of it ran in no step"));
    }
  }

  void Graph() {
    Line("Steps", "none: no execution was recorded, so there are no times");
    Line("Model",
         fmt::format("{} nodes, {} parameters, {} float operations",
                     tables::FormatCount(static_cast<int64_t>(o_.nodes)),
                     tables::FormatCount(o_.parameters),
                     tables::FormatCount(o_.float_ops)));
    std::string_view measure = "number of nodes";
    if (o_.measure == Overview::Measure::kParameters) measure = "parameters";
    if (o_.measure == Overview::Measure::kFloatOps)
      measure = "float operations";
    Line("Ops", fmt::format("by {}", measure));
    OpRows("more type");
  }

  void Memory() {
    std::string peak;
    if (o_.peak) {
      const bool is_reserved = accounting::IsReserved(o_.peak->holder);
      peak = fmt::format("peak {} {} on {}", tables::BytesText(o_.peak->bytes),
                         is_reserved ? "reserved" : "in use",
                         Short(accounting::AllocatorOf(o_.peak->holder), 20));
      if (o_.peak_reserved && !is_reserved) {
        peak +=
            fmt::format(", {} reserved", tables::BytesText(*o_.peak_reserved));
      }
    }
    std::string largest;
    if (o_.largest) {
      largest = fmt::format("{}{} in ", o_.peak ? "" : "largest operation: ",
                            tables::BytesText(o_.largest->bytes));
      // A name that has too little room beside the peak is on the next line.
      constexpr size_t kLeastName = 24;
      const size_t both = kLabel + util::Columns(peak) + 2 +
                          util::Columns(largest) + kLeastName;
      if (!peak.empty() && both <= page_) {
        largest = std::exchange(peak, "") + "; " + largest;
      }
      const size_t taken = kLabel + util::Columns(largest);
      largest +=
          Short(o_.largest->holder, page_ > taken + 12 ? page_ - taken : 12);
    }
    if (!peak.empty()) Line("Memory", peak);
    if (!largest.empty()) Line(peak.empty() ? "Memory" : "", largest);
  }

  void Problem() {
    const OverviewAdvice& advice = o_.advice;
    if (advice.problems == 0) {
      const size_t judged = advice.checkers - advice.lacking;
      Line("Problems",
           fmt::format(
               "none found by {}{} (advise all)",
               util::Counted(judged, "checker"),
               advice.lacking == 0
                   ? ""
                   : fmt::format("; {} cannot judge this file",
                                 util::Counted(advice.lacking, "other"))));
      if (advice.rule.empty()) return;
      is_cut_ = Wrapped("Note", advice.text, FreeLines());
      if (!advice.also.empty()) {
        is_cut_ |= Wrapped("Note", advice.also, FreeLines());
      }
      return;
    }
    const std::string_view label =
        advice.severity == "critical" ? "Critical" : "Warning";
    const size_t free = FreeLines();
    const size_t text = std::min(free, NumLines(advice.text));
    is_cut_ = Wrapped(label, advice.text, free);
    if (advice.advice.empty()) return;
    // The advice fills the remaining lines. Operations make room for it.
    is_cut_ |= text == free || Wrapped("Do", advice.advice, free - text);
  }

  // The lines of the screen that are still free, without the lines of Next; at
  // least one.
  size_t FreeLines() const {
    const size_t taken =
        static_cast<size_t>(std::count(text_.begin(), text_.end(), '\n')) +
        o_.next.size();
    return taken < kOverviewLines ? kOverviewLines - taken : 1;
  }

  // A path that is longer than a line keeps its end, which says most.
  std::string FittingWords(std::string_view text) const {
    const std::string safe = util::SafeText(text);
    std::string fitting;
    for (const std::string& word :
         std::vector<std::string>(absl::StrSplit(safe, ' '))) {
      if (!fitting.empty()) fitting += ' ';
      fitting +=
          util::Shortened(word, page_ - kLabel, look_.unicode ? "…" : "...");
    }
    return fitting;
  }

  size_t NumLines(std::string_view text) const {
    std::string wrapped;
    util::AppendWrapped(FittingWords(text), kLabel, &wrapped, page_);
    return static_cast<size_t>(
        std::count(wrapped.begin(), wrapped.end(), '\n'));
  }

  // Appends `text` on at most `most` lines, the first with a label. Returns
  // true if it was cut.
  bool Wrapped(std::string_view label, std::string_view text, size_t most) {
    std::string wrapped;
    util::AppendWrapped(FittingWords(text), kLabel, &wrapped, page_);
    std::string_view rest = wrapped;
    bool is_cut = false;
    for (size_t i = 0; i < most && !rest.empty(); ++i) {
      const size_t end = rest.find('\n');
      std::string line(rest.substr(0, end));
      rest.remove_prefix(std::min(rest.size(), end + 1));
      if (i > 0) line.erase(0, std::min(line.size(), kLabel));
      if (i + 1 == most && !rest.empty()) {
        is_cut = true;
        if (util::Columns(line) + kLabel + 4 > page_) {
          line.resize(util::PrefixInColumns(line, page_ - kLabel - 4));
        }
        line += " ...";
      }
      Line(i == 0 ? label : "", line);
    }
    return is_cut;
  }

  void Next() {
    size_t columns = 18;
    for (const Overview::Next& next : o_.next) {
      columns = std::max(columns, util::Columns(next.command));
    }
    for (size_t i = 0; i < o_.next.size(); ++i) {
      std::string command;
      util::AppendPadded(o_.next[i].command, columns, &command);
      Line(i == 0 ? "Next" : "",
           fmt::format("{}  {}", command, o_.next[i].why));
    }
  }

  const Overview& o_;
  const tables::TextLook& look_;
  const Room room_;
  const size_t page_;
  std::string text_;
  bool is_cut_ = false;
};

}  // namespace

std::string OverviewText(const Overview& overview,
                         const tables::TextLook& look) {
  std::string text;
  for (const Room& room : kRooms) {
    Writer writer(overview, look, room);
    text = writer.Write();
    if (!writer.is_cut()) break;
  }
  return text;
}

}  // namespace tfprof::inspect

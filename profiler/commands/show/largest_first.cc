#include "profiler/commands/show/largest_first.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "inspect/steps/step_facts.h"
#include "tables/numbers.h"
#include "tables/row_details.h"
#include "tables/writers/markdown_writer.h"
#include "tables/writers/render_table.h"
#include "tables/writers/screen_writer.h"
#include "util/arithmetic.h"
#include "util/text/ansi.h"
#include "util/text/counted.h"
#include "util/text/text_layout.h"
#include "util/text/token_count.h"

namespace tfprof::commands {
namespace {

// Rows with a smaller share of the whole are left out.
constexpr int64_t kSmallestShare = 1000;
// The most rows for an agent, or one for so many tokens of its budget.
constexpr size_t kAgentReportRows = 20;
constexpr size_t kTokensOfRow = 200;
// The size of the line that says what a larger budget shows.
constexpr size_t kTokensOfBudget = 20;

std::string NumberOf(const views::Report& report, accounting::Stat stat,
                     int64_t value) {
  switch (accounting::StatisticOf(stat).unit) {
    case util::Unit::kMicros:
      return tables::FormatTime(value, report.profile->ticks_per_micro());
    case util::Unit::kBytes:
      return tables::FormatBytes(value);
    default:
      return fmt::format("{} {}", tables::FormatCount(value),
                         accounting::StatisticOf(stat).title);
  }
}

// Whether the rows are sorted by a sum that no person sees.
bool SortsBothTimes(const views::Report& report, accounting::Stat stat) {
  return stat == accounting::kMicros &&
         accounting::HasBothTimes(report.root_total);
}

bool IsFolded(const views::Report& report) {
  return report.view == views::View::kCode && report.code->folded > 0;
}

// How the numbers of a report are made.
std::string Title(const views::Report& report, accounting::Stat stat) {
  const accounting::Statistic& statistic = accounting::StatisticOf(stat);
  const bool time = statistic.unit == util::Unit::kMicros;
  std::string title =
      time ? "sums of op times" : fmt::format("sums of {}", statistic.title);
  title += fmt::format(", {}", inspect::StepText(report.options.step));
  if (report.view != views::View::kOp) {
    title += fmt::format("; {}: cumulative", statistic.title);
  }
  title += SortsBothTimes(report, stat)
               ? "; largest accelerator + cpu time first"
               : "; largest first";
  if (IsFolded(report)) title += "; frames of libraries folded (-frames all)";
  return title;
}

// The table with its first `rows` rows only; nothing says that it was cut.
tables::DataTable FirstRows(const tables::DataTable& table, size_t rows) {
  tables::DataTable cut = table;
  cut.num_rows = cut.total_rows = std::min(rows, table.num_rows);
  return cut;
}

// The number of rows at the front that weigh something. In a tree all rows
// were chosen by their totals.
size_t HeavyRows(const views::Report& report, accounting::Stat stat) {
  if (report.view != views::View::kOp) return report.rows.size();
  size_t rows = 0;
  const int64_t least =
      std::max<int64_t>(1, report.root_total[stat] / kSmallestShare);
  while (rows < report.rows.size() && report.rows[rows].self[stat] >= least) {
    ++rows;
  }
  return std::max<size_t>(rows, std::min<size_t>(1, report.rows.size()));
}

std::string Footer(const views::Report& report, accounting::Stat stat,
                   size_t shown) {
  const std::string hidden = HiddenText(report, stat, shown);
  if (hidden.empty()) return "";
  return fmt::format("{}; -max_depth 1000 shows more\n", hidden);
}

// The sentence in lines of the window, each with its newline.
std::string Wrapped(std::string_view sentence, const tables::TextLook& look) {
  if (sentence.empty()) return "";
  if (sentence.ends_with('\n')) sentence.remove_suffix(1);
  std::string lines;
  util::AppendWrapped(sentence, 0, &lines, look.page());
  return lines;
}

size_t CountLines(std::string_view text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

bool FoldsLibraries(views::View view, const options::Options& options) {
  const views::ViewOptions defaults;
  return view == views::View::kCode && options.LargestFirst() &&
         IsForReading(options) && !options.all_frames &&
         options.view.start_names == defaults.start_names &&
         options.view.trim_names == defaults.trim_names &&
         options.view.show_names == defaults.show_names &&
         options.view.hide_names == defaults.hide_names;
}

std::optional<accounting::Stat> FirstCost(views::View view,
                                          const views::ViewOptions& options) {
  const views::FieldSet& select = options.select;
  std::vector<accounting::Stat> stats;
  const auto add_counts = [&] {
    for (const accounting::Stat stat :
         {accounting::kParameters, accounting::kFloatOps}) {
      if (select.Has(stat)) stats.push_back(stat);
    }
  };
  // The order of the columns of tables/report_table.cc.
  const bool nodes = view == views::View::kScope || view == views::View::kGraph;
  if (nodes) add_counts();
  for (const accounting::Stat stat : tables::ByteStats(select))
    stats.push_back(stat);
  for (const accounting::Stat stat : tables::TimeStats(select))
    stats.push_back(stat);
  if (!nodes) add_counts();
  if (stats.empty()) return std::nullopt;
  return stats[0];
}

views::FieldSet SelectBytesOnly(views::View view,
                                const options::Options& options,
                                views::Views& views) {
  const views::FieldSet select = options.view.select;
  if (options.InReferenceForm() || select.size() != 1 ||
      !select.Has(accounting::kMicros)) {
    return select;
  }
  views::ViewOptions root = options.Rows();
  root.max_depth = 0;
  const views::Report report = views.Show(view, root);
  views::FieldSet bytes;
  for (const accounting::Stat stat :
       {accounting::kRequestedBytes, accounting::kPeakBytes,
        accounting::kResidualBytes}) {
    if (report.root_total[stat] > 0) bytes.Add(stat);
  }
  return report.root_total[accounting::kMicros] > 0 || bytes.size() == 0
             ? select
             : bytes;
}

views::ViewOptions ForReading(views::View view, const options::Options& options,
                              views::Views& views,
                              std::optional<accounting::Stat>& stat) {
  stat.reset();
  views::ViewOptions reading = options.Rows();
  reading.fold_libraries = FoldsLibraries(view, options);
  const std::optional<accounting::Stat> first = FirstCost(view, options.view);
  const bool orders = options.order.has_value();
  // Trees that are ordered by occurrence are in the order of names. An agent
  // gets as many rows as its budget has room for.
  const bool by_stat = !options.agent &&
                       reading.order == views::ViewOptions::Order::kStat &&
                       reading.order_stat != accounting::kRunCount;
  if (!options.LargestFirst() || !first ||
      options.view.account_displayed_only || (orders && !by_stat)) {
    return reading;
  }
  const accounting::Stat by = orders ? reading.order_stat : *first;
  views::ViewOptions all = reading;
  all.max_depth = 0;
  const int64_t whole = views.Show(view, all).root_total[by];
  if (whole <= 0) return reading;
  stat = by;
  reading.order = views::ViewOptions::Order::kStat;
  reading.order_stat = by;
  if (orders || !IsForReading(options)) return reading;
  if (view != views::View::kOp && reading.min[*first] == 0) {
    int64_t least = std::max<int64_t>(1, whole / kSmallestShare);
    if (accounting::StatisticOf(*first).unit == util::Unit::kMicros) {
      least = views.profile().Micros(least);
    }
    reading.min[*first] = least;
  }
  return reading;
}

std::string HiddenText(const views::Report& report, accounting::Stat stat,
                       size_t shown) {
  const size_t end = std::min(shown, report.rows.size());
  // The part of a statistic that the first rows do not have.
  const auto hidden_of = [&](accounting::Stat of) {
    int64_t seen = 0;
    for (size_t i = 0; i < end; ++i) {
      const views::Report::Row& row = report.rows[i];
      // A row of a tree stands for all inside it, unless rows below it do.
      const bool open = i + 1 < end && report.rows[i + 1].depth > row.depth;
      if (report.view != views::View::kOp && !open) {
        seen = util::WrapAdd(seen, row.total[of]);
      } else if (row.accounted || report.view == views::View::kOp) {
        seen = util::WrapAdd(seen, row.self[of]);
      }
    }
    return util::WrapSub(report.root_total[of], seen);
  };
  size_t all = 0;
  if (report.view == views::View::kOp) {
    for (const views::Snapshot& snapshot : *report.snapshots)
      all += snapshot.accounted;
  } else {
    all = report.tree->children.size() + 1;
  }
  if (all <= shown || hidden_of(stat) <= 0) return "";
  std::string text = "+ " + util::Counted(all - shown, "row");
  const auto append = [&](accounting::Stat of, std::string_view before) {
    const int64_t hidden = hidden_of(of);
    text +=
        fmt::format(", {}{} ({:.1f}%)", before, NumberOf(report, of, hidden),
                    100.0 * static_cast<double>(hidden) /
                        static_cast<double>(report.root_total[of]));
  };
  if (SortsBothTimes(report, stat)) {
    append(accounting::kAcceleratorMicros, "accelerator ");
    append(accounting::kCpuMicros, "cpu ");
  } else {
    append(stat, "");
  }
  return text;
}

void AddReadingForms(const views::Report& report, accounting::Stat stat,
                     const Command& command, tables::Answer& answer) {
  const auto document =
      std::make_shared<const tables::DataDocument>(answer.data);
  // A person who says which rows to show gets the light ones, too.
  const options::Options& given = command.options;
  const bool chosen = given.order || given.max_depth || given.limit;
  size_t heavy = chosen ? report.rows.size() : HeavyRows(report, stat);
  if (given.limit) heavy = std::min(heavy, static_cast<size_t>(*given.limit));
  answer.forms.push_back(
      {.name = "screen",
       .write =
           [document, &report, stat, heavy](const tables::TextLook& look,
                                            util::Sink& sink) {
             const std::string title = Wrapped(Title(report, stat), look);
             const size_t footer_lines =
                 CountLines(Wrapped(Footer(report, stat, heavy / 2), look));
             // The title, the header, the footers, and the totals.
             const size_t frame =
                 CountLines(title) + footer_lines +
                 (document->parts[0].table.totals.empty() ? 2 : 3);
             size_t rows = heavy;
             if (look.height > 0) {
               rows =
                   std::min(rows, look.height > frame + 1 ? look.height - frame
                                                          : size_t{1});
             }
             tables::TextLook whole = look;
             whole.height = 0;
             sink.Write(title);
             tables::RenderTable(FirstRows(document->parts[0].table, rows),
                                 whole, sink);
             const std::string hidden = Footer(report, stat, rows);
             if (hidden.empty()) return;
             std::string footer = Wrapped(hidden, look);
             footer.pop_back();
             sink.Write(look.color ? fmt::format("{}{}{}\n", util::kDim, footer,
                                                 util::kReset)
                                   : footer + "\n");
           },
       .safe = true,
       .header =
           [&report, stat](const tables::TextLook& look) {
             return CountLines(Wrapped(Title(report, stat), look)) + 1;
           }});
  answer.own_form = "screen";
  const std::string line = SpellCommand(command);
  const std::vector<std::string> narrowing = NarrowingOptions(*command.info);
  answer.forms.push_back(
      {.name = "reading",
       .write =
           [document, &report, stat, heavy, line, narrowing,
            budget = static_cast<size_t>(command.options.budget)](
               const tables::TextLook&, util::Sink& sink) {
             tables::DataDocument cut = *document;
             cut.facts.insert(
                 cut.facts.begin(),
                 {{"command", "", util::Unit::kText}, tables::TextCell(line)});
             cut.facts.push_back({{"order", "order", util::Unit::kText},
                                  tables::TextCell(Title(report, stat))});
             // The last line says how to get more.
             size_t rows = std::min(
                 heavy, std::max(kAgentReportRows, budget / kTokensOfRow));
             const size_t of_footer =
                 util::CountTokens(Footer(report, stat, rows)) +
                 kTokensOfBudget;
             // If there is no room for all of these, only those that fit are
             // shown.
             for (;;) {
               cut.parts[0].table = FirstRows(document->parts[0].table, rows);
               util::StringSink text;
               const size_t written = tables::WriteForAgent(
                   cut, line, narrowing, budget - std::min(budget, of_footer),
                   text);
               if (written < rows) {
                 rows = written;
                 continue;
               }
               const std::string_view all = text.text();
               const size_t last = all.rfind('\n', all.size() - 2) + 1;
               sink.Write(all.substr(0, last));
               sink.Write(Footer(report, stat, rows));
               if (rows < heavy) {
                 sink.Write(fmt::format("-budget {} has room for {}.\n",
                                        (heavy + 1) * kTokensOfRow,
                                        util::Counted(heavy, "row")));
               }
               sink.Write(all.substr(last));
               return;
             }
           },
       .safe = true});
  answer.agent_form = "reading";
}

}  // namespace tfprof::commands

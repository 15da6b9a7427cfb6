#include "tables/writers/markdown_writer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>

#include "fmt/format.h"
#include "tables/cell_text.h"
#include "tables/writers/data_rows.h"
#include "util/text/counted.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"
#include "util/text/token_count.h"

namespace tfprof::tables {
namespace {

// The maximum width of a name for an agent.
constexpr size_t kAgentNameColumns = 240;
// The maximum rank of the columns for an agent.
constexpr int kAgentRank = 2;
// The maximum number of rows of a table for an agent: kAgentRows, or one row
// per kTokensOfRow tokens if that gives more.
constexpr size_t kAgentRows = 40;
constexpr size_t kTokensOfRow = 100;

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

void AppendText(std::string_view text, size_t max_columns, std::string* out) {
  std::string safe = util::SafeLines(text);
  if (max_columns < safe.size()) safe = util::Shortened(safe, max_columns, "…");
  for (size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    switch (c) {
      case '\n':
        *out += "<br>";
        continue;
      case '\t':
        *out += ' ';
        continue;
      case '<':
        *out += "&lt;";
        continue;
      case '>':
        *out += "&gt;";
        continue;
      case '&':
        *out += "&amp;";
        continue;
      case '_':
        // Inside a word this character is not markup, and many names have it
        // there.
        if (i > 0 && IsWord(safe[i - 1]) && i + 1 < safe.size() &&
            IsWord(safe[i + 1])) {
          break;
        }
        [[fallthrough]];
      case '\\':
      case '|':
      case '`':
      case '*':
      case '[':
      case ']':
      case '~':
        *out += '\\';
        break;
    }
    *out += c;
  }
}

// For people, a share needs only 4 decimals.
void AppendCell(const DataCell& cell, util::Unit unit, size_t max_columns,
                std::string* out) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    AppendText(*text, max_columns, out);
  } else if (const auto* d = std::get_if<double>(&cell);
             d != nullptr && unit == util::Unit::kShare && std::isfinite(*d)) {
    fmt::format_to(std::back_inserter(*out), "{:.4f}", *d);
  } else {
    AppendNumber(cell, "", out);
  }
}

// Appends `tfprof.op, command: op -step 1, step: 1` and a newline.
void AppendHead(std::string_view kind, const DataFacts& facts,
                size_t max_columns, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "tfprof.{}", kind);
  for (const auto& [column, cell] : facts) {
    // Unknown values would only take space.
    if (column.name.empty() || std::holds_alternative<std::monostate>(cell)) {
      continue;
    }
    fmt::format_to(std::back_inserter(*out), ", {}: ", column.name);
    AppendCell(cell, column.unit, max_columns, out);
  }
  *out += '\n';
}

// The part of a table that was written.
struct Written {
  size_t rows = 0;
  size_t tokens = 0;
  bool cut = false;  // a line says that rows are missing
};

// Tables with more rows keep the first ones, because judging all rows would
// take long.
constexpr size_t kJudgedRows = 100'000;
// The tokens of a line that describes the missing rows.
constexpr size_t kCutLineTokens = 80;

// The rows to write, in order.
struct Choice {
  std::vector<size_t> rows;
  // The tokens of all rows; 0 if unknown.
  size_t all_tokens = 0;
  // If rows have a cost: the cost of the omitted rows, and of all rows.
  double left_out = 0, cost = 0;
};

class RowWriter {
 public:
  RowWriter(const DataTable& table, const MarkdownLimits& limits)
      : table_(table), limits_(limits) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].heat && cost_ == kNoCost) cost_ = c;
    }
  }

  std::string Head() const {
    std::string head = table_.depth ? "| depth " : "";
    std::string rule = table_.depth ? "|---:" : "";
    for (const DataColumn& column : table_.columns) {
      if (column.rank > limits_.max_rank) continue;
      head += "| " + column.name + " ";
      rule += column.unit == util::Unit::kText ? "|---" : "|---:";
    }
    return head + "|\n" + rule + "|\n";
  }

  void Append(const std::string& depth, const std::vector<DataCell>& cells,
              std::string* out) const {
    if (table_.depth) *out += "| " + depth + " ";
    for (size_t c = 0; c < cells.size(); ++c) {
      if (table_.columns[c].rank > limits_.max_rank) continue;
      *out += "| ";
      AppendCell(cells[c], table_.columns[c].unit, limits_.max_columns, out);
      *out += ' ';
    }
    *out += "|\n";
  }

  void Append(size_t row, const std::vector<DataCell>& cells,
              std::string* out) const {
    Append(table_.depth ? std::to_string(table_.depth(row)) : "", cells, out);
  }

  // Chooses rows that fit into `tokens`; at least one, if there is one.
  Choice Choose(size_t tokens) const {
    const bool all_judged = table_.num_rows <= kJudgedRows;
    const size_t judged = all_judged
                              ? table_.num_rows
                              : std::min(table_.num_rows, limits_.max_rows);
    std::vector<size_t> sizes(judged);
    std::vector<double> costs(judged, 0);
    std::vector<DataCell> cells;
    std::string text;
    Choice choice;
    for (size_t row = 0; row < judged; ++row) {
      table_.cells(row, cells);
      text.clear();
      Append(row, cells, &text);
      sizes[row] = util::CountTokens(text);
      if (all_judged) choice.all_tokens += sizes[row];
      if (cost_ != kNoCost) costs[row] = std::max(0.0, NumberOf(cells[cost_]));
      choice.cost += costs[row];
    }
    std::vector<size_t> order(judged);
    std::iota(order.begin(), order.end(), size_t{0});
    if (all_judged && !table_.depth) {
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return costs[a] > costs[b]; });
    }
    size_t used = 0;
    double shown = 0;
    for (const size_t row : order) {
      used += sizes[row];
      if (choice.rows.size() == limits_.max_rows ||
          (used > tokens && !choice.rows.empty())) {
        break;
      }
      choice.rows.push_back(row);
      shown += costs[row];
    }
    std::sort(choice.rows.begin(), choice.rows.end());
    choice.left_out = choice.cost - shown;
    return choice;
  }

  // Returns the cost of the omitted rows, such as ", 20.60ms (12.3%)". Returns
  // "" if rows have no cost, or if the table is a tree, whose rows include each
  // other.
  std::string LeftOut(const Choice& choice) const {
    if (cost_ == kNoCost || table_.depth || !(choice.cost > 0) ||
        table_.num_rows > kJudgedRows) {
      return "";
    }
    return fmt::format(", {} ({:.1f}%)",
                       NumberText(choice.left_out, table_.columns[cost_].unit),
                       100 * choice.left_out / choice.cost);
  }

 private:
  static constexpr size_t kNoCost = SIZE_MAX;

  const DataTable& table_;
  const MarkdownLimits& limits_;
  size_t cost_ = kNoCost;  // the column with the costs
};

// Returns a rounded number of tokens, which is easy to type.
size_t RoundedUp(size_t tokens) { return (tokens / 100 + 1) * 100; }

// Writes only the table, an empty line, and lines about missing rows. `alone`:
// the table is the whole answer, so its size is the size of the answer.
Written WriteRows(const DataTable& table, const MarkdownLimits& limits,
                  bool alone, util::Sink& sink) {
  const RowWriter writer(table, limits);
  std::string out = writer.Head();
  Written result;
  result.rows = table.num_rows;
  Choice choice;
  if (limits.max_rows == SIZE_MAX && limits.max_tokens == SIZE_MAX) {
    ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
      writer.Append(row, cells, &out);
      return true;
    });
  } else {
    std::string totals;
    if (!table.totals.empty()) writer.Append("", table.totals, &totals);
    const size_t frame =
        util::CountTokens(out) + util::CountTokens(totals) + kCutLineTokens;
    choice =
        writer.Choose(limits.max_tokens - std::min(limits.max_tokens, frame));
    result.rows = choice.rows.size();
    std::vector<DataCell> cells;
    for (const size_t row : choice.rows) {
      table.cells(row, cells);
      writer.Append(row, cells, &out);
    }
  }
  if (!table.totals.empty()) writer.Append("", table.totals, &out);
  out += '\n';
  // If one command shows the rows that were cut here and earlier, one line is
  // enough.
  const bool rest = !table.rest.empty();
  const size_t rows = rest ? table.total_rows : table.num_rows;
  result.cut = result.rows < table.total_rows;
  if (result.rows < rows) {
    const bool here = !rest && result.rows < table.num_rows;
    // The text after the colon is a complete command line.
    fmt::format_to(
        std::back_inserter(out), "… {} of {}{}{}; get them with: {}{}\n",
        util::Counted(rows - result.rows, "more row"), rows,
        here ? writer.LeftOut(choice) : "",
        here && alone && choice.all_tokens > 0
            ? fmt::format(
                  ", shown by -budget {}",
                  RoundedUp(std::max(2 * kCutLineTokens + choice.all_tokens +
                                         choice.all_tokens / 10,
                                     table.num_rows * kTokensOfRow)))
            : "",
        rest ? table.rest : limits.all_rows, limits.to_file);
  }
  if (!rest && table.num_rows < table.total_rows) {
    fmt::format_to(std::back_inserter(out),
                   "{} of {} rows are within the limits and filters.\n",
                   table.num_rows, table.total_rows);
  }
  result.tokens = util::CountTokens(out);
  sink.Write(out);
  return result;
}

// Writes all tables and returns the number of rows.
size_t WriteTables(const DataDocument& document, const MarkdownLimits& limits,
                   util::Sink& sink) {
  std::string head;
  AppendHead(document.kind, document.facts, limits.max_columns, &head);
  sink.Write(head + "\n");
  MarkdownLimits of_table = limits;
  size_t tokens = limits.max_tokens;
  const auto spend = [&tokens](size_t spent) {
    if (tokens != SIZE_MAX) tokens -= std::min(tokens, spent);
  };
  spend(util::CountTokens(head));
  if (document.is_one_table()) {
    of_table.max_tokens = tokens;
    return WriteRows(document.parts[0].table, of_table, /*alone=*/true, sink)
        .rows;
  }
  size_t remaining = static_cast<size_t>(
      std::count_if(document.parts.begin(), document.parts.end(),
                    [](const auto& part) { return part.table.num_rows > 0; }));
  size_t rows = 0;
  for (const auto& [title, table] : document.parts) {
    if (table.num_rows == 0) continue;
    // Each table leaves tokens for the following ones.
    of_table.max_tokens = tokens == SIZE_MAX ? tokens : tokens / remaining;
    --remaining;
    sink.Write(fmt::format("## {}\n\n", table.kind));
    const Written written = WriteRows(table, of_table, /*alone=*/false, sink);
    if (written.cut) sink.Write("\n");
    spend(written.tokens);
    rows += written.rows;
  }
  return rows;
}

}  // namespace

void WriteMarkdown(const DataDocument& document, const MarkdownLimits& limits,
                   util::Sink& sink) {
  WriteTables(document, limits, sink);
}

size_t WriteForAgent(const DataDocument& document, const std::string& line,
                     const std::vector<std::string>& narrowing, size_t budget,
                     util::Sink& sink) {
  const bool rest =
      document.is_one_table() && !document.parts[0].table.rest.empty();
  std::string more = fmt::format("For more: {} -output json",
                                 rest ? document.parts[0].table.rest : line);
  if (!narrowing.empty()) {
    more +=
        fmt::format(", or -{}; see help OPTION", fmt::join(narrowing, ", -"));
  }
  more += ".\n";
  MarkdownLimits limits;
  limits.max_rows = std::max(kAgentRows, budget / kTokensOfRow);
  limits.max_tokens = budget - std::min(budget, util::CountTokens(more));
  limits.max_columns = kAgentNameColumns;
  limits.max_rank = kAgentRank;
  limits.all_rows = line;
  limits.to_file =
      fmt::format(" -output ndjson:outfile={}.ndjson", document.kind);
  const size_t rows = WriteTables(document, limits, sink);
  sink.Write(more);
  return rows;
}

void CutToBudget(size_t budget, std::string& text) {
  const size_t all = util::CountTokens(text);
  if (all <= budget) return;
  const size_t room = budget - std::min(budget, kCutLineTokens / 2);
  size_t kept = 0, tokens = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const size_t of_line =
        util::CountTokens(std::string_view(text).substr(at, end - at));
    if (tokens + of_line > room) {
      // If the first line exceeds the whole budget, cut the line.
      if (kept == 0) kept = util::PrefixInColumns(text, room);
      break;
    }
    tokens += of_line;
    kept = at = end;
  }
  text.resize(kept);
  if (!text.ends_with('\n')) text += '\n';
  text += fmt::format("… {} of {} tokens are left out; -budget {} shows all.\n",
                      all - tokens, all, RoundedUp(all));
}

}  // namespace tfprof::tables

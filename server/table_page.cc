#include "server/table_page.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace tfprof::server {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool HasText(const std::vector<tables::DataCell>& cells,
             const std::string& lower) {
  return std::any_of(
      cells.begin(), cells.end(), [&](const tables::DataCell& cell) {
        const auto* text = std::get_if<std::string>(&cell);
        return text != nullptr && Lower(*text).find(lower) != std::string::npos;
      });
}

double NumberOf(const tables::DataCell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) {
    return static_cast<double>(*whole);
  }
  const auto* number = std::get_if<double>(&cell);
  return number == nullptr ? 0 : *number;
}

// Orders two cells of one column; both must have values.
bool Less(const tables::DataCell& a, const tables::DataCell& b) {
  if (std::holds_alternative<int64_t>(a) &&
      std::holds_alternative<int64_t>(b)) {
    return std::get<int64_t>(a) < std::get<int64_t>(b);
  }
  const auto* text_a = std::get_if<std::string>(&a);
  const auto* text_b = std::get_if<std::string>(&b);
  if (text_a != nullptr && text_b != nullptr) return *text_a < *text_b;
  if (text_a != nullptr || text_b != nullptr) return text_a == nullptr;
  return NumberOf(a) < NumberOf(b);
}

// The indices of the requested rows, in the requested order.
absl::StatusOr<std::vector<size_t>> ChooseRows(
    const tables::DataTable& table, const TablePage& page,
    const util::Cancellation* cancel) {
  size_t column = table.columns.size();
  // In JSON output, the depth in a tree is a column.
  const bool by_depth = page.sort == "depth" && table.depth;
  if (!page.sort.empty() && !by_depth) {
    const auto found = std::find_if(
        table.columns.begin(), table.columns.end(),
        [&](const tables::DataColumn& c) { return c.name == page.sort; });
    if (found == table.columns.end()) {
      return absl::InvalidArgumentError(
          fmt::format("there is no column '{}' to sort by", page.sort));
    }
    column = static_cast<size_t>(found - table.columns.begin());
  }
  const std::string lower = Lower(page.find);
  std::vector<size_t> rows;
  std::vector<std::pair<tables::DataCell, size_t>> keys;
  std::vector<tables::DataCell> cells(table.columns.size());
  for (size_t row = 0; row < table.num_rows; ++row) {
    if (row % 4096 == 0 && IsCancelled(cancel)) {
      return absl::CancelledError("cancelled");
    }
    std::fill(cells.begin(), cells.end(), tables::DataCell());
    table.cells(row, cells);
    if (!lower.empty() && !HasText(cells, lower)) continue;
    if (page.sort.empty()) {
      rows.push_back(row);
    } else if (by_depth) {
      keys.emplace_back(static_cast<int64_t>(table.depth(row)), row);
    } else {
      keys.emplace_back(std::move(cells[column]), row);
    }
  }
  if (page.sort.empty()) return rows;
  std::stable_sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    const bool none_a = a.first.index() == 0;
    const bool none_b = b.first.index() == 0;
    if (none_a || none_b) return !none_a && none_b;
    return page.descending ? Less(b.first, a.first) : Less(a.first, b.first);
  });
  rows.reserve(keys.size());
  for (const auto& key : keys) rows.push_back(key.second);
  return rows;
}

// Keeps `count` rows of the table from `from` on. If `rows` is given, `from` is
// a position in it.
void Keep(const std::shared_ptr<const std::vector<size_t>>& rows, size_t from,
          size_t count, tables::DataTable& table) {
  const size_t all = rows == nullptr ? table.num_rows : rows->size();
  from = std::min(from, all);
  const auto at = [rows, from](size_t row) {
    return rows == nullptr ? from + row : (*rows)[from + row];
  };
  table.num_rows = std::min(count, all - from);
  table.cells = [cells = std::move(table.cells), at](
                    size_t row, std::vector<tables::DataCell>& out) {
    cells(at(row), out);
  };
  if (table.depth) {
    table.depth = [depth = std::move(table.depth), at](size_t row) {
      return depth(at(row));
    };
  }
}

}  // namespace

absl::StatusOr<size_t> CutTables(const TablePage& page,
                                 const util::Cancellation* cancellation,
                                 tables::Answer& answer) {
  size_t reachable = 0;
  bool found = false;
  for (tables::DataDocument::Part& part : answer.data.parts) {
    tables::DataTable& table = part.table;
    const bool chosen =
        !found && (page.table.empty() || page.table == table.kind);
    if (!chosen) {
      Keep(nullptr, 0, kDefaultPageRows, table);
      continue;
    }
    found = true;
    std::shared_ptr<const std::vector<size_t>> rows;
    if (!page.sort.empty() || !page.find.empty()) {
      auto choice = ChooseRows(table, page, cancellation);
      if (!choice.ok()) return choice.status();
      rows = std::make_shared<const std::vector<size_t>>(*std::move(choice));
    }
    reachable = rows == nullptr ? table.num_rows : rows->size();
    if (!page.find.empty()) table.total_rows = reachable;
    Keep(rows, page.from, std::min(page.count, kMaxPageRows), table);
  }
  if (!found && !page.table.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("the answer has no table '{}'", page.table));
  }
  return reachable;
}

}  // namespace tfprof::server

#include "tables/writers/screen_writer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "tables/cell_text.h"
#include "tables/writers/render_table.h"
#include "util/text/ansi.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::tables {
namespace {

// The maximum lines of a fact in a window: a name of 10 kB helps nobody.
constexpr size_t kFactLines = 4;

std::string FactText(const DataColumn& column, const DataCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return util::SafeText(*text);
  }
  return IsNothing(cell) ? column.nothing : NumberText(cell, column.unit);
}

// Returns true if people see the fact.
bool IsShown(const DataColumn& column, const TextLook& look) {
  return !column.title.empty() && (look.unicode || !column.drawn);
}

std::string FactLines(const DataFacts& facts, const TextLook& look) {
  size_t columns = 0;
  for (const auto& [column, cell] : facts) {
    columns = std::max(columns, util::Columns(column.title));
  }
  const size_t indent = columns + 2;
  const std::string_view ellipsis = look.unicode ? "…" : "...";
  std::string lines;
  for (const auto& [column, cell] : facts) {
    if (!IsShown(column, look)) continue;
    util::AppendPadded(column.title, indent, &lines);
    const std::string text = FactText(column, cell);
    // Without a window, sentences are broken, too, and are not shortened.
    if (look.width == 0) {
      util::AppendWrapped(text, indent, &lines, look.page());
    } else if (look.width <= indent) {
      lines += text + "\n";
    } else {
      util::AppendWrapped(
          util::Shortened(text, kFactLines * (look.width - indent), ellipsis),
          indent, &lines, look.width);
    }
  }
  return lines;
}

std::string Introduction(std::string_view sentences, size_t width) {
  std::string lines;
  while (!sentences.empty()) {
    const size_t end = std::min(sentences.find('\n'), sentences.size());
    util::AppendWrapped(sentences.substr(0, end), 0, &lines, width);
    sentences.remove_prefix(std::min(end + 1, sentences.size()));
  }
  if (!lines.empty()) lines += '\n';
  return lines;
}

size_t CountLines(std::string_view text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

void WriteScreen(const DataDocument& document, std::string_view introduction,
                 const TextLook& look, util::Sink& sink) {
  if (look.width > 0) sink.Write(Introduction(introduction, look.width));
  const std::string facts = FactLines(document.facts, look);
  sink.Write(facts);
  bool first = facts.empty();
  const bool one = document.is_one_table();
  TextLook of_table = look;
  if (look.height > 0 && !first) {
    const size_t taken = CountLines(facts) + 1;
    of_table.height = look.height > taken ? look.height - taken : 1;
  }
  for (const auto& [title, table] : document.parts) {
    if (table.num_rows == 0 && !one) continue;
    if (!std::exchange(first, false)) sink.Write("\n");
    if (!one) {
      sink.Write(look.color ? fmt::format("{}{}:{}\n", util::kBold, title,
                                          util::kReset)
                            : title + ":\n");
    }
    RenderTable(table, of_table, sink);
  }
}

size_t ScreenLines(const DataDocument& document, const TextLook& look) {
  size_t lines = static_cast<size_t>(std::count_if(
      document.facts.begin(), document.facts.end(),
      [&](const auto& fact) { return IsShown(fact.first, look); }));
  bool first = lines == 0;
  const bool one = document.is_one_table();
  for (const auto& [title, table] : document.parts) {
    if (table.num_rows == 0 && !one) continue;
    if (!std::exchange(first, false)) ++lines;
    lines += (one ? 0 : 1) + TableLines(table);
  }
  return lines;
}

}  // namespace tfprof::tables

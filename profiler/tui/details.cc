#include "profiler/tui/details.h"

#include <algorithm>
#include <utility>

#include "profiler/tui/picture.h"
#include "tables/cell_text.h"
#include "tables/writers/screen_writer.h"
#include "util/files/sink.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::tui {
namespace {

// The least columns for a text beside its title.
constexpr size_t kLeastText = 24;
// The most lines of a fact: a name of 10 kB helps nobody.
constexpr size_t kFactLines = 8;

// Appends `text` in lines that begin with `indent` blanks, but for the first,
// which begins with `begin`.
void AddCut(std::string_view text, std::string begin, size_t indent,
            size_t width, std::vector<std::string>& lines) {
  do {
    const size_t used = std::min(util::Columns(begin), width - 1);
    // At least a character, so that the text comes to its end.
    const size_t fits =
        std::min(std::max<size_t>(util::PrefixInColumns(text, width - used), 1),
                 text.size());
    lines.push_back(std::move(begin));
    lines.back() += text.substr(0, fits);
    text.remove_prefix(fits);
    begin = std::string(indent, ' ');
  } while (!text.empty());
}

void AddFacts(const tables::DataFacts& facts, size_t width, bool unicode,
              std::vector<std::string>& lines) {
  size_t titles = 0;
  for (const auto& [column, cell] : facts) {
    titles = std::max(titles, util::Columns(column.title) + 2);
  }
  for (const auto& [column, cell] : facts) {
    const bool is_text = column.unit == util::Unit::kText;
    if (column.title.empty() || column.drawn ||
        (!is_text && column.unit != util::Unit::kMicros &&
         column.unit != util::Unit::kNumber && tables::NumberOf(cell) == 0)) {
      continue;
    }
    const auto* words = std::get_if<std::string>(&cell);
    std::string text = words != nullptr          ? ScreenText(*words, unicode)
                       : tables::IsNothing(cell) ? column.nothing
                       : column.delta ? tables::DeltaText(cell, column.unit)
                                      : tables::NumberText(cell, column);
    text = util::Shortened(text, kFactLines * width, unicode ? "…" : "...");
    std::string begin;
    util::AppendPadded(column.title, titles, &begin);
    if (titles + util::Columns(text) <= width || width >= titles + kLeastText) {
      AddCut(text, std::move(begin), titles, width, lines);
    } else {
      lines.push_back(column.title);
      AddCut(text, "  ", 2, width, lines);
    }
  }
}

}  // namespace

std::vector<std::string> CutLines(std::string_view text, size_t width,
                                  bool unicode) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    AddCut(ScreenText(text.substr(0, end), unicode), "", 0, width, lines);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> DetailLines(const tables::DataDocument& document,
                                     size_t width, bool unicode) {
  std::vector<std::string> lines;
  AddFacts(document.facts, width, unicode, lines);
  tables::DataDocument tables = document;
  tables.facts.clear();
  util::StringSink sink;
  tables::WriteScreen(tables, "", {.width = width, .unicode = unicode}, sink);
  if (!lines.empty() && !sink.text().empty()) lines.emplace_back();
  for (std::string& line : CutLines(sink.text(), width, unicode)) {
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tfprof::tui

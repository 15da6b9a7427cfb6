#include "profiler/tui/row_marks.h"

#include <algorithm>
#include <utility>

#include "util/text/ascii.h"

namespace tfprof::tui {
namespace {

// `text` is in lower case.
bool HasText(std::string_view name, std::string_view text) {
  return std::search(name.begin(), name.end(), text.begin(), text.end(),
                     [](char a, char b) {
                       return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
                     }) != name.end();
}

}  // namespace

bool RowMarks::Find(const TreeRows& rows, std::string_view text,
                    const RowMarks& within,
                    const util::Cancellation* cancellation) {
  constexpr size_t kRowsBetweenLooks = 4096;
  *this = RowMarks();
  if (text.empty()) return true;
  const std::string wanted = util::LowerCase(text);
  const bool whole = wanted.find('/') != wanted.npos;
  std::vector<uint8_t> bits(rows.size(), 0);
  size_t count = 0;
  // Depth first without recursion: trees are a million rows deep.
  struct Open {
    uint32_t row;
    std::vector<uint32_t> children;
    size_t next = 0;
  };
  std::vector<Open> stack;
  const auto enter = [&](uint32_t row) {
    if (row != kTopRow &&
        HasText(whole ? rows.Name(row) : rows.Label(row), wanted)) {
      bits[row] |= kItself;
      ++count;
    }
    stack.push_back({row, rows.Children(row)});
  };
  enter(kTopRow);
  for (size_t looks = 0; !stack.empty(); ++looks) {
    if (looks % kRowsBetweenLooks == 0 && IsCancelled(cancellation)) {
      return false;
    }
    Open& open = stack.back();
    if (open.next < open.children.size()) {
      const uint32_t child = open.children[open.next++];
      if (!within.Shows(child)) continue;
      if (bits[open.row] & (kItself | kInside)) bits[child] |= kInside;
      enter(child);
      continue;
    }
    const uint8_t below = bits[open.row] & (kItself | kBelow);
    stack.pop_back();
    if (below != 0 && !stack.empty()) bits[stack.back().row] |= kBelow;
  }
  text_ = std::string(text);
  bits_ = std::move(bits);
  count_ = count;
  return true;
}

}  // namespace tfprof::tui

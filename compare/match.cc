#include "compare/match.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "util/text/ascii.h"
#include "util/text/natural_order.h"

namespace tfprof::compare {
namespace {

// `part` without all "_N" and ":N" at its end.
std::string_view WithoutNumbers(std::string_view part) {
  std::string_view stem = part;
  for (;;) {
    size_t end = stem.size();
    while (end > 0 && util::IsDigit(stem[end - 1])) --end;
    const bool numbered = end > 1 && end < stem.size() &&
                          (stem[end - 1] == '_' || stem[end - 1] == ':');
    if (!numbered) return stem;
    stem.remove_suffix(stem.size() - end + 1);
  }
}

Matching Unmatched(size_t before, size_t after) {
  return {std::vector<uint32_t>(after, profile::kNone),
          std::vector<uint32_t>(before, profile::kNone)};
}

void Pair(uint32_t before, uint32_t after, Matching& matching) {
  matching.before_of[after] = before;
  matching.after_of[before] = after;
}

using RowsByName = std::unordered_map<std::string_view, std::vector<uint32_t>>;

void MatchEqual(std::span<const std::string_view> before,
                std::span<const std::string_view> after, Matching& matching) {
  RowsByName rows;
  rows.reserve(before.size());
  // Goes backwards, so that the first row is paired first.
  for (auto row = static_cast<uint32_t>(before.size()); row-- > 0;) {
    rows[before[row]].push_back(row);
  }
  for (uint32_t row = 0; row < after.size(); ++row) {
    const auto same = rows.find(after[row]);
    if (same == rows.end() || same->second.empty()) continue;
    Pair(same->second.back(), row, matching);
    same->second.pop_back();
  }
}

// The rows of `names` without a partner, sorted by normalized name, then in
// natural order.
std::vector<std::pair<std::string, uint32_t>> Unpaired(
    std::span<const std::string_view> names,
    const std::vector<uint32_t>& partner) {
  std::vector<std::pair<std::string, uint32_t>> rows;
  for (uint32_t row = 0; row < names.size(); ++row) {
    if (partner[row] == profile::kNone) {
      rows.emplace_back(NormalizedName(names[row]), row);
    }
  }
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const std::string_view x = names[a.second], y = names[b.second];
    if (util::NaturalLess(x, y) || util::NaturalLess(y, x))
      return util::NaturalLess(x, y);
    return std::tie(x, a.second) < std::tie(y, b.second);
  });
  return rows;
}

// A line of code that has no partner yet.
struct Line {
  const CodeLine* code;
  uint32_t row;
  bool is_new;

  auto function() const {
    return std::tie(code->file, code->function, code->gradient);
  }
};

std::vector<Line> Unpaired(std::span<const CodeLine> before,
                           std::span<const CodeLine> after,
                           const Matching& matching) {
  std::vector<Line> lines;
  for (uint32_t row = 0; row < before.size(); ++row) {
    if (matching.after_of[row] == profile::kNone) {
      lines.push_back({&before[row], row, false});
    }
  }
  for (uint32_t row = 0; row < after.size(); ++row) {
    if (matching.before_of[row] == profile::kNone) {
      lines.push_back({&after[row], row, true});
    }
  }
  return lines;
}

// Pairs lines of a function with the same text, the first with the first.
void MatchTexts(std::span<const CodeLine> before,
                std::span<const CodeLine> after, Matching& matching) {
  std::vector<Line> lines = Unpaired(before, after, matching);
  std::erase_if(lines, [](const Line& l) { return l.code->text.empty(); });
  const auto same = [](const Line& l) {
    return std::tuple_cat(l.function(), std::tie(l.code->text));
  };
  std::sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) {
    if (same(a) != same(b)) return same(a) < same(b);
    return std::tie(a.is_new, a.code->line, a.row) <
           std::tie(b.is_new, b.code->line, b.row);
  });
  // A group has its old lines first, then its new ones.
  for (size_t begin = 0; begin < lines.size();) {
    size_t middle = begin, end = begin;
    for (; end < lines.size() && same(lines[end]) == same(lines[begin]);
         ++end) {
      if (!lines[end].is_new) middle = end + 1;
    }
    for (size_t i = begin, j = middle; i < middle && j < end; ++i, ++j) {
      Pair(lines[i].row, lines[j].row, matching);
    }
    begin = end;
  }
}

// Pairs the remaining lines of each function, nearest first. In line order, the
// nearest old and new lines are neighbours, so a heap of neighbours has all
// candidates, and removing a pair adds at most one.
void MatchNearest(std::span<const CodeLine> before,
                  std::span<const CodeLine> after, Matching& matching) {
  std::vector<Line> lines = Unpaired(before, after, matching);
  std::sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) {
    if (a.function() != b.function()) return a.function() < b.function();
    return std::tie(a.code->line, a.is_new, a.row) <
           std::tie(b.code->line, b.is_new, b.row);
  });
  const size_t size = lines.size();
  std::vector<uint32_t> next(size), previous(size);
  std::vector<uint8_t> taken(size, 0);
  struct Candidate {
    int64_t distance;
    uint32_t left, right;
    bool operator<(const Candidate& other) const {
      return std::tie(distance, left, right) >
             std::tie(other.distance, other.left, other.right);
    }
  };
  std::vector<Candidate> heap;
  const auto offer = [&](uint32_t left, uint32_t right) {
    if (left == profile::kNone || right == profile::kNone) return;
    const Line &a = lines[left], &b = lines[right];
    if (a.is_new == b.is_new || a.function() != b.function()) return;
    heap.push_back(
        {static_cast<int64_t>(b.code->line) - a.code->line, left, right});
    std::push_heap(heap.begin(), heap.end());
  };
  for (uint32_t i = 0; i < size; ++i) {
    previous[i] = i == 0 ? profile::kNone : i - 1;
    next[i] = i + 1 == size ? profile::kNone : i + 1;
    offer(previous[i], i);
  }
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Candidate nearest = heap.back();
    heap.pop_back();
    if (taken[nearest.left] || taken[nearest.right]) continue;
    taken[nearest.left] = taken[nearest.right] = 1;
    const Line &a = lines[nearest.left], &b = lines[nearest.right];
    Pair(a.is_new ? b.row : a.row, a.is_new ? a.row : b.row, matching);
    const uint32_t left = previous[nearest.left], right = next[nearest.right];
    if (left != profile::kNone) next[left] = right;
    if (right != profile::kNone) previous[right] = left;
    offer(left, right);
  }
}

}  // namespace

std::string NormalizedName(std::string_view name) {
  std::string result;
  result.reserve(name.size());
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    result += WithoutNumbers(name.substr(at, end - at));
    if (end < name.size()) result += '/';
    at = end + 1;
  }
  return result;
}

Matching MatchNames(std::span<const std::string_view> before,
                    std::span<const std::string_view> after) {
  Matching matching = Unmatched(before.size(), after.size());
  MatchEqual(before, after, matching);
  const auto old_rows = Unpaired(before, matching.after_of);
  const auto new_rows = Unpaired(after, matching.before_of);
  size_t i = 0, j = 0;
  while (i < old_rows.size() && j < new_rows.size()) {
    if (old_rows[i].first < new_rows[j].first) {
      ++i;
    } else if (new_rows[j].first < old_rows[i].first) {
      ++j;
    } else {
      Pair(old_rows[i++].second, new_rows[j++].second, matching);
    }
  }
  return matching;
}

Matching MatchCode(std::span<const CodeLine> before,
                   std::span<const CodeLine> after) {
  Matching matching = Unmatched(before.size(), after.size());
  // The name contains the line number.
  const auto keys = [](std::span<const CodeLine> lines) {
    std::vector<std::string> keys;
    keys.reserve(lines.size());
    for (const CodeLine& line : lines) {
      std::string& key = keys.emplace_back(line.name);
      key += '\0';
      key += line.text;
    }
    return keys;
  };
  const std::vector<std::string> old_keys = keys(before),
                                 new_keys = keys(after);
  MatchEqual(std::vector<std::string_view>(old_keys.begin(), old_keys.end()),
             std::vector<std::string_view>(new_keys.begin(), new_keys.end()),
             matching);
  MatchTexts(before, after, matching);
  MatchNearest(before, after, matching);
  return matching;
}

}  // namespace tfprof::compare

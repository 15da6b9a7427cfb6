#include "util/text/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fmt/format.h"

namespace tfprof::util {
namespace {

// People type short names; longer ones are pasted.
constexpr size_t kMaxBytes = 256;
constexpr size_t kMaxWords = 3;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  const size_t longer = std::max(a.size(), b.size());
  const size_t shorter = std::min(a.size(), b.size());
  if (longer - shorter > limit || longer > kMaxBytes) return limit + 1;
  // Three rows of the table of distances: the current one and the two before
  // it.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1),
      row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    size_t least = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const char x = Lower(a[i - 1]), y = Lower(b[j - 1]);
      row[j] = std::min(
          {last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0 : 1)});
      if (i > 1 && j > 1 && x == Lower(b[j - 2]) && y == Lower(a[i - 2])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    // The next row may still be smaller, because a swap uses the row before
    // this one.
    if (least > limit + 1) return limit + 1;
  }
  return std::min(row.back(), limit + 1);
}

std::vector<std::string> Nearest(std::string_view typed,
                                 std::span<const std::string> words) {
  // If one edit were allowed here, it could turn a single byte into any other.
  const size_t limit =
      typed.size() < 2 ? 0 : std::max<size_t>(1, typed.size() / 3);
  std::vector<std::pair<size_t, const std::string*>> near;
  for (const std::string& word : words) {
    size_t distance = EditDistance(typed, word, limit);
    // The beginning of a word matches too: "acc" of "accelerator_micros".
    if (distance > limit && typed.size() >= 3 && word.starts_with(typed)) {
      distance = limit;
    }
    if (distance <= limit) near.push_back({distance, &word});
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  std::vector<std::string> nearest;
  for (const auto& [distance, word] : near) {
    if (nearest.size() == kMaxWords || distance > near[0].first) break;
    nearest.push_back(*word);
  }
  return nearest;
}

std::string DidYouMean(std::span<const std::string> words,
                       std::string_view prefix) {
  if (words.empty()) return "";
  std::string text = "did you mean ";
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += fmt::format("{}{}", prefix, words[i]);
  }
  return text + "?";
}

std::string NearestHint(std::string_view typed,
                        std::span<const std::string> words) {
  const std::string text = DidYouMean(Nearest(typed, words));
  return text.empty() ? "" : "; " + text;
}

}  // namespace tfprof::util

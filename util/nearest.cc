#include "util/nearest.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tfprof {
namespace {

constexpr size_t kFar = 1000;
constexpr size_t kMaxEdits = 3;

std::string_view LastPart(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

// Edits (a letter more, less, other) from `a` to `b`; above `limit`: kFar.
size_t Edits(std::string_view a, std::string_view b, size_t limit,
             std::vector<size_t>& row) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) {
    return kFar;
  }
  row.resize(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    size_t best = row[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({diagonal + (a[i - 1] == b[j - 1] ? 0 : 1), above + 1,
                         row[j - 1] + 1});
      best = std::min(best, row[j]);
      diagonal = above;
    }
    if (best > limit) return kFar;
  }
  return row[b.size()] > limit ? kFar : row[b.size()];
}

size_t EditLimit(std::string_view word) {
  return std::min(kMaxEdits, (word.size() + 2) / 3);
}

}  // namespace

std::vector<std::string_view> NearestNames(
    std::string_view word, std::span<const std::string_view> candidates,
    size_t max_names) {
  // Letters of a hostile name cost their square.
  constexpr size_t kMaxWord = 1000;
  if (word.empty() || word.size() > kMaxWord) return {};
  const std::string_view last = LastPart(word);
  std::vector<size_t> row;
  // (how far, which), the nearest few.
  std::vector<std::pair<size_t, size_t>> near;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const std::string_view name = candidates[i];
    size_t far = Edits(word, name, EditLimit(word), row);
    const std::string_view last_of_name = LastPart(name);
    if (far == kFar &&
        (last.size() < word.size() || last_of_name.size() < name.size())) {
      const size_t of_last = Edits(last, last_of_name, EditLimit(last), row);
      // Less near than the same edits of the whole.
      if (of_last != kFar) far = kMaxEdits + 1 + of_last;
    }
    if (far == kFar && word.size() > 1 && name.find(word) != name.npos) {
      far = 2 * kMaxEdits + 2 + std::min(name.size() - word.size(), kFar / 2);
    }
    if (far == kFar) continue;
    const std::pair<size_t, size_t> entry(far, i);
    if (near.size() == max_names && !(entry < near.back())) continue;
    near.insert(std::lower_bound(near.begin(), near.end(), entry), entry);
    if (near.size() > max_names) near.pop_back();
  }
  std::vector<std::string_view> names;
  for (const auto& [far, i] : near) names.push_back(candidates[i]);
  return names;
}

std::string DidYouMean(const std::vector<std::string_view>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "; did you mean " : i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text.empty() ? text : text + "?";
}

}  // namespace tfprof

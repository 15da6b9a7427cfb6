#include "util/text/nearest.h"

#include <algorithm>
#include <utility>

#include "util/text/edit_distance.h"

namespace tfprof::util {
namespace {

constexpr size_t kMaxEdits = 3;
constexpr size_t kFar = 1000;

std::string_view LastPart(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

// Returns kFar if more than a third of the letters differ.
size_t Edits(std::string_view word, std::string_view name) {
  const size_t limit = std::min(kMaxEdits, (word.size() + 2) / 3);
  const size_t edits = EditDistance(word, name, limit);
  return edits > limit ? kFar : edits;
}

size_t HowFar(std::string_view word, std::string_view name) {
  const size_t edits = Edits(word, name);
  if (edits != kFar) return edits;
  // A match of the last parts ranks after all matches of whole names.
  const std::string_view last = LastPart(word), last_of_name = LastPart(name);
  if (last.size() < word.size() || last_of_name.size() < name.size()) {
    const size_t of_last = Edits(last, last_of_name);
    if (of_last != kFar) return kMaxEdits + 1 + of_last;
  }
  if (word.size() > 1 && name.find(word) != name.npos) {
    return 2 * kMaxEdits + 2 + std::min(name.size() - word.size(), kFar / 2);
  }
  return kFar;
}

}  // namespace

std::vector<std::string> NearestPaths(
    std::string_view word, std::span<const std::string_view> candidates,
    size_t max_names) {
  if (word.empty()) return {};
  // The nearest candidates so far, as (distance, index).
  std::vector<std::pair<size_t, size_t>> near;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const std::pair<size_t, size_t> entry(HowFar(word, candidates[i]), i);
    if (entry.first == kFar) continue;
    if (near.size() == max_names && !(entry < near.back())) continue;
    near.insert(std::lower_bound(near.begin(), near.end(), entry), entry);
    if (near.size() > max_names) near.pop_back();
  }
  std::vector<std::string> names;
  for (const auto& [far, i] : near) names.emplace_back(candidates[i]);
  return names;
}

std::string NearHint(std::string_view word,
                     std::span<const std::string_view> candidates) {
  const std::vector<std::string> names = NearestPaths(word, candidates);
  return names.empty() ? "" : "; " + DidYouMean(names);
}

}  // namespace tfprof::util

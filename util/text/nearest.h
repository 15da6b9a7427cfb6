// Finds existing paths that a person may have meant by a wrong path.
//
//   NearestPaths("kernal", …)         "dense/kernel": the last part is near
//   NearestPaths("conv1/wieghts", …)  "conv1/weights"
//
// A candidate is near if few edits turn it into the word, or its last part into
// the last part of the word: at most a third of the letters and at most three.
// A candidate that contains the word ranks after these. The nearest come first;
// equally near ones keep their order. A million candidates take about 100 ms.

#ifndef TFPROF_UTIL_TEXT_NEAREST_H_
#define TFPROF_UTIL_TEXT_NEAREST_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::util {

std::vector<std::string> NearestPaths(
    std::string_view word, std::span<const std::string_view> candidates,
    size_t max_names = 3);

// Returns "; did you mean a, b or c?", or "" if no candidate is near.
std::string NearHint(std::string_view word,
                     std::span<const std::string_view> candidates);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_NEAREST_H_

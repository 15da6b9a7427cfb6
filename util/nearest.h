// Nearest names: which paths of many somebody may have meant by one that is not
// there.
//
//   NearestPaths("kernal", …)         "dense/kernel": the last part is near
//   NearestPaths("conv1/wieghts", …)  "conv1/weights"
//
// A candidate is near when few edits make the word of it, or its last part of
// the word's last part: a third of the letters, and no more than three. Else
// when it contains the word. The nearest come first, equals in the order of the
// candidates. A million candidates take some 100 ms.

#ifndef TFPROF_UTIL_NEAREST_H_
#define TFPROF_UTIL_NEAREST_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

std::vector<std::string> NearestPaths(
    std::string_view word, std::span<const std::string_view> candidates,
    size_t max_names = 3);

// "; did you mean a, b or c?", or "" when none is near.
std::string NearHint(std::string_view word,
                     std::span<const std::string_view> candidates);

}  // namespace tfprof

#endif  // TFPROF_UTIL_NEAREST_H_

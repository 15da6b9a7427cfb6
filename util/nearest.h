// Nearest names: what somebody may have meant by a name that is not there.
//
// A candidate that contains the word, or whose edit distance to it (or, of the
// last part after a '/', to the last part of the word) is small, is near: at
// most a third of the letters, and no more than three. The nearest come first,
// equals in the order of the candidates. A million candidates take some 100 ms.

#ifndef TFPROF_UTIL_NEAREST_H_
#define TFPROF_UTIL_NEAREST_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

std::vector<std::string_view> NearestNames(
    std::string_view word, std::span<const std::string_view> candidates,
    size_t max_names = 3);

// "; did you mean a, b or c?", or "" for none.
std::string DidYouMean(const std::vector<std::string_view>& names);

}  // namespace tfprof

#endif  // TFPROF_UTIL_NEAREST_H_

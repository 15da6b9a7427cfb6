// Which word somebody meant: the nearest by edit distance.

#ifndef TFPROF_UTIL_EDIT_DISTANCE_H_
#define TFPROF_UTIL_EDIT_DISTANCE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

// How many bytes to insert, drop, replace or swap with the next to make `a`
// into `b`, letters of either case being equal; any number above `limit` when
// it is more than that. Costs O(|a| * |b|), or nothing where the lengths alone
// say that it is too far.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit);

// The words of `words` that `typed` may be a slip of: a third of its bytes
// wrong at most, or the one that it begins. The nearest, of several
// equally near at most three.
std::vector<std::string> Nearest(std::string_view typed,
                                 std::span<const std::string> words);

// "did you mean a?", "did you mean a, b or c?"; "" for no words. `prefix`
// stands before each.
std::string DidYouMean(std::span<const std::string> words,
                       std::string_view prefix = "");

}  // namespace tfprof

#endif  // TFPROF_UTIL_EDIT_DISTANCE_H_

// Finds the word that a person probably meant: the one with the smallest edit
// distance.

#ifndef TFPROF_UTIL_TEXT_EDIT_DISTANCE_H_
#define TFPROF_UTIL_TEXT_EDIT_DISTANCE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::util {

// Returns the number of edits that turn `a` into `b`. An edit inserts, deletes
// or replaces a byte, or swaps it with the next one. Upper and lower case are
// equal. Returns any number above `limit` if the distance exceeds `limit`.
// Takes O(|a| * |b|) time, or none if the lengths differ by more than `limit`.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit);

// Returns the words for which `typed` may be a typing error: at most a third of
// its bytes are wrong, or it is the beginning of the word. Returns the nearest
// word, or up to three that are equally near.
std::vector<std::string> Nearest(std::string_view typed,
                                 std::span<const std::string> words);

// Returns "did you mean a?" or "did you mean a, b or c?", or "" if there are no
// words. Each word is written after `prefix`.
std::string DidYouMean(std::span<const std::string> words,
                       std::string_view prefix = "");

// What an error says behind `typed`, which is none of `words`: "; did you mean
// a?", or "" if no word is near.
std::string NearestHint(std::string_view typed,
                        std::span<const std::string> words);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_EDIT_DISTANCE_H_

// How many columns of a terminal a character takes: 0 for one that combines
// with the character before it, 2 for wide East Asian ones and most pictures,
// else 1.
//
// A table of our own: wcwidth() depends on the locale and knows nothing in "C",
// where names may still be UTF-8.

#ifndef TFPROF_UTIL_CHARACTER_WIDTH_H_
#define TFPROF_UTIL_CHARACTER_WIDTH_H_

#include <cstdint>

namespace tfprof {

// `c` is a code point that is no control.
int CharacterWidth(uint32_t c);

}  // namespace tfprof

#endif  // TFPROF_UTIL_CHARACTER_WIDTH_H_

// How many columns a character takes on a terminal: 0 if it combines with the
// character before it, 2 for wide East Asian characters and most pictures,
// otherwise 1.
//
// This is a table of our own, because wcwidth() depends on the locale. In the
// locale "C" it knows only ASCII, but names may still be UTF-8.

#ifndef TFPROF_UTIL_CHARACTER_WIDTH_H_
#define TFPROF_UTIL_CHARACTER_WIDTH_H_

#include <cstdint>

namespace tfprof {

// `c` is a code point other than a control character.
int CharacterWidth(uint32_t c);

}  // namespace tfprof

#endif  // TFPROF_UTIL_CHARACTER_WIDTH_H_

// The number of columns that a character takes on a terminal: 0 if it combines
// with the character before it, 2 for wide East Asian characters and most
// emoji, otherwise 1.
//
// The program has its own table because wcwidth() depends on the locale: in the
// locale "C" it knows only ASCII, but names may still be UTF-8.

#ifndef TFPROF_UTIL_TEXT_CHARACTER_WIDTH_H_
#define TFPROF_UTIL_TEXT_CHARACTER_WIDTH_H_

#include <cstdint>

namespace tfprof::util {

// `c` is a code point other than a control character.
int CharacterWidth(uint32_t c);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_CHARACTER_WIDTH_H_

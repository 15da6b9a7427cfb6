// UTF-8, for formats that want it: names in a profile are any bytes.
//
// Each byte that belongs to no well-formed sequence (lone bytes, too long
// forms, surrogates, numbers beyond Unicode) stands for U+FFFD. Pure
// functions; nothing can fail.

#ifndef TFPROF_EXPORTERS_UTF8_H_
#define TFPROF_EXPORTERS_UTF8_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof {

// Takes one character from the front of `s`, which is not empty.
uint32_t TakeUtf8(std::string_view& s);

bool IsAscii(std::string_view s);

// `s` with U+FFFD for what is not UTF-8.
std::string ValidUtf8(std::string_view s);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_UTF8_H_

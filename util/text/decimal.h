// Parses decimal numbers in text as exact integers of a smaller unit.
//
//   ParseDecimal("4375870513570.478", 3)       // 4375870513570478
//   ParseDecimal("9.9999999999999995e-07", 3)  // 0
//   ParseDecimal("43499.688999999998", 3)      // 43499689
//
// A double has only 53 bits, too few for microseconds since 1970 with three
// decimals, so times are read digit by digit. Writers that print doubles
// produce up to 17 digits and exponents; the result is rounded to the nearest
// integer (a half away from zero) or truncated.

#ifndef TFPROF_UTIL_TEXT_DECIMAL_H_
#define TFPROF_UTIL_TEXT_DECIMAL_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace tfprof::util {

// Returns `text` times 10^power. Returns nullopt if `text` is not a complete
// decimal number (an empty text, "NaN", "0x1", "1 2") or if the result does not
// fit. A leading '+' and a missing digit before or after the point are allowed.
std::optional<int64_t> ParseDecimal(std::string_view text, int power = 0);
// The same, but truncates instead of rounding.
std::optional<int64_t> ParseDecimalCut(std::string_view text, int power = 0);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_DECIMAL_H_

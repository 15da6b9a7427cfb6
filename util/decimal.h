// Numbers of text formats as exact integers in a smaller unit.
//
//   ParseDecimal("4375870513570.478", 3)       // 4375870513570478
//   ParseDecimal("9.9999999999999995e-07", 3)  // 0
//   ParseDecimal("43499.688999999998", 3)      // 43499689
//
// A double has 53 bits: a time in microseconds since 1970 with three decimals
// does not fit, so times are read from their digits. Writers that print doubles
// give up to 17 digits and exponents; the result is rounded to the nearest
// integer, a half away from zero, or cut.

#ifndef TFPROF_UTIL_DECIMAL_H_
#define TFPROF_UTIL_DECIMAL_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace tfprof {

// `text` times 10^power. nullopt: it is not a whole decimal number (an empty
// text, "NaN", "0x1", "1 2"), or the result does not fit. A leading '+' and a
// missing digit before or after the point are allowed.
std::optional<int64_t> ParseDecimal(std::string_view text, int power = 0);
// The same without the digits below the integer, as a division of integers.
std::optional<int64_t> ParseDecimalCut(std::string_view text, int power = 0);

}  // namespace tfprof

#endif  // TFPROF_UTIL_DECIMAL_H_

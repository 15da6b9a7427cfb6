// Natural order of names with numbers: x_2 comes before x_10.

#ifndef TFPROF_UTIL_TEXT_NATURAL_ORDER_H_
#define TFPROF_UTIL_TEXT_NATURAL_ORDER_H_

#include <string_view>

namespace tfprof::util {

// Compares runs of digits of any length by value, and all other characters by
// byte. x_01 and x_1 are equivalent.
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_NATURAL_ORDER_H_

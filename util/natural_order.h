// The order in which a person counts names: x_2 before x_10.

#ifndef TFPROF_UTIL_NATURAL_ORDER_H_
#define TFPROF_UTIL_NATURAL_ORDER_H_

#include <string_view>

namespace tfprof {

// Runs of digits are compared by value, however long, all else by byte. x_01
// and x_1 are neither less than the other.
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace tfprof

#endif  // TFPROF_UTIL_NATURAL_ORDER_H_

// Numbers as the reference prints them: decimal units, two decimals, microseconds
// up to seconds, bytes up to megabytes, and no unit below a thousand.
//
//   FormatCount(451)         "451"       FormatCount(10440)      "10.44k"
//   FormatMicros(4541)       "4.54ms"    FormatMicros(13)        "13us"
//   FormatBytes(999999)      "1000.00KB" FormatBytes(-5)         "-5B"
//
// The threshold is tested before rounding; a negative number always stands in
// the smallest unit.

#ifndef TFPROF_EXPORTERS_NUMBERS_H_
#define TFPROF_EXPORTERS_NUMBERS_H_

#include <cstdint>
#include <string>

namespace tfprof {

std::string FormatCount(int64_t n);
std::string FormatMicros(int64_t micros);
std::string FormatBytes(int64_t bytes);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_NUMBERS_H_

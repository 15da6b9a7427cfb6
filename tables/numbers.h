// Numbers as the reference prints them: decimal units, two decimals,
// microseconds up to seconds, bytes up to megabytes, and no unit below a
// thousand.
//
//   AppendCount(out, 451)      "451"       AppendCount(out, 10440)   "10.44k"
//   AppendMicros(out, 4541)    "4.54ms"    AppendMicros(out, 13)     "13us"
//   AppendBytes(out, 999999)   "1000.00KB" AppendBytes(out, -5)      "-5B"
//
// The threshold is tested before rounding; a negative number is always in the
// smallest unit. A report of 100,000 rows has a million of these numbers: they
// are rounded in integers (15 ns) and not through printf (150 ns), with the
// same result to the digit.

#ifndef TFPROF_TABLES_NUMBERS_H_
#define TFPROF_TABLES_NUMBERS_H_

#include <cstdint>
#include <string>

namespace tfprof {

void AppendCount(std::string& out, int64_t n);
void AppendMicros(std::string& out, int64_t micros);
void AppendBytes(std::string& out, int64_t bytes);

// A time in ticks, of which a microsecond has `ticks_per_micro`. With 1 they
// are the same as AppendMicros; otherwise times below a millisecond have two
// decimals: "12.35us", "0us".
void AppendTime(std::string& out, int64_t ticks, int64_t ticks_per_micro);
// The same for any number of microseconds.
std::string FormatFractionalMicros(double micros);

std::string FormatCount(int64_t n);
std::string FormatMicros(int64_t micros);
std::string FormatBytes(int64_t bytes);
std::string FormatTime(int64_t ticks, int64_t ticks_per_micro);

}  // namespace tfprof

#endif  // TFPROF_TABLES_NUMBERS_H_

// Formats numbers as the reference does: decimal units, two decimals,
// microseconds up to seconds, bytes up to megabytes, and no unit below a
// thousand. BytesText() has larger units, too.
//
//   AppendCount(out, 451)      "451"       AppendCount(out, 10440)   "10.44k"
//   AppendMicros(out, 4541)    "4.54ms"    AppendMicros(out, 13)     "13us"
//   AppendBytes(out, 999999)   "1000.00KB" AppendBytes(out, -5)      "-5B"
//
// The unit is chosen before rounding; a negative number always has the smallest
// unit. A report of 100,000 rows has a million of these numbers, so they are
// rounded as integers (15 ns) and not by printf (150 ns), with exactly the same
// digits.

#ifndef TFPROF_TABLES_NUMBERS_H_
#define TFPROF_TABLES_NUMBERS_H_

#include <cstdint>
#include <string>

namespace tfprof::tables {

void AppendCount(std::string& out, int64_t n);
void AppendMicros(std::string& out, int64_t micros);
void AppendBytes(std::string& out, int64_t bytes);

// Appends a time in ticks of 1/ticks_per_micro microseconds. If ticks_per_micro
// is 1, it does the same as AppendMicros; otherwise times below a millisecond
// have two decimals: "12.35us", "0us".
void AppendTime(std::string& out, int64_t ticks, int64_t ticks_per_micro);
// The same for any number of microseconds.
std::string FormatFractionalMicros(double micros);

std::string FormatCount(int64_t n);
std::string FormatMicros(int64_t micros);
std::string FormatBytes(int64_t bytes);
// The same with larger units than megabytes, the largest of the reference:
// "3.35GB". All texts but the reports of the reference have it.
std::string BytesText(int64_t bytes);
std::string FormatTime(int64_t ticks, int64_t ticks_per_micro);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_NUMBERS_H_

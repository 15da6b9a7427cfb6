// Pictures of block characters: bars and curves over time, for a terminal.
//
// A column of a picture is a slice of time and its height a share of 0 to 1, in
// steps of an eighth of a line. Without Unicode, the characters " .:-=+*#%"
// stand for the heights. A share above 0 is never shown as nothing, and one
// below 1 never as full. Numbers that are not finite count as 0.

#ifndef TFPROF_TABLES_BLOCKS_H_
#define TFPROF_TABLES_BLOCKS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

// "▅" for a share of 0.6; " " for 0.
std::string_view BlockOf(double share, bool unicode);

// A picture of `lines` lines, the top one first, each with a character for each
// share. The blocks of a column stand on each other.
std::vector<std::string> BlockLines(std::span<const double> shares,
                                    size_t lines, bool unicode);

// A short time: "0", "12us", "1.5ms", "2sec".
std::string AxisTime(double micros);

// A ruler of `columns` columns below a picture of `micros` microseconds, and
// its numbers: two lines that begin where the picture begins.
//
//   └────────────┬────────────┬──────
//   0            5ms          10ms
struct TimeAxis {
  std::string ruler;
  std::string numbers;
};
TimeAxis MakeTimeAxis(double micros, size_t columns, bool unicode);

}  // namespace tfprof

#endif  // TFPROF_TABLES_BLOCKS_H_

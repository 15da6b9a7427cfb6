// Draws bars and curves over time with block characters, for a terminal.
//
// A column is a slice of time, and its height is a share of 0 to 1, in eighths
// of a line. Without Unicode, the characters " .:-=+*#%" represent the heights.
// A share above 0 is never drawn as empty, and a share below 1 never as full.
// Numbers that are not finite count as 0.

#ifndef TFPROF_TABLES_BLOCKS_H_
#define TFPROF_TABLES_BLOCKS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::tables {

// Returns "▅" for a share of 0.6 and " " for 0.
std::string_view BlockOf(double share, bool unicode);

// Returns a picture of `lines` lines, from top to bottom, with one character
// per share in each line.
std::vector<std::string> BlockLines(std::span<const double> shares,
                                    size_t lines, bool unicode);

// Returns a short time: "0", "12us", "1.5ms", "2sec".
std::string AxisTime(double micros);

// A ruler of `columns` columns below a picture of `micros` microseconds, and
// the line with its numbers. Both begin at the left edge of the picture.
//
//   └────────────┬────────────┬──────
//   0            5ms          10ms
struct TimeAxis {
  std::string ruler;
  std::string numbers;
};
TimeAxis MakeTimeAxis(double micros, size_t columns, bool unicode);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_BLOCKS_H_

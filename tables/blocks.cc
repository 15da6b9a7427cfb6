#include "tables/blocks.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fmt/format.h"

namespace tfprof::tables {
namespace {

constexpr std::string_view kBlocks[] = {" ", "▁", "▂", "▃", "▄",
                                        "▅", "▆", "▇", "█"};
constexpr std::string_view kAscii[] = {" ", ".", ":", "-", "=",
                                       "+", "*", "#", "%"};
constexpr int kFull = static_cast<int>(std::size(kBlocks)) - 1;
static_assert(std::size(kBlocks) == std::size(kAscii));

std::string_view Glyph(int level, bool unicode) {
  return unicode ? kBlocks[level] : kAscii[level];
}

// Returns the height of a share in eighths of a line, for a height of `lines`.
int LevelOf(double share, size_t lines) {
  if (!(share > 0)) return 0;
  const int full = kFull * static_cast<int>(lines);
  if (share >= 1) return full;
  const int level = static_cast<int>(std::lround(share * full));
  return std::clamp(level, 1, full > 1 ? full - 1 : 1);
}

// Returns the smallest of 1, 2, 5, 10, 20 … that is at least `least`.
double RoundStep(double least) {
  double step = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (step * factor >= least) return step * factor;
  }
  return step * 10;
}

}  // namespace

std::string_view BlockOf(double share, bool unicode) {
  return Glyph(LevelOf(share, 1), unicode);
}

std::vector<std::string> BlockLines(std::span<const double> shares,
                                    size_t lines, bool unicode) {
  std::vector<std::string> picture(lines);
  for (const double share : shares) {
    const int level = LevelOf(share, lines);
    for (size_t line = 0; line < lines; ++line) {
      const int below = kFull * static_cast<int>(lines - 1 - line);
      picture[line] += Glyph(std::clamp(level - below, 0, kFull), unicode);
    }
  }
  return picture;
}

std::string AxisTime(double micros) {
  constexpr double kMilli = 1e3, kSecond = 1e6;
  // Numbers that would round up to a thousand get the next unit.
  if (!(micros > 0)) return "0";
  if (micros < kMilli * 0.9999) return fmt::format("{:.4g}us", micros);
  if (micros < kSecond * 0.9999)
    return fmt::format("{:.4g}ms", micros / kMilli);
  return fmt::format("{:.4g}sec", micros / kSecond);
}

TimeAxis MakeTimeAxis(double micros, size_t columns, bool unicode) {
  // The minimum distance between two numbers, in columns.
  constexpr double kApart = 12;
  TimeAxis axis;
  const std::string_view line = unicode ? "─" : "-";
  const std::string_view mark = unicode ? "┬" : "+";
  const std::string_view first = unicode ? "├" : "+";
  const bool numbers = std::isfinite(micros) && micros > 0 && columns > 0;
  const double per_column =
      numbers ? micros / static_cast<double>(columns) : 1.0;
  const double step = numbers ? RoundStep(per_column * kApart) : 1.0;
  size_t next = 0;
  for (size_t column = 0; column < columns; ++column) {
    const double at = step * static_cast<double>(next);
    const bool here =
        (numbers || column == 0) &&
        static_cast<size_t>(std::lround(at / per_column)) <= column &&
        (numbers || next == 0);
    axis.ruler += !here ? line : column == 0 ? first : mark;
    if (!here) continue;
    ++next;
    const std::string number = AxisTime(at);
    // Omit a number that would exceed the ruler.
    if (column + number.size() > columns) continue;
    axis.numbers.append(column - axis.numbers.size(), ' ');
    axis.numbers += number;
  }
  return axis;
}

}  // namespace tfprof::tables

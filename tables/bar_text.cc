#include "tables/bar_text.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tfprof::tables {

std::string BarText(double share, size_t columns, bool unicode) {
  const double part = std::isnan(share) ? 0 : std::clamp(share, 0.0, 1.0);
  std::string bar;
  if (!unicode) {
    const auto full =
        static_cast<size_t>(std::lround(part * static_cast<double>(columns)));
    bar.append(full, '#');
    bar.append(columns - full, ' ');
    return bar;
  }
  constexpr std::string_view kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<size_t>(std::lround(part * 8 * static_cast<double>(columns)));
  for (size_t i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kParts[eighths % 8];
  bar.append(columns - (eighths + 7) / 8, ' ');
  return bar;
}

}  // namespace tfprof::tables

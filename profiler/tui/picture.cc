#include "profiler/tui/picture.h"

#include <algorithm>
#include <cstdint>

#include "fmt/format.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::tui {

std::string ScreenText(std::string_view text, bool unicode) {
  std::string safe = util::SafeText(text);
  if (unicode) return safe;
  std::string ascii;
  for (const char c : safe) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80) {
      ascii += c;
    } else {
      ascii += fmt::format("\\x{:02x}", byte);
    }
  }
  return ascii;
}

std::string InColumns(std::string_view text, size_t columns, bool unicode) {
  std::string out;
  util::AppendPadded(util::Shortened(text, columns, unicode ? "…" : "..."),
                     columns, &out);
  // An ellipsis may be wider than the columns.
  out.resize(util::PrefixInColumns(out, columns));
  return out;
}

std::string AtRight(std::string_view text, size_t columns) {
  const size_t width = util::Columns(text);
  std::string out;
  out.append(columns - std::min(width, columns), ' ');
  out += text.substr(0, util::PrefixInColumns(text, columns));
  return out;
}

}  // namespace tfprof::tui

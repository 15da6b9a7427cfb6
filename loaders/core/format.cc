#include "loaders/core/format.h"

namespace tfprof::loaders {

const Format* FindFormatByFlag(FormatRegistry formats, std::string_view flag) {
  for (const Format* format : formats) {
    if (format->flag == flag) return format;
  }
  return nullptr;
}

Sniffed SniffFormat(std::string_view bytes, FormatRegistry formats) {
  // Editors of Windows put a byte order mark before text.
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  Sniffed best;
  int best_score = 0;
  for (const Format* format : formats) {
    const Fit fit = format->sniff(bytes);
    if (fit.score > best_score) {
      best = {format, fit.text};
      best_score = fit.score;
    }
  }
  return best;
}

}  // namespace tfprof::loaders

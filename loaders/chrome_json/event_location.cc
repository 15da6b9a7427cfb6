#include "loaders/chrome_json/event_location.h"

#include <charconv>

namespace tfprof::chrome_json {
namespace {

// Returns -1 if `text` is not a line number.
int32_t LineOf(std::string_view text) {
  int32_t line = -1;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, line);
  return error == std::errc() && at == end && !text.empty() && line >= 0 ? line
                                                                         : -1;
}

// Splits "file.py:12" into its parts. Returns false if no line number follows.
bool SplitLine(std::string_view text, EventLocation& location) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return false;
  location.line = LineOf(text.substr(colon + 1));
  location.file = text.substr(0, colon);
  return location.line >= 0;
}

}  // namespace

EventLocation LocationOfName(std::string_view name) {
  EventLocation location;
  if (name.starts_with('$')) {
    // File names like "<frozen abc>" may contain a space, function names
    // cannot.
    const size_t space = name.rfind(' ');
    if (space == name.npos || space < 2) return {};
    location.function = name.substr(space + 1);
    const std::string_view place = name.substr(1, space - 1);
    if (!SplitLine(place, location)) {
      location.file = place;
      location.line = -1;
    }
    return location.function.empty() ? EventLocation() : location;
  }
  if (name.ends_with(')')) {
    const size_t open = name.rfind(" (");
    if (open == name.npos || open == 0) return {};
    const size_t begin = open + 2;
    if (!SplitLine(name.substr(begin, name.size() - begin - 1), location)) {
      return {};
    }
    location.function = name.substr(0, open);
    return location;
  }
  const size_t close = name.find("): ");
  if (close == name.npos) return {};
  const size_t open = name.rfind('(', close);
  if (open == name.npos || open == 0) return {};
  location.line = LineOf(name.substr(open + 1, close - open - 1));
  if (location.line < 0) return {};
  location.file = name.substr(0, open);
  location.function = name.substr(close + 3);
  return location;
}

}  // namespace tfprof::chrome_json

#include "loaders/chrome_json/event_repair.h"

#include <algorithm>

#include "loaders/chrome_json/event_scanner.h"
#include "util/json/json_reader.h"

namespace tfprof::chrome_json {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

// The keys of the trace event format.
constexpr std::string_view kKeys[] = {
    "ph",   "cat",   "name",    "pid",     "tid",      "ts",    "dur",
    "args", "id",    "id2",     "s",       "bp",       "tts",   "tdur",
    "sf",   "cname", "bind_id", "flow_in", "flow_out", "stack", "scope",
};

bool IsSpace(char c) { return static_cast<unsigned char>(c) <= ' '; }

size_t AfterSpace(std::string_view text, size_t at) {
  while (at < text.size() && IsSpace(text[at])) ++at;
  return at;
}

bool IsAt(std::string_view text, size_t at, char c) {
  return at < text.size() && text[at] == c;
}

// Returns whether a known key with its colon begins at `at`.
bool IsKeyAt(std::string_view text, size_t at) {
  if (!IsAt(text, at, '"')) return false;
  for (const std::string_view key : kKeys) {
    if (text.substr(at + 1, key.size()) != key) continue;
    const size_t quote = at + 1 + key.size();
    if (!IsAt(text, quote, '"')) continue;
    return IsAt(text, AfterSpace(text, quote + 1), ':');
  }
  return false;
}

// Returns whether an event begins at `at`.
bool IsEventAt(std::string_view text, size_t at) {
  return IsAt(text, at, '{') && IsKeyAt(text, AfterSpace(text, at + 1));
}

// Returns the quote that ends the string that begins at `from`.
size_t RepairedStringEnd(std::string_view text, size_t from, size_t next) {
  const size_t limit = std::min(next, text.size());
  for (size_t quote = text.find('"', from); quote < limit;
       quote = text.find('"', quote + 1)) {
    const size_t after = AfterSpace(text, quote + 1);
    if (IsAt(text, after, ',')) {
      if (IsKeyAt(text, AfterSpace(text, after + 1))) return quote;
      continue;
    }
    if (!IsAt(text, after, '}')) continue;
    // This may be the last string of the event.
    const size_t behind = AfterSpace(text, after + 1);
    if (behind == text.size() || text[behind] == ']') return quote;
    if (text[behind] == ',' && AfterSpace(text, behind + 1) == next) {
      return quote;
    }
  }
  return kNowhere;
}

}  // namespace

void SetEventMember(std::string_view key, std::string_view value,
                    TraceEvent& event) {
  switch (key.size()) {
    case 1:
      if (key == "s") event.scope = value;
      return;
    case 2:
      if (key == "ph") {
        event.phase = value.size() == 1 ? value[0] : 0;
      } else if (key == "ts") {
        event.timestamp = value;
      } else if (key == "id") {
        event.id = value;
      } else if (key == "bp") {
        event.bind = value;
      }
      return;
    case 3:
      if (key == "pid") {
        event.pid = value;
      } else if (key == "tid") {
        event.tid = value;
      } else if (key == "dur") {
        event.duration = value;
      } else if (key == "cat") {
        event.category = value;
      } else if (key == "id2") {
        event.id = value;
      }
      return;
    case 4:
      if (key == "name") {
        event.name = value;
      } else if (key == "args") {
        event.args = value;
      }
      return;
    case 7:
      if (key == "bind_id") {
        event.bind_id = value;
      } else if (key == "flow_in") {
        event.flow_in = value == "true";
      }
      return;
    case 8:
      if (key == "flow_out") event.flow_out = value == "true";
      return;
    default:
      return;
  }
}

size_t FindNextEvent(std::string_view text, size_t from) {
  for (size_t at = from; at < text.size(); ++at) {
    at = text.find_first_of("}[", at);
    if (at == kNowhere) return kNowhere;
    size_t place = AfterSpace(text, at + 1);
    if (text[at] == '}') {
      if (!IsAt(text, place, ',')) continue;
      place = AfterSpace(text, place + 1);
    }
    if (IsEventAt(text, place)) return place;
  }
  return kNowhere;
}

size_t RepairEvent(std::string_view text, size_t begin, size_t next,
                   TraceEvent& event, bool& has_args) {
  event = {};
  has_args = true;
  if (!IsAt(text, begin, '{')) return kNowhere;
  const std::string_view limited = text.substr(0, next);
  size_t at = begin + 1;
  while (true) {
    at = AfterSpace(limited, at);
    while (IsAt(limited, at, ',')) at = AfterSpace(limited, at + 1);
    if (IsAt(limited, at, '}')) break;
    if (!IsAt(limited, at, '"')) return kNowhere;
    const size_t quote = limited.find('"', at + 1);
    if (quote == kNowhere) return kNowhere;
    const std::string_view key = limited.substr(at + 1, quote - at - 1);
    const size_t colon = AfterSpace(limited, quote + 1);
    if (!IsAt(limited, colon, ':')) return kNowhere;
    at = AfterSpace(limited, colon + 1);
    if (IsAt(limited, at, '"')) {
      const size_t end = RepairedStringEnd(text, at + 1, next);
      if (end == kNowhere) return kNowhere;
      SetEventMember(key, limited.substr(at + 1, end - at - 1), event);
      at = end + 1;
      continue;
    }
    util::JsonReader value(limited, at);
    const std::string_view skipped = value.Skip();
    if (value.damaged()) {
      // Arguments come last, and the event is useful without them.
      if (key != "args" || next == kNowhere) return kNowhere;
      has_args = false;
      at = next - 1;
      break;
    }
    SetEventMember(key, skipped, event);
    at = value.offset();
  }
  const bool whole = event.phase != 0 && !event.name.empty() &&
                     (!event.timestamp.empty() || event.phase == 'M');
  if (!whole) return kNowhere;
  event.text = text.substr(begin, at + 1 - begin);
  event.offset = begin;
  return at + 1;
}

}  // namespace tfprof::chrome_json

#include "inspect/devices/device_words.h"

#include <string>

#include "util/text/ascii.h"

namespace tfprof::inspect {
namespace {

// "gpu:0" for "GPU 0" and "gpu0".
std::string Plain(std::string_view words) {
  std::string plain;
  for (const char c : util::LowerCase(words)) {
    const char last = plain.empty() ? '\0' : plain.back();
    if (c == ' ' && !plain.empty() && last >= 'a' && last <= 'z') {
      plain += ':';
    } else if (util::IsDigit(c) && last >= 'a' && last <= 'z' &&
               plain.find_first_not_of("abcdefghijklmnopqrstuvwxyz") ==
                   plain.npos) {
      plain += ':';
      plain += c;
    } else {
      plain += c;
    }
  }
  return plain;
}

// Whether `name` ends with `end`, behind one of `before`.
bool EndsWith(std::string_view name, std::string_view end,
              std::string_view before) {
  return name.size() > end.size() && name.ends_with(end) &&
         before.find(name[name.size() - end.size() - 1]) != before.npos;
}

}  // namespace

bool IsDeviceMeant(std::string_view name, std::string_view words) {
  const std::string lower = util::LowerCase(name);
  if (lower == util::LowerCase(words)) return true;
  const std::string wanted = Plain(words);
  if (wanted.empty()) return false;
  if (lower == wanted || EndsWith(lower, wanted, " /:")) return true;
  // All of a kind.
  const size_t colon = lower.rfind(':');
  if (colon == lower.npos || wanted.find(':') != wanted.npos) return false;
  const std::string_view kind = std::string_view(lower).substr(0, colon);
  return kind == wanted || EndsWith(kind, wanted, " /:");
}

}  // namespace tfprof::inspect

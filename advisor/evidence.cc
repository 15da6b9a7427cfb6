#include "advisor/evidence.h"

namespace tfprof::advisor {

std::string NamePattern(std::string_view name) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/:";
  std::string pattern;
  bool in_run = false;
  for (const char c : name) {
    const bool plain = kPlain.find(c) != kPlain.npos;
    if (plain) {
      pattern += c;
    } else if (!in_run) {
      pattern += ".*";
    }
    in_run = !plain;
  }
  return pattern;
}

}  // namespace tfprof::advisor

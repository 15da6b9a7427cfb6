#include "util/text/name_match.h"

#include <cctype>
#include <cstddef>

#include "util/text/ascii.h"

namespace tfprof::util {
namespace {

bool HasWildcard(std::string_view part) {
  return part.find_first_of("*?") != part.npos;
}

// Appends `c` as it stands for itself.
void AppendQuoted(char c, std::string& pattern) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x80 && std::isalnum(byte) == 0 && c != '_') pattern += '\\';
  pattern += c;
}

// Both are in lower case. Linear in the name for each '*'.
bool GlobMatches(std::string_view name, std::string_view glob) {
  size_t n = 0, g = 0;
  size_t after_star = glob.npos, retry = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      after_star = ++g;
      retry = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g;
      ++n;
    } else if (after_star != glob.npos) {
      g = after_star;
      n = ++retry;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

}  // namespace

bool NameMatches(std::string_view name, std::string_view part) {
  const std::string lower = LowerCase(name);
  const std::string wanted = LowerCase(part);
  return HasWildcard(part) ? GlobMatches(lower, wanted)
                           : lower.find(wanted) != lower.npos;
}

std::string PatternOfPart(std::string_view part) {
  const bool glob = HasWildcard(part);
  std::string pattern = glob ? "(?is)" : "(?is).*";
  for (const char c : part) {
    if (glob && c == '*') {
      pattern += ".*";
    } else if (glob && c == '?') {
      pattern += '.';
    } else {
      AppendQuoted(c, pattern);
    }
  }
  return glob ? pattern : pattern + ".*";
}

std::string PatternOfName(std::string_view name) {
  std::string pattern;
  for (const char c : name) AppendQuoted(c, pattern);
  return pattern;
}

}  // namespace tfprof::util

#include "profiler/options/words.h"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "absl/strings/numbers.h"

namespace tfprof::options {
namespace {

bool IsQuote(char c) { return c == '\'' || c == '"'; }

// Where the quote at `at` is closed; npos: nowhere.
size_t Closing(std::string_view s, size_t at) { return s.find(s[at], at + 1); }

// The bracket that closes the one at `at`; npos: there is no bracket at `at`,
// or it is never closed.
size_t ClosingBracket(std::string_view s, size_t at) {
  constexpr std::string_view kOpen = "([{", kClose = ")]}";
  const size_t kind = kOpen.find(s[at]);
  if (kind == kOpen.npos) return s.npos;
  int depth = 0;
  for (size_t i = at; i < s.size(); ++i) {
    if (s[i] == '\\') {
      ++i;
    } else if (s[i] == kOpen[kind]) {
      ++depth;
    } else if (s[i] == kClose[kind] && --depth == 0) {
      return i;
    }
  }
  return s.npos;
}

}  // namespace

std::vector<std::string> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ') {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else if (c == '#' && word.empty()) {
      break;
    } else if (IsQuote(c) && Closing(line, i) != line.npos) {
      const size_t end = Closing(line, i);
      word += line.substr(i, end + 1 - i);
      i = end;
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

size_t OpenWord(std::string_view line) {
  size_t begin = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ') {
      begin = i + 1;
    } else if (c == '#' && begin == i) {
      return line.npos;
    } else if (IsQuote(c)) {
      const size_t end = Closing(line, i);
      if (end != line.npos) {
        i = end;
      } else if (begin == i) {
        break;
      }
    }
  }
  return begin;
}

std::string Unquote(std::string_view word) {
  // All quotes at both ends, as the reference does.
  while (!word.empty() && IsQuote(word.front())) word.remove_prefix(1);
  while (!word.empty() && IsQuote(word.back())) word.remove_suffix(1);
  return std::string(word);
}

std::vector<std::string> SplitList(std::string_view word) {
  // Brackets protect commas only if quotes surround the whole list: users of
  // the reference expect that every comma separates.
  bool quoted = false;
  if (word.size() >= 2 && IsQuote(word.front()) &&
      Closing(word, 0) == word.size() - 1) {
    word = word.substr(1, word.size() - 2);
    quoted = true;
  }
  std::vector<std::string> elements;
  std::string element;
  const auto finish = [&] {
    std::string bare = Unquote(element);
    if (!bare.empty()) elements.push_back(std::move(bare));
    element.clear();
  };
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (IsQuote(c) && element.empty() && Closing(word, i) != word.npos) {
      const size_t end = Closing(word, i);
      element += word.substr(i, end + 1 - i);
      i = end;
      continue;
    }
    if (quoted && c == '\\' && i + 1 < word.size()) {
      element += c;
      element += word[++i];
      continue;
    }
    if (const size_t end = quoted ? ClosingBracket(word, i) : word.npos;
        end != word.npos) {
      element += word.substr(i, end + 1 - i);
      i = end;
      continue;
    }
    if (c == ',') {
      finish();
    } else {
      element += c;
    }
  }
  finish();
  return elements;
}

std::string FromHome(std::string_view path) {
  const char* const home = path.starts_with("~/") ? getenv("HOME") : nullptr;
  if (home == nullptr || *home == '\0') return std::string(path);
  return home + std::string(path.substr(1));
}

bool ParseAmount(std::string_view word, util::Unit unit, int64_t& value) {
  int64_t whole = 0;
  if (absl::SimpleAtoi(absl::string_view(word.data(), word.size()), &whole)) {
    value = whole;
    return true;
  }
  double number = 0;
  const char* end = word.data() + word.size();
  const auto [at, error] =
      std::from_chars(word.data(), end, number, std::chars_format::fixed);
  if (error != std::errc() || at == end || number < 0) return false;
  std::string suffix(at, end);
  for (char& c : suffix) c = static_cast<char>(std::tolower(c));
  struct Suffix {
    util::Unit unit;
    std::string_view text;
    double size;
  };
  constexpr double kKibi = 1024;
  static constexpr Suffix kSuffixes[] = {
      {util::Unit::kMicros, "ns", 1e-3},
      {util::Unit::kMicros, "us", 1},
      {util::Unit::kMicros, "µs", 1},
      {util::Unit::kMicros, "ms", 1e3},
      {util::Unit::kMicros, "s", 1e6},
      {util::Unit::kMicros, "sec", 1e6},
      {util::Unit::kMicros, "min", 6e7},
      {util::Unit::kBytes, "b", 1},
      {util::Unit::kBytes, "k", 1e3},
      {util::Unit::kBytes, "kb", 1e3},
      {util::Unit::kBytes, "m", 1e6},
      {util::Unit::kBytes, "mb", 1e6},
      {util::Unit::kBytes, "g", 1e9},
      {util::Unit::kBytes, "gb", 1e9},
      {util::Unit::kBytes, "kib", kKibi},
      {util::Unit::kBytes, "mib", kKibi * kKibi},
      {util::Unit::kBytes, "gib", kKibi * kKibi * kKibi},
      {util::Unit::kCount, "k", 1e3},
      {util::Unit::kCount, "m", 1e6},
      {util::Unit::kCount, "g", 1e9},
      {util::Unit::kCount, "b", 1e9},
  };
  for (const Suffix& known : kSuffixes) {
    if (known.unit != unit || known.text != suffix) continue;
    const double amount = number * known.size;
    if (!(amount < 9e18)) return false;
    value = static_cast<int64_t>(amount);
    return true;
  }
  return false;
}

bool ParseByteCount(std::string_view word, size_t& bytes) {
  const char* end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, bytes);
  if (error != std::errc() || end - at > 1) return false;
  constexpr std::string_view kUnits = "KMGT";
  const size_t unit = at == end ? 0 : kUnits.find(*at) + 1;  // npos + 1 == 0
  if (at != end && unit == 0) return false;
  if (bytes > SIZE_MAX >> (10 * unit)) return false;
  bytes <<= 10 * unit;
  return true;
}

}  // namespace tfprof::options

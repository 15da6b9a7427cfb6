#include "tables/numbers.h"

#include <cmath>
#include <iterator>
#include <string_view>

#include "fmt/format.h"

namespace tfprof::tables {
namespace {

void AppendInt(std::string& out, int64_t n) {
  const fmt::format_int digits(n);
  out.append(digits.data(), digits.size());
}

// Appends n / unit with the digits that "%.2f" prints for the double. Integer
// arithmetic gives the same digits, except exactly between two hundredths,
// where the double is slightly above or below, and from 10^12 on, where the
// double is not exact enough.
void AppendHundredths(std::string& out, int64_t n, int64_t unit) {
  const int64_t step = unit / 100;
  const int64_t rest = n % step;
  if (2 * rest == step || n >= 1000000000000) {
    fmt::format_to(std::back_inserter(out), "{:.2f}",
                   static_cast<double>(n) / static_cast<double>(unit));
    return;
  }
  const int64_t hundredths = n / step + (2 * rest > step ? 1 : 0);
  AppendInt(out, hundredths / 100);
  out += '.';
  out += static_cast<char>('0' + hundredths / 10 % 10);
  out += static_cast<char>('0' + hundredths % 10);
}

struct Unit {
  int64_t from;  // the smallest number with this unit
  std::string_view name;
};

// Appends n from 0 to 999, the range of most numbers in a report. Appends
// single characters, because a call of append() costs more than its copying.
void AppendSmall(std::string& out, int64_t n, std::string_view unit) {
  if (n >= 100) out += static_cast<char>('0' + n / 100);
  if (n >= 10) out += static_cast<char>('0' + n / 10 % 10);
  out += static_cast<char>('0' + n % 10);
  for (const char c : unit) out += c;
}

// `units` are in descending order, all at least 1000; the smallest one has no
// decimals.
template <size_t size>
void Append(std::string& out, int64_t n, const Unit (&units)[size]) {
  if (0 <= n && n < 1000) return AppendSmall(out, n, units[size - 1].name);
  for (size_t i = 0; i + 1 < size; ++i) {
    if (n >= units[i].from) {
      AppendHundredths(out, n, units[i].from);
      out += units[i].name;
      return;
    }
  }
  AppendInt(out, n);
  out += units[size - 1].name;
}

constexpr Unit kCounts[] = {
    {1000000000, "b"}, {1000000, "m"}, {1000, "k"}, {0, ""}};
constexpr Unit kMicros[] = {{1000000, "sec"}, {1000, "ms"}, {0, "us"}};
constexpr Unit kBytes[] = {{1000000, "MB"}, {1000, "KB"}, {0, "B"}};

template <typename AppendTo>
std::string ToString(AppendTo append, int64_t n) {
  std::string text;
  append(text, n);
  return text;
}

}  // namespace

void AppendCount(std::string& out, int64_t n) { Append(out, n, kCounts); }
void AppendMicros(std::string& out, int64_t n) { Append(out, n, kMicros); }
void AppendBytes(std::string& out, int64_t n) { Append(out, n, kBytes); }

void AppendTime(std::string& out, int64_t ticks, int64_t ticks_per_micro) {
  if (ticks_per_micro == 1) return AppendMicros(out, ticks);
  out += FormatFractionalMicros(static_cast<double>(ticks) /
                                static_cast<double>(ticks_per_micro));
}

std::string FormatFractionalMicros(double micros) {
  const double size = std::abs(micros);
  // Larger doubles cannot represent every integer.
  constexpr double kExact = 9007199254740992;
  if (size >= kExact || std::isnan(size)) return fmt::format("{:.4g}", micros);
  if (size >= 1000 || micros == std::round(micros)) {
    const std::string text =
        FormatMicros(static_cast<int64_t>(std::llround(size)));
    return micros < 0 ? "-" + text : text;
  }
  return fmt::format("{:.2f}us", micros);
}

std::string FormatTime(int64_t ticks, int64_t ticks_per_micro) {
  std::string text;
  AppendTime(text, ticks, ticks_per_micro);
  return text;
}

std::string FormatCount(int64_t n) { return ToString(AppendCount, n); }
std::string FormatMicros(int64_t n) { return ToString(AppendMicros, n); }
std::string FormatBytes(int64_t n) { return ToString(AppendBytes, n); }

std::string BytesText(int64_t bytes) {
  constexpr double kKilo = 1e3, kMega = 1e6;
  constexpr int64_t kGiga = 1000000000;
  if (bytes < kGiga) return FormatBytes(bytes);
  double size = static_cast<double>(bytes) / kMega;
  std::string_view prefixes = "MGTPE";
  while (size >= kKilo && prefixes.size() > 1) {
    size /= kKilo;
    prefixes.remove_prefix(1);
  }
  return fmt::format("{:.2f}{}B", size, prefixes[0]);
}

}  // namespace tfprof::tables

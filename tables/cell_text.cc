#include "tables/cell_text.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "fmt/format.h"
#include "tables/numbers.h"

namespace tfprof {
namespace {

std::string IntText(int64_t number, Unit unit) {
  switch (unit) {
    case Unit::kMicros:
      return FormatMicros(number);
    case Unit::kBytes:
      return FormatBytes(number);
    case Unit::kCount:
      return FormatCount(number);
    case Unit::kShare:
      return fmt::format("{:.1f}%", 100.0 * static_cast<double>(number));
    case Unit::kText:
    case Unit::kNumber:
      break;
  }
  return fmt::format("{}", number);
}

std::string DoubleText(double number, Unit unit) {
  // Larger doubles do not hold every integer.
  constexpr double kExact = 9007199254740992;
  switch (unit) {
    case Unit::kShare:
      return fmt::format("{:.1f}%", 100.0 * number);
    case Unit::kMicros:
      return FormatFractionalMicros(number);
    case Unit::kBytes:
    case Unit::kCount:
      if (std::abs(number) < kExact) {
        return IntText(std::llround(number), unit);
      }
      break;
    case Unit::kText:
    case Unit::kNumber:
      break;
  }
  return fmt::format("{:.4g}", number);
}

}  // namespace

double NumberOf(const DataCell& cell) {
  if (const auto* i = std::get_if<int64_t>(&cell)) {
    return static_cast<double>(*i);
  }
  const auto* d = std::get_if<double>(&cell);
  return d == nullptr ? 0 : *d;
}

void AppendNumber(const DataCell& cell, std::string_view nothing,
                  std::string* out) {
  if (const auto* i = std::get_if<int64_t>(&cell)) {
    const fmt::format_int digits(*i);
    out->append(digits.data(), digits.size());
  } else if (const auto* d = std::get_if<double>(&cell);
             d != nullptr && std::isfinite(*d)) {
    fmt::format_to(std::back_inserter(*out), "{}", *d);
  } else {
    *out += nothing;
  }
}

std::string NumberText(const DataCell& cell, Unit unit) {
  if (const auto* i = std::get_if<int64_t>(&cell)) return IntText(*i, unit);
  const auto* d = std::get_if<double>(&cell);
  return d != nullptr && std::isfinite(*d) ? DoubleText(*d, unit) : "-";
}

std::string DeltaText(const DataCell& cell, Unit unit) {
  if (const auto* i = std::get_if<int64_t>(&cell)) {
    // The smallest integer has no positive counterpart.
    const int64_t size = *i == INT64_MIN ? INT64_MAX : std::abs(*i);
    return (*i < 0 ? "-" : *i > 0 ? "+" : "") + NumberText(size, unit);
  }
  const auto* d = std::get_if<double>(&cell);
  if (d == nullptr || !std::isfinite(*d)) return "-";
  return (*d < 0 ? "-" : *d > 0 ? "+" : "") + NumberText(std::abs(*d), unit);
}

}  // namespace tfprof

#include "tables/cell_text.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "fmt/format.h"
#include "tables/numbers.h"

namespace tfprof::tables {
namespace {

// Formats 2.5e12 as "2.50T", to be followed by a unit. Numbers below a thousand
// get no prefix, and integers get no decimals. Thousands of bytes are KB, as in
// sizes.
std::string ScaledText(double number, std::string_view unit) {
  constexpr double kThousand = 1000;
  // Beyond the prefixes, four digits with an exponent are shorter.
  constexpr double kTooLarge = 1e21;
  if (std::abs(number) >= kTooLarge) return fmt::format("{:.4g} ", number);
  std::string_view prefixes = unit.starts_with('B') ? "KMGTPE" : "kMGTPE";
  std::string_view prefix;
  while (std::abs(number) >= kThousand && !prefixes.empty()) {
    number /= kThousand;
    prefix = prefixes.substr(0, 1);
    prefixes.remove_prefix(1);
  }
  return prefix.empty() && number == std::round(number)
             ? fmt::format("{:.0f} ", number)
             : fmt::format("{:.2f} {}", number, prefix);
}

// Returns the unit that follows from the name of a column of counts or bytes,
// "" if there is none.
std::string_view UnitOfName(const DataColumn& column) {
  if (column.unit == util::Unit::kBytes) {
    return column.name.ends_with("_per_second") ? "B/s" : "";
  }
  if (column.unit != util::Unit::kCount) return "";
  if (column.name.ends_with("flops_per_second")) return "FLOP/s";
  return column.name == "float_ops" ? "FLOP" : "";
}

std::string IntText(int64_t number, util::Unit unit) {
  switch (unit) {
    case util::Unit::kMicros:
      return FormatMicros(number);
    case util::Unit::kBytes:
      return BytesText(number);
    case util::Unit::kCount:
      return FormatCount(number);
    case util::Unit::kShare:
      return fmt::format("{:.1f}%", 100.0 * static_cast<double>(number));
    case util::Unit::kText:
    case util::Unit::kNumber:
      break;
  }
  return fmt::format("{}", number);
}

std::string DoubleText(double number, util::Unit unit) {
  // Larger doubles cannot represent every integer.
  constexpr double kExact = 9007199254740992;
  switch (unit) {
    case util::Unit::kShare:
      return fmt::format("{:.1f}%", 100.0 * number);
    case util::Unit::kMicros:
      return FormatFractionalMicros(number);
    case util::Unit::kBytes:
    case util::Unit::kCount:
      if (std::abs(number) < kExact) {
        return IntText(std::llround(number), unit);
      }
      break;
    case util::Unit::kText:
    case util::Unit::kNumber:
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

std::string NumberText(const DataCell& cell, util::Unit unit) {
  if (const auto* i = std::get_if<int64_t>(&cell)) return IntText(*i, unit);
  const auto* d = std::get_if<double>(&cell);
  return d != nullptr && std::isfinite(*d) ? DoubleText(*d, unit) : "-";
}

std::string NumberText(const DataCell& cell, const DataColumn& column) {
  const std::string_view unit = UnitOfName(column);
  const bool is_number = std::holds_alternative<int64_t>(cell) ||
                         std::holds_alternative<double>(cell);
  if (unit.empty() || !is_number || !std::isfinite(NumberOf(cell))) {
    return NumberText(cell, column.unit);
  }
  std::string text = ScaledText(NumberOf(cell), unit);
  text += unit;
  return text;
}

std::string DeltaText(const DataCell& cell, util::Unit unit) {
  if (const auto* i = std::get_if<int64_t>(&cell)) {
    // The smallest integer has no positive counterpart.
    const int64_t size = *i == INT64_MIN ? INT64_MAX : std::abs(*i);
    return (*i < 0 ? "-" : *i > 0 ? "+" : "") + NumberText(size, unit);
  }
  const auto* d = std::get_if<double>(&cell);
  if (d == nullptr || !std::isfinite(*d)) return "-";
  return (*d < 0 ? "-" : *d > 0 ? "+" : "") + NumberText(std::abs(*d), unit);
}

}  // namespace tfprof::tables

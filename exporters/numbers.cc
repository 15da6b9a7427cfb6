#include "exporters/numbers.h"

#include "fmt/format.h"

namespace tfprof {

std::string FormatCount(int64_t n) {
  const auto d = static_cast<double>(n);
  if (n < 1000) return fmt::format("{}", n);
  if (n < 1000000) return fmt::format("{:.2f}k", d / 1e3);
  if (n < 1000000000) return fmt::format("{:.2f}m", d / 1e6);
  return fmt::format("{:.2f}b", d / 1e9);
}

std::string FormatMicros(int64_t micros) {
  const auto d = static_cast<double>(micros);
  if (micros < 1000) return fmt::format("{}us", micros);
  if (micros < 1000000) return fmt::format("{:.2f}ms", d / 1e3);
  return fmt::format("{:.2f}sec", d / 1e6);
}

std::string FormatBytes(int64_t bytes) {
  const auto d = static_cast<double>(bytes);
  if (bytes < 1000) return fmt::format("{}B", bytes);
  if (bytes < 1000000) return fmt::format("{:.2f}KB", d / 1e3);
  return fmt::format("{:.2f}MB", d / 1e6);
}

}  // namespace tfprof

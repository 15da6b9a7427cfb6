// Numbers in the text files of rocprofv3, which are unsigned integers of 64
// bits.

#ifndef TFPROF_LOADERS_ROCPROF_NUMBERS_H_
#define TFPROF_LOADERS_ROCPROF_NUMBERS_H_

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "util/text/decimal.h"

namespace tfprof::rocprof {

// Returns nullopt for a text that is no such number, such as one below 0.
// Programs that rewrite JSON may add a point or an exponent.
inline std::optional<uint64_t> ParseUnsigned(std::string_view text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && at == end) return value;
  const std::optional<int64_t> decimal = util::ParseDecimal(text);
  if (!decimal || *decimal < 0) return {};
  return static_cast<uint64_t>(*decimal);
}

// The same number where the model has a signed one; nullopt beyond it.
inline std::optional<int64_t> AsSigned(std::optional<uint64_t> number) {
  if (!number || *number > uint64_t{std::numeric_limits<int64_t>::max()}) {
    return {};
  }
  return static_cast<int64_t>(*number);
}

}  // namespace tfprof::rocprof

#endif  // TFPROF_LOADERS_ROCPROF_NUMBERS_H_

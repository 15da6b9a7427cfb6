#include "loaders/chrome_json/unitrace_name.h"

#include <cstddef>

#include "util/text/decimal.h"

namespace tfprof::chrome_json {
namespace {

using profile::CopyKind;

bool HasPart(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// "zeCommandListAppendMemoryCopy(M2D)": from memory of the host (M, H), of a
// device (D) or of both (S).
CopyKind CopyOfUnitrace(std::string_view name) {
  const size_t close = name.rfind(')');
  if (close == name.npos || close < 4 || name[close - 4] != '(' ||
      name[close - 2] != '2') {
    return CopyKind::kUnknown;
  }
  const auto is_host = [](char c) { return c == 'M' || c == 'H'; };
  const char from = name[close - 3], to = name[close - 1];
  if (is_host(from) && to == 'D') return CopyKind::kToDevice;
  if (from == 'D' && is_host(to)) return CopyKind::kToHost;
  if (from == 'D' && to == 'D') return CopyKind::kOnDevice;
  return CopyKind::kUnknown;
}

}  // namespace

UnitraceName ReadUnitraceName(std::string_view text) {
  UnitraceName result = {.name = text};
  const size_t open = text.rfind('[');
  if (open != text.npos && open > 0 && text.ends_with(']')) {
    const std::string_view how = text.substr(open + 1, text.size() - open - 2);
    constexpr std::string_view kBytes = " bytes";
    const auto bytes =
        how.ends_with(kBytes)
            ? util::ParseDecimal(how.substr(0, how.size() - kBytes.size()))
            : std::nullopt;
    if (bytes || how.starts_with("SIMD")) {
      result.how = how;
      result.bytes = bytes.value_or(-1);
      result.name = text.substr(0, open);
      while (result.name.ends_with(' ')) result.name.remove_suffix(1);
    }
  }
  if (!IsDeviceCall(result.name)) return result;
  if (HasPart(result.name, "Copy") || HasPart(result.name, "ReadBuffer") ||
      HasPart(result.name, "WriteBuffer")) {
    result.kind = UnitraceName::Kind::kCopy;
    result.copy = CopyOfUnitrace(result.name);
  } else if (HasPart(result.name, "Fill")) {
    result.kind = UnitraceName::Kind::kSet;
    result.copy = CopyKind::kOnDevice;
  } else {
    result.kind = UnitraceName::Kind::kSync;  // a barrier, an event
  }
  return result;
}

bool IsDeviceCall(std::string_view name) {
  for (const std::string_view prefix : {"ze", "cl", "ur", "zes", "zet"}) {
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        'A' <= name[prefix.size()] && name[prefix.size()] <= 'Z') {
      return true;
    }
  }
  return false;
}

}  // namespace tfprof::chrome_json

#include "loaders/gpu_trace/names.h"

#include <algorithm>

namespace tfprof::gpu_trace {

std::string_view CallName(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  if (last == name.npos || last + 1 == name.size() || last == 0) return name;
  const bool has_version = name[last] == 'v' && name[last - 1] == '_';
  return has_version ? name.substr(0, last - 1) : name;
}

std::string_view OperationOf(std::string_view text) {
  constexpr std::string_view kDetails[] = {
      ", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "};
  for (size_t at = text.find(','); at != text.npos;
       at = text.find(',', at + 1)) {
    const std::string_view rest = text.substr(at);
    if (std::ranges::any_of(kDetails, [&](std::string_view detail) {
          return rest.starts_with(detail);
        })) {
      return text.substr(0, at);
    }
  }
  return text;
}

profile::CopyKind CopyKindOf(int64_t kind) {
  switch (kind) {
    case 1:  // to the device
    case 3:  // to an array
      return profile::CopyKind::kToDevice;
    case 2:  // to the host
    case 4:  // of an array to the host
      return profile::CopyKind::kToHost;
    case 5:  // between arrays and the memory of one device
    case 6:
    case 7:
    case 8:
      return profile::CopyKind::kOnDevice;
    case 10:
      return profile::CopyKind::kToPeer;
    default:
      return profile::CopyKind::kUnknown;
  }
}

}  // namespace tfprof::gpu_trace

#include "profile/transfer.h"

namespace tfprof::profile {

std::string_view CopyKindName(CopyKind kind) {
  switch (kind) {
    case CopyKind::kToDevice:
      return "host to device";
    case CopyKind::kToHost:
      return "device to host";
    case CopyKind::kOnDevice:
      return "on the device";
    case CopyKind::kToPeer:
      return "device to device";
    case CopyKind::kUnknown:
      break;
  }
  return "of unknown direction";
}

}  // namespace tfprof::profile

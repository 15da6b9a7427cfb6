// Transfer: the data that an execution moved according to its record, and the
// directions of copies.
//
// The loader of a format reads it from the texts of its records (details.h:
// DetailReader::TransferOf). Views point into the record.

#ifndef TFPROF_PROFILE_TRANSFER_H_
#define TFPROF_PROFILE_TRANSFER_H_

#include <cstdint>
#include <string_view>

namespace tfprof::profile {

// The direction of a copy between the memories of a process.
enum class CopyKind : uint8_t {
  kToDevice,  // from the host to a device
  kToHost,    // from a device to the host
  kOnDevice,  // within the memory of a device
  kToPeer,    // from a device to another device
  kUnknown,
};
inline constexpr int kNumCopyKinds = 5;

// "host to device", "of unknown direction".
std::string_view CopyKindName(CopyKind kind);

struct Transfer {
  CopyKind kind = CopyKind::kUnknown;
  int64_t bytes = -1;       // -1: not recorded
  std::string_view tensor;  // "edge_11_w2/read"
  // Device names as in the record; "" if not recorded.
  std::string_view from;
  std::string_view to;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TRANSFER_H_

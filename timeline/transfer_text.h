// What the label of a transfer says: how much, from where, to where.
//
//   [128B] [1.5Mb/s] edge_11_w2/read from /job:ps/…/device:CPU:0 to /job:w/…
//   MEMCPYHtoD 4096 bytes (Pinned to Device)          TensorFlow 1
//   a:MatMul bytes:4096 aync                          TensorFlow 2.0
//   MemcpyH2D kind_src:pinned kind_dst:device size:4096 dest:0 async:1
//   a = _Recv(edge_5_b @/job:ps/replica:0/task:0/device:CPU:0)
//
// From 0.1 MiB on TensorFlow writes a receive's bytes in MiB with one decimal,
// [1.2MB]; they are then known to 5 %. Views point into the label.

#ifndef TFPROF_TIMELINE_TRANSFER_TEXT_H_
#define TFPROF_TIMELINE_TRANSFER_TEXT_H_

#include <cstdint>
#include <string_view>

namespace tfprof {

struct TransferText {
  int64_t bytes = -1;       // -1: not said
  std::string_view tensor;  // "edge_11_w2/read"
  std::string_view from;    // "" where it is not said
  std::string_view to;
};

// Of a RecvTensor, a _Recv or a _Send.
TransferText ReadReceiveLabel(std::string_view label);

enum class CopyKind { kToDevice, kToHost, kOnDevice, kToPeer, kUnknown };
inline constexpr int kNumCopyKinds = 5;
// "host to device".
std::string_view CopyKindName(CopyKind kind);

struct CopyText {
  CopyKind kind = CopyKind::kUnknown;
  int64_t bytes = -1;  // -1: not said
};

// Each may be empty; the device in lower case.
CopyText ReadCopyText(std::string_view name, std::string_view label,
                      std::string_view device);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_TRANSFER_TEXT_H_

// Parses the text of a TensorFlow record about an op and about data that it
// moved.
//
//   a = MatMul(b, c)                                  the op of a label
//   [128B] [1.5Mb/s] edge_11_w2/read from /job:ps/…/device:CPU:0 to /job:w/…
//   MEMCPYHtoD 4096 bytes (Pinned to Device)          TensorFlow 1
//   a:MatMul bytes:4096 aync                          TensorFlow 2.0
//   MemcpyH2D kind_src:pinned kind_dst:device size:4096 dest:0 async:1
//   a = _Recv(edge_5_b @/job:ps/replica:0/task:0/device:CPU:0)
//
// From 0.1 MiB on, TensorFlow writes the size of a received tensor in MiB with
// one decimal, [1.2MB], so it is known to 5 %. Views point into the label.

#ifndef TFPROF_LOADERS_TENSORFLOW_TRANSFER_TEXT_H_
#define TFPROF_LOADERS_TENSORFLOW_TRANSFER_TEXT_H_

#include <string_view>

#include "profile/transfer.h"

namespace tfprof::tensorflow {

// Returns "MatMul" for "[cpu 1.3MB] a = MatMul(b, c)"; "" without an op.
std::string_view OpOfLabel(std::string_view label);

// Reads the texts of a record; both may be empty. The label of a receive or a
// send gives devices, a copy gives a direction.
profile::Transfer ReadTransfer(std::string_view name, std::string_view label);

// Finds "memcpyh2d" or "memcpyhtod" in `text`, which is in lower case.
profile::CopyKind CopyKindIn(std::string_view text);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_TRANSFER_TEXT_H_

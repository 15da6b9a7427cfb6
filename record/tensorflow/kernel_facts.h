// The recorded facts of each kernel: the name and the type of its op, and its
// device. They are obtained from TensorFlow once for each kernel, through
// functions that it exports, without any knowledge of its classes.
//
// Texts are kept until the process ends (kept_texts.h), equal ones once. There
// are no locks: facts that cannot be kept now are obtained again the next time.

#ifndef TFPROF_RECORD_TENSORFLOW_KERNEL_FACTS_H_
#define TFPROF_RECORD_TENSORFLOW_KERNEL_FACTS_H_

#include <cstdint>
#include <string_view>

#include "record/sink.h"

namespace tfprof::record {

struct KernelFacts {
  std::string_view name;    // "dense/MatMul"
  std::string_view type;    // "MatMul"
  std::string_view device;  // "/job:localhost/replica:0/task:0/device:CPU:0"
};

// Three sizes, followed by three texts.
struct PackedFacts {
  static constexpr size_t kMaxBytes = 3 * (sizeof(uint16_t) + kMaxText);
  char bytes[kMaxBytes];
};

// The packed facts of a kernel, in `place` if they cannot be kept. Null if
// TensorFlow exports no function that returns the name of a kernel.
const char* FindKernelFacts(const void* device, const void* kernel,
                            const void* context, PackedFacts& place);
KernelFacts Unpack(const char* packed);

// The kernel is being destroyed; another one may get its address.
void ForgetKernel(const void* kernel);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_KERNEL_FACTS_H_
